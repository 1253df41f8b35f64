package io.numaledger.simulator.deviceplugin;

import io.grpc.ManagedChannel;
import io.grpc.StatusRuntimeException;
import io.grpc.netty.NettyChannelBuilder;
import io.netty.channel.EventLoopGroup;
import io.netty.channel.MultiThreadIoEventLoopGroup;
import io.netty.channel.nio.NioIoHandler;
import io.netty.channel.socket.nio.NioDomainSocketChannel;
import io.netty.util.concurrent.DefaultThreadFactory;
import io.numaledger.deviceplugin.v1beta1.RegisterRequest;
import io.numaledger.deviceplugin.v1beta1.RegistrationGrpc;
import io.numaledger.simulator.hardware.DevicePluginSpec;

import java.net.UnixDomainSocketAddress;
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
        EventLoopGroup eventLoop = new MultiThreadIoEventLoopGroup(
                1, new DefaultThreadFactory("device-plugin-registration", true), NioIoHandler.newFactory());
        ManagedChannel channel = NettyChannelBuilder.forAddress(UnixDomainSocketAddress.of(kubeletSocket))
                .channelType(NioDomainSocketChannel.class, UnixDomainSocketAddress.class)
                .eventLoopGroup(eventLoop)
                .overrideAuthority("localhost")
                .usePlaintext()
                .build();
        try {
            RegistrationGrpc.newBlockingStub(channel)
                    .withDeadlineAfter(DEADLINE_SECONDS, TimeUnit.SECONDS)
                    .register(RegisterRequest.newBuilder()
                            .setVersion(API_VERSION)
                            .setEndpoint(pluginSocket.getFileName().toString())
                            .setResourceName(spec.resource())
                            .setOptions(DevicePluginService.options(spec))
                            .build());
        } finally {
            channel.shutdownNow();
            eventLoop.shutdownGracefully(0, 0, TimeUnit.SECONDS).awaitUninterruptibly(2000);
        }
    }
}
