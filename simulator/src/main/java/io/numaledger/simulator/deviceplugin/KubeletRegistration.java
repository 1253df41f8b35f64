package io.numaledger.simulator.deviceplugin;

import io.grpc.StatusRuntimeException;
import io.numaledger.deviceplugin.v1beta1.RegisterRequest;
import io.numaledger.deviceplugin.v1beta1.RegistrationGrpc;
import io.numaledger.simulator.hardware.DevicePluginSpec;
import io.numaledger.simulator.socket.UnixSocketClient;

import java.nio.file.Path;
import java.util.concurrent.TimeUnit;

/** Tells a kubelet that a plugin is there; the kubelet then calls the plugin's own socket. */
final class KubeletRegistration {

    private static final String API_VERSION = "v1beta1";
    private static final long DEADLINE_SECONDS = 5;

    private KubeletRegistration() {}

    /**
     * Registers once.
     *
     * @throws StatusRuntimeException when the kubelet does not answer or refuses
     */
    static void register(Path kubeletSocket, Path pluginSocket, DevicePluginSpec spec) {
        try (UnixSocketClient client = new UnixSocketClient(kubeletSocket)) {
            RegistrationGrpc.newBlockingStub(client.channel())
                    .withDeadlineAfter(DEADLINE_SECONDS, TimeUnit.SECONDS)
                    .register(RegisterRequest.newBuilder()
                            .setVersion(API_VERSION)
                            .setEndpoint(pluginSocket.getFileName().toString())
                            .setResourceName(spec.resource())
                            .setOptions(DevicePluginService.options(spec))
                            .build());
        }
    }
}
