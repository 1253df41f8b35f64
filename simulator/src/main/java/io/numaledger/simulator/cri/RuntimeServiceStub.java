package io.numaledger.simulator.cri;

import com.google.protobuf.MessageLite;
import io.grpc.Status;
import io.grpc.stub.StreamObserver;
import io.numaledger.simulator.cri.records.ContainerRecord;
import io.numaledger.simulator.cri.v1.CgroupDriver;
import io.numaledger.simulator.cri.v1.Container;
import io.numaledger.simulator.cri.v1.ContainerFilter;
import io.numaledger.simulator.cri.v1.ContainerStatus;
import io.numaledger.simulator.cri.v1.ContainerStatusRequest;
import io.numaledger.simulator.cri.v1.ContainerStatusResponse;
import io.numaledger.simulator.cri.v1.CreateContainerRequest;
import io.numaledger.simulator.cri.v1.CreateContainerResponse;
import io.numaledger.simulator.cri.v1.LinuxRuntimeConfiguration;
import io.numaledger.simulator.cri.v1.ListContainerStatsRequest;
import io.numaledger.simulator.cri.v1.ListContainerStatsResponse;
import io.numaledger.simulator.cri.v1.ListContainersRequest;
import io.numaledger.simulator.cri.v1.ListContainersResponse;
import io.numaledger.simulator.cri.v1.ListPodSandboxRequest;
import io.numaledger.simulator.cri.v1.ListPodSandboxResponse;
import io.numaledger.simulator.cri.v1.ListPodSandboxStatsRequest;
import io.numaledger.simulator.cri.v1.ListPodSandboxStatsResponse;
import io.numaledger.simulator.cri.v1.PodSandbox;
import io.numaledger.simulator.cri.v1.PodSandboxFilter;
import io.numaledger.simulator.cri.v1.PodSandboxStatus;
import io.numaledger.simulator.cri.v1.PodSandboxStatusRequest;
import io.numaledger.simulator.cri.v1.PodSandboxStatusResponse;
import io.numaledger.simulator.cri.v1.RemoveContainerRequest;
import io.numaledger.simulator.cri.v1.RemoveContainerResponse;
import io.numaledger.simulator.cri.v1.RemovePodSandboxRequest;
import io.numaledger.simulator.cri.v1.RemovePodSandboxResponse;
import io.numaledger.simulator.cri.v1.ReopenContainerLogRequest;
import io.numaledger.simulator.cri.v1.ReopenContainerLogResponse;
import io.numaledger.simulator.cri.v1.RunPodSandboxRequest;
import io.numaledger.simulator.cri.v1.RunPodSandboxResponse;
import io.numaledger.simulator.cri.v1.RuntimeCondition;
import io.numaledger.simulator.cri.v1.RuntimeConfigRequest;
import io.numaledger.simulator.cri.v1.RuntimeConfigResponse;
import io.numaledger.simulator.cri.v1.RuntimeHandler;
import io.numaledger.simulator.cri.v1.RuntimeServiceGrpc;
import io.numaledger.simulator.cri.v1.RuntimeStatus;
import io.numaledger.simulator.cri.v1.StartContainerRequest;
import io.numaledger.simulator.cri.v1.StartContainerResponse;
import io.numaledger.simulator.cri.v1.StatusRequest;
import io.numaledger.simulator.cri.v1.StatusResponse;
import io.numaledger.simulator.cri.v1.StopContainerRequest;
import io.numaledger.simulator.cri.v1.StopContainerResponse;
import io.numaledger.simulator.cri.v1.StopPodSandboxRequest;
import io.numaledger.simulator.cri.v1.StopPodSandboxResponse;
import io.numaledger.simulator.cri.v1.UpdateContainerResourcesRequest;
import io.numaledger.simulator.cri.v1.UpdateContainerResourcesResponse;
import io.numaledger.simulator.cri.v1.UpdateRuntimeConfigRequest;
import io.numaledger.simulator.cri.v1.UpdateRuntimeConfigResponse;
import io.numaledger.simulator.cri.v1.VersionRequest;
import io.numaledger.simulator.cri.v1.VersionResponse;

import java.time.Duration;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalInt;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import java.util.function.Consumer;

/** The CRI's runtime service over {@link RuntimeState}; says who has been started. */
final class RuntimeServiceStub extends RuntimeServiceGrpc.RuntimeServiceImplBase {

    /** Containers of an image with this in its name end only when they are killed, after the grace period. */
    private static final String IGNORES_SIGTERM = "ignores-sigterm";

    private final RuntimeState state;
    private final PodProcesses processes;
    private final Consumer<ContainerRecord> started;

    RuntimeServiceStub(RuntimeState state, PodProcesses processes, Consumer<ContainerRecord> started) {
        this.state = state;
        this.processes = processes;
        this.started = started;
    }

