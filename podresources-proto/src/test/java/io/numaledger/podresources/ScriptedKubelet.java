package io.numaledger.podresources;

import io.grpc.BindableService;
import io.grpc.Metadata;
import io.grpc.Server;
import io.grpc.ServerCall;
import io.grpc.ServerCallHandler;
import io.grpc.ServerInterceptor;
import io.grpc.ServerInterceptors;
import io.grpc.netty.NettyServerBuilder;
import io.netty.channel.EventLoopGroup;
import io.netty.channel.MultiThreadIoEventLoopGroup;
import io.netty.channel.nio.NioIoHandler;
import io.netty.channel.socket.nio.NioServerDomainSocketChannel;

import java.io.IOException;
import java.net.UnixDomainSocketAddress;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.TimeUnit;

/** A gRPC server on a real unix socket that plays the kubelet with a given service, and notes each call's authority. */
final class ScriptedKubelet implements AutoCloseable {

    final List<String> authorities = new CopyOnWriteArrayList<>();
    private final EventLoopGroup group = new MultiThreadIoEventLoopGroup(1, NioIoHandler.newFactory());
    private final Server server;
    private final Path socket;

    ScriptedKubelet(Path socket, BindableService service) throws IOException {
        this.socket = socket;
        this.server = NettyServerBuilder.forAddress(UnixDomainSocketAddress.of(socket))
                .channelType(NioServerDomainSocketChannel.class)
                .bossEventLoopGroup(group)
                .workerEventLoopGroup(group)
                .addService(ServerInterceptors.intercept(service, new AuthorityLog()))
                .build()
                .start();
    }

    private final class AuthorityLog implements ServerInterceptor {
        @Override
        public <Q, A> ServerCall.Listener<Q> interceptCall(
                ServerCall<Q, A> call, Metadata headers, ServerCallHandler<Q, A> next) {
            authorities.add(call.getAuthority());
            return next.startCall(call, headers);
        }
    }

    /** Ends as a kubelet does that is stopped: its connections break and the socket's file goes. */
    @Override
    public void close() throws IOException, InterruptedException {
        server.shutdownNow();
        server.awaitTermination(5, TimeUnit.SECONDS);
        group.shutdownGracefully(0, 0, TimeUnit.SECONDS).awaitUninterruptibly(2000);
        Files.deleteIfExists(socket);
    }
}
