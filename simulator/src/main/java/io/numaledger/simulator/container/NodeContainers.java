package io.numaledger.simulator.container;

import io.numaledger.apiservers.real.ChildProcess;
import io.numaledger.simulator.cri.PodProcesses;
import io.numaledger.simulator.cri.v1.ContainerConfig;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalInt;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.TimeUnit;
import java.util.function.IntConsumer;
import java.util.function.Supplier;

import static java.util.Objects.requireNonNull;

/** The sandboxes and running containers of one node. */
final class NodeContainers implements PodProcesses {

    private static final Logger log = LoggerFactory.getLogger(NodeContainers.class);

    private final LoadedImages images;
    private final PodNetwork network;
    private final Supplier<String> hosts;
    private final Path directory;
    private final Supplier<Long> kubelet;
    private final Map<String, PodNetwork.Attached> sandboxes = new ConcurrentHashMap<>();
    private final Map<String, Running> containers = new ConcurrentHashMap<>();

    private record Running(String sandbox, Process process) {}

    NodeContainers(
            LoadedImages images, PodNetwork network, Supplier<String> hosts, Path directory, Supplier<Long> kubelet) {
        this.images = images;
        this.network = network;
        this.hosts = hosts;
        this.directory = directory;
        this.kubelet = kubelet;
    }

    @Override
    public String startSandbox(String id) {
        PodNetwork.Attached attached = network.attach();
        sandboxes.put(id, attached);
        return attached.address();
    }

    @Override
    public void stopSandbox(String id) {
        containers.values().stream()
                .filter(container -> container.sandbox().equals(id))
                .forEach(container -> container.process().toHandle().destroyForcibly());
        Optional.ofNullable(sandboxes.remove(id)).ifPresent(PodNetwork.Attached::close);
    }

    @Override
    public boolean runs(String image) {
        return images.find(image).isPresent();
    }

    @Override
    public void start(String id, String sandbox, ContainerConfig config, Path file, IntConsumer exited) {
        ContainerImage image =
                images.find(config.getImage().getUserSpecifiedImage()).orElseThrow();
        List<String> command = List.of(
                "nsenter",
                "--mount=/proc/%d/ns/mnt".formatted(kubelet.get()),
                "--net=/proc/%d/ns/net"
                        .formatted(requireNonNull(sandboxes.get(sandbox)).pid()),
                "unshare",
                "--mount",
                "/bin/sh",
                "-c",
                ContainerScript.text(image, config, hosts.get()),
                "container",
                directory.toString(),
                image.root().toString());
        try {
            Files.createDirectories(directory);
            Process process = new ProcessBuilder(ChildProcess.endingWithParent("container", command))
                    .redirectErrorStream(true)
                    .start();
            containers.put(id, new Running(sandbox, process));
            PauseProcess.closeInputOnExit(process);
            Thread reader = new Thread(() -> exited.accept(follow(id, process, file)), "container-" + id);
            reader.setDaemon(true);
            reader.start();
        } catch (IOException cause) {
            throw new ContainerException("cannot start a container; check that nsenter is installed", cause);
        }
    }

    /** Returns the exit code when the container has ended. */
    private int follow(String id, Process process, Path file) {
        try {
            ContainerLog.copy(process.getInputStream(), file);
        } catch (IOException cause) {
            log.warn("event=container.log_not_written file={}", file, cause);
        }
        process.onExit().join();
        containers.remove(id);
        return process.exitValue();
    }

    @Override
    public OptionalInt stop(String id, Duration grace) {
        Running container = containers.get(id);
        if (container == null) {
            return OptionalInt.empty();
        }
        // Process.destroy() would close the output, and what the container writes while it ends would be lost.
        container.process().toHandle().destroy();
        try {
            if (!container.process().waitFor(grace.toMillis(), TimeUnit.MILLISECONDS)) {
                container.process().toHandle().destroyForcibly();
            }
        } catch (InterruptedException cause) {
            Thread.currentThread().interrupt();
            container.process().toHandle().destroyForcibly();
        }
        container.process().onExit().join();
        return OptionalInt.of(container.process().exitValue());
    }

    @Override
    public void close() {
        List.copyOf(sandboxes.keySet()).forEach(this::stopSandbox);
    }
}