    static <T extends MessageLite> void answer(StreamObserver<T> observer, T message) {
        observer.onNext(message);
        observer.onCompleted();
    }

    /** The kubelet goes by this code: what is not found counts as removed. */
    private static void notFound(StreamObserver<?> observer, String kind, String id) {
        observer.onError(Status.NOT_FOUND
                .withDescription("no such %s: id=%s; list them to see what there is".formatted(kind, id))
                .asRuntimeException());
    }

    @Override
    public void version(VersionRequest request, StreamObserver<VersionResponse> answer) {
        answer(
                answer,
                VersionResponse.newBuilder()
                        .setVersion("0.1.0")
                        .setRuntimeName("numaledger-sim")
                        .setRuntimeVersion("1.0.0")
                        .setRuntimeApiVersion("v1")
                        .build());
    }

    @Override
    public void status(StatusRequest request, StreamObserver<StatusResponse> answer) {
        RuntimeStatus ready = RuntimeStatus.newBuilder()
                .addConditions(
                        RuntimeCondition.newBuilder().setType("RuntimeReady").setStatus(true))
                .addConditions(
                        RuntimeCondition.newBuilder().setType("NetworkReady").setStatus(true))
                .build();
        answer(
                answer,
                StatusResponse.newBuilder()
                        .setStatus(ready)
                        .addRuntimeHandlers(RuntimeHandler.getDefaultInstance())
                        .build());
    }

    @Override
    public void runtimeConfig(RuntimeConfigRequest request, StreamObserver<RuntimeConfigResponse> answer) {
        answer(
                answer,
                RuntimeConfigResponse.newBuilder()
                        .setLinux(LinuxRuntimeConfiguration.newBuilder().setCgroupDriver(CgroupDriver.CGROUPFS))
                        .build());
    }

    @Override
    public void updateRuntimeConfig(
            UpdateRuntimeConfigRequest request, StreamObserver<UpdateRuntimeConfigResponse> answer) {
        answer(answer, UpdateRuntimeConfigResponse.getDefaultInstance());
    }

    @Override
    public void runPodSandbox(RunPodSandboxRequest request, StreamObserver<RunPodSandboxResponse> answer) {
        String id = RuntimeState.newId();
        state.runSandbox(id, processes.startSandbox(id), request.getConfig(), request.getRuntimeHandler());
        answer(answer, RunPodSandboxResponse.newBuilder().setPodSandboxId(id).build());
    }

    @Override
    public void stopPodSandbox(StopPodSandboxRequest request, StreamObserver<StopPodSandboxResponse> answer) {
        state.stopSandbox(request.getPodSandboxId());
        processes.stopSandbox(request.getPodSandboxId());
        answer(answer, StopPodSandboxResponse.getDefaultInstance());
    }

    @Override
    public void removePodSandbox(RemovePodSandboxRequest request, StreamObserver<RemovePodSandboxResponse> answer) {
        state.removeSandbox(request.getPodSandboxId());
        answer(answer, RemovePodSandboxResponse.getDefaultInstance());
    }

    @Override
    public void podSandboxStatus(PodSandboxStatusRequest request, StreamObserver<PodSandboxStatusResponse> answer) {
        Optional<PodSandboxStatus> status = state.sandbox(request.getPodSandboxId());
        if (status.isEmpty()) {
            notFound(answer, "sandbox", request.getPodSandboxId());
            return;
        }
        answer(
                answer,
                PodSandboxStatusResponse.newBuilder().setStatus(status.get()).build());
    }

    @Override
    public void listPodSandbox(ListPodSandboxRequest request, StreamObserver<ListPodSandboxResponse> answer) {
        ListPodSandboxResponse.Builder list = ListPodSandboxResponse.newBuilder();
        state.sandboxes().stream()
                .filter(sandbox -> passes(sandbox, request.getFilter()))
                .map(RuntimeServiceStub::brief)
                .forEach(list::addItems);
        answer(answer, list.build());
    }

    private static boolean passes(PodSandboxStatus sandbox, PodSandboxFilter filter) {
        return (filter.getId().isEmpty() || sandbox.getId().equals(filter.getId()))
                && (!filter.hasState()
                        || sandbox.getState() == filter.getState().getState())
                && hasLabels(sandbox.getLabelsMap(), filter.getLabelSelectorMap());
    }

    private static boolean hasLabels(Map<String, String> labels, Map<String, String> wanted) {
        return labels.entrySet().containsAll(wanted.entrySet());
    }

    private static PodSandbox brief(PodSandboxStatus sandbox) {
        return PodSandbox.newBuilder()
                .setId(sandbox.getId())
                .setMetadata(sandbox.getMetadata())
                .setState(sandbox.getState())
                .setCreatedAt(sandbox.getCreatedAt())
                .putAllLabels(sandbox.getLabelsMap())
                .putAllAnnotations(sandbox.getAnnotationsMap())
                .setRuntimeHandler(sandbox.getRuntimeHandler())
                .build();
    }

