package io.numaledger.simulator.cri;

import io.numaledger.simulator.cri.records.ContainerRecord;
import io.numaledger.simulator.cri.records.SandboxRecord;
import io.numaledger.simulator.cri.v1.ContainerConfig;
import io.numaledger.simulator.cri.v1.ContainerState;
import io.numaledger.simulator.cri.v1.ContainerStatus;
import io.numaledger.simulator.cri.v1.PodSandboxConfig;
import io.numaledger.simulator.cri.v1.PodSandboxNetworkStatus;
import io.numaledger.simulator.cri.v1.PodSandboxState;
import io.numaledger.simulator.cri.v1.PodSandboxStatus;

import java.nio.file.Path;
import java.time.Instant;
import java.time.InstantSource;
import java.util.List;
import java.util.Optional;
import java.util.UUID;

/**
 * All sandboxes and containers of one node, and the changes they go through:
 *
 * <pre>
 * sandbox    run → READY, stop → NOTREADY (and its containers EXITED), remove → gone (and its containers)
 * container  create → CREATED, start → RUNNING, exit or stop → EXITED, remove → gone
 * </pre>
 *
 * Stop and remove of what has stopped or is gone do nothing, as the CRI demands.
 */
final class RuntimeState {

    /** The exit code of a process that was killed by SIGKILL. */
    static final int KILLED = 137;

    private final RecordFiles<SandboxRecord> sandboxes;
    private final RecordFiles<ContainerRecord> containers;
    private final InstantSource clock;

    RuntimeState(Path directory, InstantSource clock) {
        sandboxes = new RecordFiles<>(directory.resolve("sandboxes"), SandboxRecord.parser());
        containers = new RecordFiles<>(directory.resolve("containers"), ContainerRecord.parser());
        this.clock = clock;
    }

    synchronized List<PodSandboxStatus> sandboxes() {
        return sandboxes.all().stream().map(SandboxRecord::getStatus).toList();
    }

    synchronized List<ContainerRecord> containers() {
        return containers.all();
    }

    synchronized Optional<PodSandboxStatus> sandbox(String id) {
        return Optional.ofNullable(sandboxes.get(id)).map(SandboxRecord::getStatus);
    }

    synchronized Optional<ContainerRecord> record(String id) {
        return Optional.ofNullable(containers.get(id));
    }

    synchronized Optional<ContainerStatus> container(String id) {
        return record(id).map(ContainerRecord::getStatus);
    }

    synchronized void runSandbox(String id, String address, PodSandboxConfig config, String handler) {
        PodSandboxStatus status = PodSandboxStatus.newBuilder()
                .setId(id)
                .setMetadata(config.getMetadata())
                .setState(PodSandboxState.SANDBOX_READY)
                .setCreatedAt(now())
                .setNetwork(PodSandboxNetworkStatus.newBuilder().setIp(address))
                .putAllLabels(config.getLabelsMap())
                .putAllAnnotations(config.getAnnotationsMap())
                .setRuntimeHandler(handler)
                .build();
        sandboxes.put(
                id,
                SandboxRecord.newBuilder()
                        .setStatus(status)
                        .setLogDirectory(config.getLogDirectory())
                        .build());
    }

    synchronized void stopSandbox(String id) {
        containersOf(id).forEach(container -> exit(container.getStatus().getId(), KILLED));
        SandboxRecord record = sandboxes.get(id);
        if (record != null) {
            SandboxRecord.Builder stopped = record.toBuilder();
            stopped.getStatusBuilder().setState(PodSandboxState.SANDBOX_NOTREADY);
            sandboxes.put(id, stopped.build());
        }
    }

    synchronized void removeSandbox(String id) {
        containersOf(id)
                .forEach(container -> containers.remove(container.getStatus().getId()));
        sandboxes.remove(id);
    }

    /** Empty when there is no such sandbox. */
    synchronized Optional<String> createContainer(String sandboxId, ContainerConfig config) {
        SandboxRecord sandbox = sandboxes.get(sandboxId);
        if (sandbox == null) {
            return Optional.empty();
        }
        String id = newId();
        String image = ImageNames.id(config.getImage().getImage());
        ContainerStatus status = ContainerStatus.newBuilder()
                .setId(id)
                .setMetadata(config.getMetadata())
                .setState(ContainerState.CONTAINER_CREATED)
                .setCreatedAt(now())
                .setImage(config.getImage())
                .setImageRef(image)
                .setImageId(image)
                .putAllLabels(config.getLabelsMap())
                .putAllAnnotations(config.getAnnotationsMap())
                .setLogPath(logPath(sandbox, config, id))
                .build();
        containers.put(
                id,
                ContainerRecord.newBuilder()
                        .setPodSandboxId(sandboxId)
                        .setStatus(status)
                        .setConfig(config)
                        .build());
        return Optional.of(id);
    }

    /** An empty path would make the kubelet remove files of its own (it removes what begins with the path). */
    private static String logPath(SandboxRecord sandbox, ContainerConfig config, String id) {
        String file = config.getLogPath().isEmpty() ? id + ".log" : config.getLogPath();
        String directory = sandbox.getLogDirectory().isEmpty() ? "/var/log/pods" : sandbox.getLogDirectory();
        return Path.of(directory).resolve(file).toString();
    }

    /** False when there is no such container or it has run before. */
    synchronized boolean startContainer(String id) {
        ContainerRecord record = containers.get(id);
        if (record == null || record.getStatus().getState() != ContainerState.CONTAINER_CREATED) {
            return false;
        }
        ContainerRecord.Builder started = record.toBuilder();
        started.getStatusBuilder().setState(ContainerState.CONTAINER_RUNNING).setStartedAt(now());
        containers.put(id, started.build());
        return true;
    }

    /** Ends a container, whether it runs or was only created; false when it had ended or is unknown. */
    synchronized boolean exit(String id, int exitCode) {
        ContainerRecord record = containers.get(id);
        if (record == null || record.getStatus().getState() == ContainerState.CONTAINER_EXITED) {
            return false;
        }
        ContainerRecord.Builder ended = record.toBuilder();
        ended.getStatusBuilder()
                .setState(ContainerState.CONTAINER_EXITED)
                .setFinishedAt(now())
                .setExitCode(exitCode)
                .setReason(exitCode == 0 ? "Completed" : "Error");
        containers.put(id, ended.build());
        return true;
    }

    synchronized void removeContainer(String id) {
        containers.remove(id);
    }

    private List<ContainerRecord> containersOf(String sandboxId) {
        return containers.all().stream()
                .filter(container -> container.getPodSandboxId().equals(sandboxId))
                .toList();
    }

    private long now() {
        Instant now = clock.instant();
        return Math.addExact(Math.multiplyExact(now.getEpochSecond(), 1_000_000_000L), now.getNano());
    }

    static String newId() {
        return UUID.randomUUID().toString().replace("-", "");
    }
}
