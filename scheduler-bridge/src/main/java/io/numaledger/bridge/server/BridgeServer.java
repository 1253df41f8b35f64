package io.numaledger.bridge.server;

import io.netty.bootstrap.ServerBootstrap;
import io.netty.channel.Channel;
import io.netty.channel.ChannelFuture;
import io.netty.channel.ChannelInitializer;
import io.netty.channel.ChannelOption;
import io.netty.channel.EventLoopGroup;
import io.netty.channel.MultiThreadIoEventLoopGroup;
import io.netty.channel.nio.NioIoHandler;
import io.netty.channel.socket.nio.NioServerSocketChannel;
import io.netty.handler.codec.http.HttpDecoderConfig;
import io.netty.handler.codec.http.HttpServerCodec;
import io.netty.handler.codec.http.HttpServerKeepAliveHandler;
import io.netty.handler.flow.FlowControlHandler;
import io.netty.handler.ssl.SslHandler;
import io.netty.handler.timeout.ReadTimeoutHandler;
import io.netty.handler.timeout.WriteTimeoutHandler;
import io.netty.util.concurrent.DefaultThreadFactory;

import javax.net.ssl.SSLContext;
import javax.net.ssl.SSLEngine;

import java.io.IOException;
import java.net.InetSocketAddress;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Semaphore;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;

/** Serves routes over HTTPS, or over plain HTTP where that is asked for. Bodies, threads, connections and time are bounded. */
public final class BridgeServer implements AutoCloseable {

    private static final int IDLE_SECONDS = 60;
    private static final int CLOSE_SECONDS = 5;
    private static final int CHUNK_BYTES = 64 << 10;

    /**
     * What bounds a caller.
     *
     * @param maxBodyBytes a longer body gets 413; who would take all that are on their way or worked on beyond twice as many gets 503
     * @param threads how many requests that take their time are worked on at once, while more of them wait; as many threads read, and answer the
     *     others
     * @param connections how many may be open; beyond, they are closed. Each has one request worked on at a time
     * @param time for a request to come in whole, and again for its answer to go out; beyond, the connection is closed
     */
    public record Limits(int maxBodyBytes, int threads, int connections, Duration time) {

        public static final Limits DEFAULT = new Limits(64 << 20, 16, 256, Duration.ofSeconds(15));

        public Limits {
            if (maxBodyBytes < 1 || threads < 1 || connections < 1 || time.toMillis() < 1) {
                throw new IllegalArgumentException(
                        "the server's limits are 1 or more: maxBodyBytes=%d threads=%d connections=%d time=%s; raise them"
                                .formatted(maxBodyBytes, threads, connections, time));
            }
        }
    }

    /** Answers one kind of request. */
    @FunctionalInterface
    public interface Route {

        /** @throws IllegalArgumentException for a request that makes no sense: it gets 400 with the message */
        Answer answer(Request request) throws IOException;

        /** True if others would wait too long where it is answered by the thread that reads its connection. */
        default boolean takesTime() {
            return true;
        }

        /** The same, answered at once by the thread that has read the request. */
        static Route atOnce(Route route) {
            return new Route() {
                @Override
                public Answer answer(Request request) throws IOException {
                    return route.answer(request);
                }

                @Override
                public boolean takesTime() {
                    return false;
                }
            };
        }
    }

    /**
     * What was asked.
     *
     * @param rest of the path behind the route's own
     */
    @SuppressWarnings("ArrayRecordComponent") // never compared; a copy of each body would cost more than it protects
    public record Request(String method, String rest, byte[] body) {

        public String text() {
            return new String(body, StandardCharsets.UTF_8);
        }
    }

    /** What is answered. */
    @SuppressWarnings("ArrayRecordComponent") // never compared
    public record Answer(int status, String contentType, byte[] body) {

        public static Answer json(byte[] body) {
            return new Answer(200, "application/json", body);
        }

