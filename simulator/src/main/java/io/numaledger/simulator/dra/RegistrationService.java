package io.numaledger.simulator.dra;

import io.grpc.stub.StreamObserver;
import io.numaledger.simulator.pluginregistration.v1.InfoRequest;
import io.numaledger.simulator.pluginregistration.v1.PluginInfo;
import io.numaledger.simulator.pluginregistration.v1.RegistrationGrpc;
import io.numaledger.simulator.pluginregistration.v1.RegistrationStatus;
import io.numaledger.simulator.pluginregistration.v1.RegistrationStatusResponse;

import java.util.function.Consumer;

/** Answers a kubelet that has found the driver's socket in {@code plugins_registry}. */
final class RegistrationService extends RegistrationGrpc.RegistrationImplBase {

    private final PluginInfo info;
    private final Consumer<RegistrationStatus> listener;

    /** @param endpoint the driver's own socket, as the kubelet sees it */
    RegistrationService(String driver, String endpoint, Consumer<RegistrationStatus> listener) {
        this.info = PluginInfo.newBuilder()
                .setType("DRAPlugin")
                .setName(driver)
                .setEndpoint(endpoint)
                .addSupportedVersions("v1.DRAPlugin")
                .build();
        this.listener = listener;
    }

    @Override
    public void getInfo(InfoRequest request, StreamObserver<PluginInfo> answer) {
        answer.onNext(info);
        answer.onCompleted();
    }

    @Override
    public void notifyRegistrationStatus(RegistrationStatus status, StreamObserver<RegistrationStatusResponse> answer) {
        listener.accept(status);
        answer.onNext(RegistrationStatusResponse.getDefaultInstance());
        answer.onCompleted();
    }
}
