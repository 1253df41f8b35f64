package io.numaledger.simulator.deviceplugin;

import com.google.protobuf.MessageLite;
import io.grpc.Status;
import io.grpc.stub.ServerCallStreamObserver;
import io.grpc.stub.StreamObserver;
import io.numaledger.deviceplugin.v1beta1.AllocateRequest;
import io.numaledger.deviceplugin.v1beta1.AllocateResponse;
import io.numaledger.deviceplugin.v1beta1.ContainerAllocateRequest;
import io.numaledger.deviceplugin.v1beta1.ContainerAllocateResponse;
import io.numaledger.deviceplugin.v1beta1.ContainerPreferredAllocationRequest;
import io.numaledger.deviceplugin.v1beta1.ContainerPreferredAllocationResponse;
import io.numaledger.deviceplugin.v1beta1.DevicePluginGrpc;
import io.numaledger.deviceplugin.v1beta1.DevicePluginOptions;
import io.numaledger.deviceplugin.v1beta1.Empty;
import io.numaledger.deviceplugin.v1beta1.ListAndWatchResponse;
import io.numaledger.deviceplugin.v1beta1.PreStartContainerRequest;
import io.numaledger.deviceplugin.v1beta1.PreStartContainerResponse;
import io.numaledger.deviceplugin.v1beta1.PreferredAllocationRequest;
import io.numaledger.deviceplugin.v1beta1.PreferredAllocationResponse;
import io.numaledger.simulator.hardware.DevicePluginSpec;

/** The plugin's side of the contract; a container learns its devices from the variable {@code SIMULATED_DEVICES}. */
final class DevicePluginService extends DevicePluginGrpc.DevicePluginImplBase {

    private final DevicePluginSpec spec;
    private final DeviceHealth health;
    private final PreferredDevices preferred;

    DevicePluginService(DevicePluginSpec spec, DeviceHealth health) {
        this.spec = spec;
        this.health = health;
        this.preferred = new PreferredDevices(spec.devices());
    }

    static DevicePluginOptions options(DevicePluginSpec spec) {
        return DevicePluginOptions.newBuilder()
                .setGetPreferredAllocationAvailable(spec.preferredAllocation())
                .build();
    }

    @Override
    public void getDevicePluginOptions(Empty request, StreamObserver<DevicePluginOptions> answer) {
        answer(answer, options(spec));
    }

    @Override
    public void listAndWatch(Empty request, StreamObserver<ListAndWatchResponse> answer) {
        health.watch((ServerCallStreamObserver<ListAndWatchResponse>) answer);
    }

    @Override
    public void getPreferredAllocation(
            PreferredAllocationRequest request, StreamObserver<PreferredAllocationResponse> answer) {
        PreferredAllocationResponse.Builder response = PreferredAllocationResponse.newBuilder();
        for (ContainerPreferredAllocationRequest container : request.getContainerRequestsList()) {
            response.addContainerResponses(ContainerPreferredAllocationResponse.newBuilder()
                    .addAllDeviceIDs(preferred.choose(
                            container.getAvailableDeviceIDsList(),
                            container.getMustIncludeDeviceIDsList(),
                            container.getAllocationSize())));
        }
        answer(answer, response.build());
    }

    @Override
    public void allocate(AllocateRequest request, StreamObserver<AllocateResponse> answer) {
        AllocateResponse.Builder response = AllocateResponse.newBuilder();
        for (ContainerAllocateRequest container : request.getContainerRequestsList()) {
            int asked = container.getDevicesIdsCount();
            if (asked > spec.maxPerContainer().orElse(asked)) {
                answer.onError(tooMany(asked).asRuntimeException());
                return;
            }
            response.addContainerResponses(ContainerAllocateResponse.newBuilder()
                    .putEnvs("SIMULATED_DEVICES", String.join(",", container.getDevicesIdsList())));
        }
        answer(answer, response.build());
    }

    /** As NVIDIA's plugin says it when GPUs are shared, internal/plugin/server.go. */
    private Status tooMany(int asked) {
        return Status.UNKNOWN.withDescription(
                "request for '%s: %d' too large: maximum request size for shared resources is %d"
                        .formatted(
                                spec.resource(), asked, spec.maxPerContainer().orElseThrow()));
    }

    @Override
    public void preStartContainer(PreStartContainerRequest request, StreamObserver<PreStartContainerResponse> answer) {
        answer(answer, PreStartContainerResponse.getDefaultInstance());
    }

    private static <T extends MessageLite> void answer(StreamObserver<T> observer, T message) {
        observer.onNext(message);
        observer.onCompleted();
    }
}
