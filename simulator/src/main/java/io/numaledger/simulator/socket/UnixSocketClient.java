package io.numaledger.simulator.socket;

import io.grpc.ManagedChannel;
import io.grpc.netty.NettyChannelBuilder;
import io.netty.channel.EventLoopGroup;
import io.netty.channel.MultiThreadIoEventLoopGroup;
import io.netty.channel.nio.NioIoHandler;
import io.netty.channel.socket.nio.NioDomainSocketChannel;
import io.netty.util.concurrent.DefaultThreadFactory;

import java.net.UnixDomainSocketAddress;
import java.nio.file.Path;
import java.util.concurrent.TimeUnit;

/** A channel to a gRPC server on a unix socket. Its thread is a daemon. */
public final class UnixSocketClient implements AutoCloseable {

    private final EventLoopGroup eventLoop = new MultiThreadIoEventLoopGroup(
            1, new DefaultThreadFactory("unix-socket-client", true), NioIoHandler.newFactory());
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
