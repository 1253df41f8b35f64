package io.numaledger.simulator.socket;

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

/** A gRPC server on a unix socket. Its threads keep no process alive; a file that lies where the socket goes is replaced. */
public final class UnixSocketServer implements AutoCloseable {

    /** What the kernel takes for a socket's path, the closing zero left out. */
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
     * Starts to listen; when this returns, clients can connect.
     *
     * @throws UncheckedIOException when the socket cannot be made
     */
    public static UnixSocketServer start(Path socket, List<BindableService> services) {
        if (socket.toString().getBytes(StandardCharsets.UTF_8).length > MAX_PATH_BYTES) {
            throw new IllegalArgumentException(
                    "a unix socket's path has at most %d bytes: socket=%s; use a directory with a shorter path"
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
            Files.createDirectories(socket.getParent());
            Files.deleteIfExists(socket);
            return new UnixSocketServer(socket, eventLoop, builder.build().start());
        } catch (IOException cause) {
            eventLoop.shutdownGracefully(0, 0, TimeUnit.SECONDS).awaitUninterruptibly(2000);
            throw new UncheckedIOException(
                    "cannot listen on a unix socket: socket=%s; check that its directory may be written"
                            .formatted(socket),
                    cause);
        }
    }

    public Path socket() {
        return socket;
    }

    /** Breaks the connections and removes the socket's file. */
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
                    "cannot remove a unix socket: socket=%s; check that its directory may be written".formatted(socket),
                    cause);
        }
    }
}
