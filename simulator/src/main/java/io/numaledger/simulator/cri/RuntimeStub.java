package io.numaledger.simulator.cri;

import io.netty.util.concurrent.DefaultThreadFactory;
import io.numaledger.podresources.server.UnixSocketServer;
import io.numaledger.simulator.cri.records.ContainerRecord;
import io.numaledger.simulator.cri.v1.ContainerState;
import io.numaledger.simulator.cri.v1.ContainerStatus;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Instant;
import java.time.InstantSource;
import java.util.List;
import java.util.Optional;
import java.util.OptionalInt;
import java.util.concurrent.Executors;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.TimeUnit;

/**
 * A container runtime on a unix socket that runs nothing but what {@link PodProcesses} names. What it was told is on disk, so that another stub over the same
 * directory goes on where this one ended, and a kubelet finds its pods running.
 */
public final class RuntimeStub implements AutoCloseable {

    private static final Logger log = LoggerFactory.getLogger(RuntimeStub.class);

    private static final long ASK_AGAIN_MS = 500;

    private final RuntimeState state;
    private final Path varLog;
    private final ContainerExitPolicy exits;
    private final PodProcesses processes;
    private final ScheduledExecutorService watcher;
    private final UnixSocketServer server;

    private RuntimeStub(
            Path socket,
            Path directory,
            Path varLog,
            ContainerExitPolicy exits,
            PodProcesses processes,
            NodeImages images) {
        this.state = new RuntimeState(directory, InstantSource.system());
        this.varLog = varLog;
        this.exits = exits;
        this.processes = processes;
        this.watcher = Executors.newSingleThreadScheduledExecutor(new DefaultThreadFactory("container-exits", true));
        this.server = UnixSocketServer.start(
                socket,
                List.of(
                        new RuntimeServiceStub(state, processes, this::started),
                        new ImageServiceStub(image -> images.has(image) || processes.runs(image))));
        state.containers().stream()
                .map(ContainerRecord::getStatus)
                .filter(status -> status.getState() == ContainerState.CONTAINER_RUNNING)
                .filter(status -> !processes.runs(status.getImage().getUserSpecifiedImage()))
                .forEach(this::watchForItsEnd);
    }

    /**
     * Starts to listen.
     *
     * @param directory where the records are kept, and found again
     * @param varLog the directory that the kubelet sees as {@code /var/log}
     */
    public static RuntimeStub start(Path socket, Path directory, Path varLog, ContainerExitPolicy exits) {
        return start(socket, directory, varLog, exits, PodProcesses.NONE, new NodeImages());
    }

    /**
     * The same with running containers.
     *
     * @param processes what runs; it goes on after this stub is closed
     * @param images what the node has beside the images that run
     */
    public static RuntimeStub start(
            Path socket,
            Path directory,
            Path varLog,
            ContainerExitPolicy exits,
            PodProcesses processes,
            NodeImages images) {
        return new RuntimeStub(socket, directory, varLog, exits, processes, images);
    }

    /**
     * Ends the running containers of that name in the pod; what becomes of the pod then is the kubelet's affair.
     *
     * @throws IllegalArgumentException when none of that name runs in it
     */
    public void exit(String namespace, String pod, String container, int exitCode) {
        List<String> running = state.containers().stream()
                .map(ContainerRecord::getStatus)
                .filter(status -> status.getState() == ContainerState.CONTAINER_RUNNING)
                .filter(status -> isNamed(ContainerKey.ofLabels(status.getLabelsMap()), namespace, pod, container))
                .map(ContainerStatus::getId)
                .toList();
        if (running.isEmpty()) {
            throw new IllegalArgumentException(
                    "no such container runs here: pod=%s/%s container=%s; wait until the pod is Running"
                            .formatted(namespace, pod, container));
        }
        running.forEach(id -> state.exit(id, exitCode));
    }

    private static boolean isNamed(ContainerKey key, String namespace, String pod, String container) {
        return key.namespace().equals(namespace)
                && key.pod().equals(pod)
                && key.container().equals(container);
    }

    /** Whose containers run now. */
    public List<ContainerKey> running() {
        return state.containers().stream()
                .map(ContainerRecord::getStatus)
                .filter(status -> status.getState() == ContainerState.CONTAINER_RUNNING)
                .map(status -> ContainerKey.ofLabels(status.getLabelsMap()))
                .toList();
    }

    private void started(ContainerRecord container) {
        ContainerStatus status = container.getStatus();
        if (processes.runs(status.getImage().getUserSpecifiedImage())) {
            processes.start(
                    status.getId(),
                    container.getPodSandboxId(),
                    container.getConfig(),
                    logFile(status).orElseThrow(),
                    code -> state.exit(status.getId(), code));
        } else {
            writeLog(status);
            watchForItsEnd(status);
        }
    }

    private void watchForItsEnd(ContainerStatus status) {
        ContainerKey key = ContainerKey.ofLabels(status.getLabelsMap());
        try {
            watcher.execute(() -> askForItsEnd(status.getId(), key));
        } catch (RejectedExecutionException closing) {
            log.debug("event=cri.closing pod={}/{} container={}", key.namespace(), key.pod(), key.container());
        }
    }

    @SuppressWarnings("FutureReturnValueIgnored") // asking again catches what it expects to be thrown
    private void askForItsEnd(String id, ContainerKey key) {
        try {
            OptionalInt code = exits.exitCode(key);
            code.ifPresent(value -> state.exit(id, value));
        } catch (IOException unknown) {
            boolean stillRuns = state.container(id)
                    .filter(status -> status.getState() == ContainerState.CONTAINER_RUNNING)
                    .isPresent();
            if (stillRuns && !watcher.isShutdown()) {
                watcher.schedule(() -> askForItsEnd(id, key), ASK_AGAIN_MS, TimeUnit.MILLISECONDS);
            }
        }
    }

    /** One line in the format that the kubelet reads, so that the log of a container is there when somebody asks for it. */
    private void writeLog(ContainerStatus status) {
        logFile(status).ifPresent(RuntimeStub::writeLog);
    }

    /** Empty if the kubelet named none below {@code /var/log}. */
    private Optional<Path> logFile(ContainerStatus status) {
        Path inKubelet = Path.of(status.getLogPath());
        Path root = Path.of("/var/log");
        return inKubelet.startsWith(root) ? Optional.of(varLog.resolve(root.relativize(inKubelet))) : Optional.empty();
    }

    private static void writeLog(Path file) {
        try {
            Files.createDirectories(file.getParent());
            Files.writeString(file, "%s stdout F simulated container, nothing runs here%n".formatted(Instant.now()));
        } catch (IOException cause) {
            log.warn("event=cri.log_not_written file={}", file, cause);
        }
    }

    /** Ends all containers, as when the machine starts again; the records stay. */
    public void endAll() {
        state.sandboxes().stream().map(sandbox -> sandbox.getId()).forEach(id -> {
            state.stopSandbox(id);
            processes.stopSandbox(id);
        });
    }

    /** Stops to listen; the records stay. */
    @Override
    public void close() {
        server.close();
        watcher.shutdownNow();
    }
}