        public static Answer text(int status, String text) {
            return new Answer(status, "text/plain; charset=utf-8", (text + "\n").getBytes(StandardCharsets.UTF_8));
        }
    }

    private final EventLoopGroup readers;
    private final ExecutorService threads;
    private final AtomicInteger open = new AtomicInteger();
    private final Semaphore bodyBytes;
    private final Channel listening;

    /**
     * Takes the address; nobody is answered before {@link #start}.
     *
     * @param tls absent: plain HTTP
     * @throws IOException if the address cannot be listened at
     */
    public BridgeServer(InetSocketAddress address, Optional<SSLContext> tls, Limits limits, Map<String, Route> routes)
            throws IOException {
        this.bodyBytes = new Semaphore((int) Math.min(Integer.MAX_VALUE, 2L * limits.maxBodyBytes()));
        this.readers = new MultiThreadIoEventLoopGroup(
                limits.threads(), new DefaultThreadFactory("bridge-http", true), NioIoHandler.newFactory());
        this.threads = Executors.newFixedThreadPool(limits.threads(), new DefaultThreadFactory("bridge-route", true));
        ChannelFuture bound = new ServerBootstrap()
                .group(readers)
                .channel(NioServerSocketChannel.class)
                .option(ChannelOption.AUTO_READ, false)
                .childOption(ChannelOption.TCP_NODELAY, true)
                .childHandler(new ChannelInitializer<>() {
                    @Override
                    protected void initChannel(Channel connection) {
                        var unused = connection.closeFuture().addListener(closed -> open.decrementAndGet());
                        if (open.incrementAndGet() <= limits.connections()) {
                            prepare(connection, tls, limits, routes);
                        } else {
                            unused = connection.close();
                        }
                    }
                })
                .bind(address)
                .awaitUninterruptibly();
        if (!bound.isSuccess()) {
            close();
            throw new IOException(
                    "cannot listen: address=%s:%d: %s; choose another with --listen"
                            .formatted(
                                    address.getHostString(),
                                    address.getPort(),
                                    bound.cause().getMessage()),
                    bound.cause());
        }
        this.listening = bound.channel();
        // Netty's threads would look each second for a task to come, unless there is one.
        readers.forEach(reader -> {
            var unused = reader.schedule(() -> {}, Integer.MAX_VALUE, TimeUnit.SECONDS);
        });
    }

    private void prepare(Channel connection, Optional<SSLContext> tls, Limits limits, Map<String, Route> routes) {
        tls.ifPresent(context -> connection.pipeline().addLast(new SslHandler(engine(context))));
        RequestClock clock = new RequestClock(limits.time());
        BodyShare share = new BodyShare(bodyBytes);
        var unused = connection.closeFuture().addListener(closed -> share.end());
        connection
                .pipeline()
                .addLast(
                        new ReadTimeoutHandler(IDLE_SECONDS),
                        new WriteTimeoutHandler(limits.time().toMillis(), TimeUnit.MILLISECONDS),
                        clock,
                        new HttpServerCodec(new HttpDecoderConfig().setMaxChunkSize(CHUNK_BYTES)),
                        new HttpServerKeepAliveHandler(),
                        new WholeBody(limits.maxBodyBytes(), share),
                        new FlowControlHandler(),
                        new Conversation(routes, threads, clock, share));
    }

    private static SSLEngine engine(SSLContext context) {
        SSLEngine engine = context.createSSLEngine();
        engine.setUseClientMode(false);
        return engine;
    }

    public void start() {
        listening.config().setAutoRead(true);
    }

    /** Where it listens. */
    public InetSocketAddress address() {
        return (InetSocketAddress) listening.localAddress();
    }

    /** Nobody listens at the address any more when it returns. */
    @Override
    public void close() {
        threads.shutdownNow();
        var unused = readers.shutdownGracefully(0, 0, TimeUnit.SECONDS)
                .awaitUninterruptibly(CLOSE_SECONDS, TimeUnit.SECONDS);
    }
}
