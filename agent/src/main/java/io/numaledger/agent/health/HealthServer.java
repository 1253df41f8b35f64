package io.numaledger.agent.health;

import io.netty.bootstrap.ServerBootstrap;
import io.netty.buffer.Unpooled;
import io.netty.channel.Channel;
import io.netty.channel.ChannelHandlerContext;
import io.netty.channel.ChannelInitializer;
import io.netty.channel.ChannelOption;
import io.netty.channel.EventLoopGroup;
import io.netty.channel.FixedRecvByteBufAllocator;
import io.netty.channel.MultiThreadIoEventLoopGroup;
import io.netty.channel.SimpleChannelInboundHandler;
import io.netty.channel.nio.NioIoHandler;
import io.netty.channel.socket.SocketChannel;
import io.netty.channel.socket.nio.NioServerSocketChannel;
import io.netty.handler.codec.http.DefaultFullHttpResponse;
import io.netty.handler.codec.http.FullHttpRequest;
import io.netty.handler.codec.http.FullHttpResponse;
import io.netty.handler.codec.http.HttpHeaderNames;
import io.netty.handler.codec.http.HttpObjectAggregator;
import io.netty.handler.codec.http.HttpResponseStatus;
import io.netty.handler.codec.http.HttpServerCodec;
import io.netty.handler.codec.http.HttpServerKeepAliveHandler;
import io.netty.handler.codec.http.HttpVersion;
import io.netty.handler.timeout.ReadTimeoutHandler;
import io.netty.util.concurrent.DefaultThreadFactory;
import io.numaledger.connection.ConnectionSlots;
import io.numaledger.connection.ConnectionSlots.Slot;
import io.numaledger.connection.ServerTlsHandler;
import io.numaledger.text.ControlCharacters;
import io.numaledger.tls.ReloadableKeys;

import javax.net.ssl.SSLContext;

import java.io.IOException;
import java.net.InetSocketAddress;
import java.nio.charset.StandardCharsets;
import java.util.Optional;
import java.util.concurrent.TimeUnit;
import java.util.function.Supplier;

/** Serves {@code /healthz}, {@code /readyz} and {@code /metrics}. It uses no CPU time between requests. */
public final class HealthServer implements AutoCloseable {

    private static final String TEXT = "text/plain; charset=utf-8";
    private static final String EXPOSITION = "text/plain; version=0.0.4; charset=utf-8";
    private static final int MAX_REQUEST_BYTES = 8192;
    private static final int READ_BYTES = 1024;
    private static final int IDLE_SECONDS = 60;
    private static final int CONNECTIONS = 64;

    private final EventLoopGroup thread;
    private final Channel channel;

    private HealthServer(EventLoopGroup thread, Channel channel) {
        this.thread = thread;
        this.channel = channel;
    }

    /**
     * Starts to listen.
     *
     * @param tls with it, only HTTPS is answered
     * @param metrics all metrics in Prometheus' text format
     * @throws IOException if the address cannot be listened at, or the keys not be read
     */
    public static HealthServer start(
            ListenAddress address, Optional<ReloadableKeys> tls, Freshness freshness, Supplier<String> metrics)
            throws IOException {
        Optional<SSLContext> context =
                tls.isEmpty() ? Optional.empty() : Optional.of(tls.get().context());
        ConnectionSlots slots = new ConnectionSlots(CONNECTIONS, CONNECTIONS);
        EventLoopGroup thread =
                new MultiThreadIoEventLoopGroup(1, new DefaultThreadFactory("health", true), NioIoHandler.newFactory());
        var bound = new ServerBootstrap()
                .group(thread)
                .channel(NioServerSocketChannel.class)
                .childOption(ChannelOption.RECVBUF_ALLOCATOR, new FixedRecvByteBufAllocator(READ_BYTES))
                .childHandler(new ChannelInitializer<SocketChannel>() {
                    @Override
                    protected void initChannel(SocketChannel connection) {
                        context.ifPresent(use -> connection.pipeline().addLast(new ServerTlsHandler(use, false)));
                        connection
                                .pipeline()
                                .addLast(
                                        new ReadTimeoutHandler(IDLE_SECONDS),
                                        new HttpServerCodec(),
                                        new HttpServerKeepAliveHandler(),
                                        new HttpObjectAggregator(MAX_REQUEST_BYTES),
                                        new Answers(freshness, metrics));
                        limit(connection, slots);
                    }
                })
                .bind(address.socketAddress())
                .awaitUninterruptibly();
        if (!bound.isSuccess()) {
            var unused = thread.shutdownGracefully(0, 0, TimeUnit.SECONDS);
            throw new IOException(
                    "cannot listen: address=%s:%d: %s; choose another with --listen"
                            .formatted(
                                    address.host(),
                                    address.port(),
                                    bound.cause().getMessage()),
                    bound.cause());
        }
        // Netty's thread would wake up every second unless a task is scheduled.
        var unused = thread.schedule(() -> {}, Integer.MAX_VALUE, TimeUnit.SECONDS);
        return new HealthServer(thread, bound.channel());
    }

