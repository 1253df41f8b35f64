package io.numaledger.simulator.cluster;

import java.nio.file.Path;

/** What lies where in the directory of one simulated node. Names are short, since unix sockets' paths are. */
public record NodeDirectory(Path root) {

    /** The hardware tree, with {@code sys} and {@code proc} in it. */
    public Path hardware() {
        return root.resolve("hw");
    }

    /** What the kubelet sees as {@code /var/lib/kubelet}. */
    Path kubeletRoot() {
        return root.resolve("kubelet");
    }

    /** What the kubelet sees as {@code /var/log}. */
    Path varLog() {
        return root.resolve("log");
    }

    /** The kubelet's working directory; its own log is beside it. */
    Path workDir() {
        return root.resolve("cwd");
    }

    Path sysctls() {
        return root.resolve("sysctl");
    }

    Path volumePlugins() {
        return root.resolve("volume-plugins");
    }

    Path staticPods() {
        return root.resolve("manifests");
    }

    Path runtimeSocket() {
        return root.resolve("cri.sock");
    }

    Path runtimeRecords() {
        return root.resolve("cri");
    }

    /** An empty directory, over which each container mounts its own. */
    Path containers() {
        return root.resolve("containers");
    }

    public Path config() {
        return root.resolve("kubelet.yaml");
    }

    Path script() {
        return root.resolve("run-kubelet.sh");
    }

    Path pluginsDirectory() {
        return kubeletRoot().resolve("device-plugins");
    }

    public Path podResourcesSocket() {
        return kubeletRoot().resolve("pod-resources/kubelet.sock");
    }
}