    @Override
    public void createContainer(CreateContainerRequest request, StreamObserver<CreateContainerResponse> answer) {
        Optional<String> id = state.createContainer(request.getPodSandboxId(), request.getConfig());
        if (id.isEmpty()) {
            notFound(answer, "sandbox", request.getPodSandboxId());
            return;
        }
        answer(
                answer,
                CreateContainerResponse.newBuilder().setContainerId(id.get()).build());
    }

    @Override
    public void startContainer(StartContainerRequest request, StreamObserver<StartContainerResponse> answer) {
        if (!state.startContainer(request.getContainerId())) {
            notFound(answer, "container that waits for its start", request.getContainerId());
            return;
        }
        state.record(request.getContainerId()).ifPresent(started);
        answer(answer, StartContainerResponse.getDefaultInstance());
    }

    @Override
    public void stopContainer(StopContainerRequest request, StreamObserver<StopContainerResponse> answer) {
        boolean waits = state.container(request.getContainerId())
                .filter(status -> status.getImage().getImage().contains(IGNORES_SIGTERM))
                .isPresent();
        CompletableFuture.delayedExecutor(waits ? request.getTimeout() : 0, TimeUnit.SECONDS)
                .execute(() -> {
                    OptionalInt code =
                            processes.stop(request.getContainerId(), Duration.ofSeconds(request.getTimeout()));
                    state.exit(request.getContainerId(), code.orElse(RuntimeState.KILLED));
                    answer(answer, StopContainerResponse.getDefaultInstance());
                });
    }

    @Override
    public void removeContainer(RemoveContainerRequest request, StreamObserver<RemoveContainerResponse> answer) {
        state.removeContainer(request.getContainerId());
        answer(answer, RemoveContainerResponse.getDefaultInstance());
    }

    @Override
    public void containerStatus(ContainerStatusRequest request, StreamObserver<ContainerStatusResponse> answer) {
        Optional<ContainerStatus> status = state.container(request.getContainerId());
        if (status.isEmpty()) {
            notFound(answer, "container", request.getContainerId());
            return;
        }
        answer(
                answer,
                ContainerStatusResponse.newBuilder().setStatus(status.get()).build());
    }

    @Override
    public void listContainers(ListContainersRequest request, StreamObserver<ListContainersResponse> answer) {
        ListContainersResponse.Builder list = ListContainersResponse.newBuilder();
        state.containers().stream()
                .filter(container -> passes(container, request.getFilter()))
                .map(RuntimeServiceStub::brief)
                .forEach(list::addContainers);
        answer(answer, list.build());
    }

    private static boolean passes(ContainerRecord container, ContainerFilter filter) {
        ContainerStatus status = container.getStatus();
        return (filter.getId().isEmpty() || status.getId().equals(filter.getId()))
                && (!filter.hasState() || status.getState() == filter.getState().getState())
                && (filter.getPodSandboxId().isEmpty()
                        || container.getPodSandboxId().equals(filter.getPodSandboxId()))
                && hasLabels(status.getLabelsMap(), filter.getLabelSelectorMap());
    }

    private static Container brief(ContainerRecord container) {
        ContainerStatus status = container.getStatus();
        return Container.newBuilder()
                .setId(status.getId())
                .setPodSandboxId(container.getPodSandboxId())
                .setMetadata(status.getMetadata())
                .setImage(status.getImage())
                .setImageRef(status.getImageRef())
                .setImageId(status.getImageId())
                .setState(status.getState())
                .setCreatedAt(status.getCreatedAt())
                .putAllLabels(status.getLabelsMap())
                .putAllAnnotations(status.getAnnotationsMap())
                .build();
    }

    @Override
    public void updateContainerResources(
            UpdateContainerResourcesRequest request, StreamObserver<UpdateContainerResourcesResponse> answer) {
        answer(answer, UpdateContainerResourcesResponse.getDefaultInstance());
    }

    @Override
    public void reopenContainerLog(
            ReopenContainerLogRequest request, StreamObserver<ReopenContainerLogResponse> answer) {
        answer(answer, ReopenContainerLogResponse.getDefaultInstance());
    }

    @Override
    public void listContainerStats(
            ListContainerStatsRequest request, StreamObserver<ListContainerStatsResponse> answer) {
        answer(answer, ListContainerStatsResponse.getDefaultInstance());
    }

    @Override
    public void listPodSandboxStats(
            ListPodSandboxStatsRequest request, StreamObserver<ListPodSandboxStatsResponse> answer) {
        answer(answer, ListPodSandboxStatsResponse.getDefaultInstance());
    }
}
