package io.numaledger.podresources.server;

import io.grpc.BindableService;
import io.grpc.Server;
import io.grpc.netty.NettyServerBuilder;
import io.netty.channel.EventLoopGroup;
import io.netty.channel.MultiThreadIoEventLoopGroup;
import io.netty.channel.nio.NioIoHandler;
import io.netty.channel.socket.nio.NioServerDomainSocketChannel;
import io.netty.util.concurrent.DefaultThreadFactory;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.UnixDomainSocketAddress;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.concurrent.TimeUnit;

/** A gRPC server on a unix socket. Its threads are daemons. It replaces an existing file at the path of the socket. */
public final class UnixSocketServer implements AutoCloseable {

    /** The longest path that the kernel accepts, without the closing zero. */
    private static final int MAX_PATH_BYTES = 107;

    private static final int RECEIVE_LIMIT_BYTES = 16 << 20;

    private final Path socket;
    private final EventLoopGroup eventLoop;
    private final Server server;

    private UnixSocketServer(Path socket, EventLoopGroup eventLoop, Server server) {
        this.socket = socket;
        this.eventLoop = eventLoop;
        this.server = server;
    }

    /**
     * Starts to listen; clients can connect when this method returns.
     *
     * @throws UncheckedIOException if the socket cannot be created
     */
    public static UnixSocketServer start(Path socket, List<BindableService> services) {
        if (socket.toString().getBytes(StandardCharsets.UTF_8).length > MAX_PATH_BYTES) {
            throw new IllegalArgumentException(
                    "the path of a unix socket has at most %d bytes: socket=%s; use a directory with a shorter path"
                            .formatted(MAX_PATH_BYTES, socket));
        }
        EventLoopGroup eventLoop = new MultiThreadIoEventLoopGroup(
                1, new DefaultThreadFactory(socket.getFileName().toString(), true), NioIoHandler.newFactory());
        NettyServerBuilder builder = NettyServerBuilder.forAddress(UnixDomainSocketAddress.of(socket))
                .channelType(NioServerDomainSocketChannel.class)
                .bossEventLoopGroup(eventLoop)
                .workerEventLoopGroup(eventLoop)
                .maxInboundMessageSize(RECEIVE_LIMIT_BYTES);
        services.forEach(builder::addService);
        try {
            Files.createDirectories(socket.toAbsolutePath().getParent());
            Files.deleteIfExists(socket);
            return new UnixSocketServer(socket, eventLoop, builder.build().start());
        } catch (IOException cause) {
            eventLoop.shutdownGracefully(0, 0, TimeUnit.SECONDS).awaitUninterruptibly(2000);
            throw new UncheckedIOException(
                    "cannot listen on a unix socket: socket=%s; check that its directory is writable".formatted(socket),
                    cause);
        }
    }

    public Path socket() {
        return socket;
    }

    /** Closes all connections and removes the file of the socket. */
    @Override
    public void close() {
        server.shutdownNow();
        try {
            server.awaitTermination(5, TimeUnit.SECONDS);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
        eventLoop.shutdownGracefully(0, 0, TimeUnit.SECONDS).awaitUninterruptibly(2000);
        try {
            Files.deleteIfExists(socket);
        } catch (IOException cause) {
            throw new UncheckedIOException(
                    "cannot remove a unix socket: socket=%s; check that its directory is writable".formatted(socket),
                    cause);
        }
    }
}
