package io.numaledger.simulator.socket;

import io.grpc.ManagedChannel;
import io.grpc.netty.NettyChannelBuilder;
import io.netty.channel.EventLoopGroup;
import io.netty.channel.MultiThreadIoEventLoopGroup;
import io.netty.channel.nio.NioIoHandler;
import io.netty.channel.socket.nio.NioDomainSocketChannel;

import java.net.UnixDomainSocketAddress;
import java.nio.file.Path;
import java.util.concurrent.TimeUnit;

/** A channel to a unix socket, for tests that play the other side. */
public final class UnixSocketClient implements AutoCloseable {

    private final EventLoopGroup eventLoop = new MultiThreadIoEventLoopGroup(1, NioIoHandler.newFactory());
    private final ManagedChannel channel;

    public UnixSocketClient(Path socket) {
        channel = NettyChannelBuilder.forAddress(UnixDomainSocketAddress.of(socket))
                .channelType(NioDomainSocketChannel.class, UnixDomainSocketAddress.class)
                .eventLoopGroup(eventLoop)
                .overrideAuthority("localhost")
                .usePlaintext()
                .build();
    }

    public ManagedChannel channel() {
        return channel;
    }

    @Override
    public void close() {
        channel.shutdownNow();
        eventLoop.shutdownGracefully(0, 0, TimeUnit.SECONDS).awaitUninterruptibly(2000);
    }
}
