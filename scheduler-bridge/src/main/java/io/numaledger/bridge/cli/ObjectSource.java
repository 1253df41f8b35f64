package io.numaledger.bridge.cli;

import io.fabric8.kubernetes.client.KubernetesClient;
import io.numaledger.bridge.cluster.ClusterObjects;
import io.numaledger.bridge.cluster.SnapshotFile;
import io.numaledger.bridge.watch.ClusterReader;
import picocli.CommandLine.Option;

import java.io.IOException;
import java.nio.file.Path;
import java.util.Optional;

/** Where the objects come from: a dump, or a cluster. */
final class ObjectSource {

    @Option(
            names = "--snapshot",
            paramLabel = "FILE",
            description =
                    "Nodes, NodeResourceTopologies and Pods as kubectl get -o yaml or -o json prints them; no cluster is asked")
    private Optional<Path> snapshot = Optional.empty();

    @Option(names = "--kubeconfig", paramLabel = "FILE", description = "ask this cluster; without it, the usual places")
    private Optional<Path> kubeconfig = Optional.empty();

    @Option(names = "--url", paramLabel = "URL", description = "ask the bridge at this address")
    private Optional<String> url = Optional.empty();

    Optional<String> url() {
        return url;
    }

    ClusterObjects read() throws IOException {
        if (snapshot.isPresent()) {
            return SnapshotFile.read(snapshot.get());
        }
        try (KubernetesClient client = ClusterReader.client(kubeconfig)) {
            return ClusterReader.read(client);
        }
    }
}