    /** The one thread also accepts connections, so that none is ever found while its request is being answered. */
    private static void limit(SocketChannel connection, ConnectionSlots slots) {
        Slot slot = slots.take(connection.remoteAddress().getAddress(), () -> {
                    var unused = connection.pipeline().firstContext().close();
                })
                .orElseThrow();
        var unused = connection.closeFuture().addListener(closed -> slot.giveBack());
    }

    /** The port that it listens at. */
    public int port() {
        return ((InetSocketAddress) channel.localAddress()).getPort();
    }

    @Override
    public void close() {
        var unused = thread.shutdownGracefully(0, 0, TimeUnit.SECONDS);
    }

    /** The handler of one connection. */
    private static final class Answers extends SimpleChannelInboundHandler<FullHttpRequest> {

        private final Freshness freshness;
        private final Supplier<String> metrics;
        private boolean answered;

        Answers(Freshness freshness, Supplier<String> metrics) {
            this.freshness = freshness;
            this.metrics = metrics;
        }

        /** A client that sends its next request before it has the last answer is disconnected: it would keep others waiting. */
        @Override
        protected void channelRead0(ChannelHandlerContext connection, FullHttpRequest request) {
            if (answered || !connection.channel().isWritable()) {
                var unused = connection.close();
                return;
            }
            answered = true;
            var unused = connection.writeAndFlush(
                    request.decoderResult().isSuccess()
                            ? answer(request.uri().replaceFirst("\\?.*", ""))
                            : answer(HttpResponseStatus.BAD_REQUEST, TEXT, "this is no HTTP request\n"));
        }

        @Override
        public void channelReadComplete(ChannelHandlerContext connection) {
            answered = false;
            connection.fireChannelReadComplete();
        }

        private FullHttpResponse answer(String path) {
            return switch (path) {
                case "/healthz" -> verdict(freshness.hanging());
                case "/readyz" -> verdict(freshness.notReady());
                case "/metrics" -> answer(HttpResponseStatus.OK, EXPOSITION, metrics.get());
                default -> answer(HttpResponseStatus.NOT_FOUND, TEXT, "try /healthz, /readyz or /metrics\n");
            };
        }

        private static FullHttpResponse verdict(Optional<String> wrong) {
            return answer(
                    wrong.isEmpty() ? HttpResponseStatus.OK : HttpResponseStatus.SERVICE_UNAVAILABLE,
                    TEXT,
                    ControlCharacters.escaped(wrong.orElse("ok")) + "\n");
        }

        private static FullHttpResponse answer(HttpResponseStatus status, String type, String body) {
            FullHttpResponse response = new DefaultFullHttpResponse(
                    HttpVersion.HTTP_1_1, status, Unpooled.copiedBuffer(body, StandardCharsets.UTF_8));
            response.headers()
                    .set(HttpHeaderNames.CONTENT_TYPE, type)
                    .set(HttpHeaderNames.CONTENT_LENGTH, response.content().readableBytes());
            return response;
        }

        /** A caller that went away, spoke no TLS, or was silent for too long. */
        @Override
        public void exceptionCaught(ChannelHandlerContext connection, Throwable cause) {
            var unused = connection.close();
        }
    }
}
