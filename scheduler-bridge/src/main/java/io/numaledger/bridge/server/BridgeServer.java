package io.numaledger.bridge.server;

import io.netty.bootstrap.ServerBootstrap;
import io.netty.channel.AdaptiveRecvByteBufAllocator;
import io.netty.channel.Channel;
import io.netty.channel.ChannelFuture;
import io.netty.channel.ChannelHandler;
import io.netty.channel.ChannelInitializer;
import io.netty.channel.ChannelOption;
import io.netty.channel.EventLoopGroup;
import io.netty.channel.MultiThreadIoEventLoopGroup;
import io.netty.channel.RecvByteBufAllocator;
import io.netty.channel.nio.NioIoHandler;
import io.netty.channel.socket.SocketChannel;
import io.netty.channel.socket.nio.NioServerSocketChannel;
import io.netty.handler.codec.http.HttpDecoderConfig;
import io.netty.handler.codec.http.HttpHeaders;
import io.netty.handler.codec.http.HttpServerCodec;
import io.netty.handler.codec.http.HttpServerKeepAliveHandler;
import io.netty.handler.codec.http2.Http2StreamFrameToHttpObjectCodec;
import io.netty.handler.flow.FlowControlHandler;
import io.netty.handler.ssl.ApplicationProtocolNames;
import io.netty.handler.timeout.WriteTimeoutHandler;
import io.netty.util.concurrent.DefaultThreadFactory;
import io.numaledger.connection.ConnectionSlots;
import io.numaledger.connection.ConnectionSlots.Slot;
import io.numaledger.connection.ServerTlsHandler;
import io.numaledger.text.ControlCharacters;

import javax.net.ssl.SSLContext;

import java.io.IOException;
import java.net.InetSocketAddress;
import java.nio.charset.StandardCharsets;
import java.security.cert.X509Certificate;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.Executor;
import java.util.concurrent.Semaphore;
import java.util.concurrent.TimeUnit;
import java.util.function.Consumer;
import java.util.function.Predicate;
import java.util.function.Supplier;

/** Serves routes over HTTPS or plain HTTP, with limits on bodies, threads, connections and time. */
public final class BridgeServer implements AutoCloseable {

    private static final Duration PLAIN_SILENCE = Duration.ofSeconds(60);
    private static final int CLOSE_SECONDS = 5;
    private static final int CHUNK_BYTES = 64 << 10;
    private static final int MIN_READ_BYTES = 2 << 10;

    /**
     * Limits on callers.
     *
     * @param maxBodyBytes a longer body gets 413; a body that would raise the sum of all bodies above twice as many gets 503. Routes
     *     with a lower limit share a sum of their own, which is this
     * @param threads how many threads read requests and answer the fast ones
     * @param connections how many connections callers without a known client certificate may have open; a new one
     *     beyond it replaces another one, see {@link ConnectionSlots}. Each of these connections serves one request at a time
     * @param connectionsPerAddress the same for each IP address
     * @param time how long a request may take to arrive, its answer to be sent, and, over HTTPS, a caller without a known client
     *     certificate may wait before its next request; after that, the connection is closed
     */
    public record Limits(int maxBodyBytes, int threads, int connections, int connectionsPerAddress, Duration time) {

        public static final Limits DEFAULT = new Limits(64 << 20, 16, 256, 256, Duration.ofSeconds(15));

        public Limits {
            if (maxBodyBytes < 1
                    || threads < 1
                    || connections < 1
                    || connectionsPerAddress < 1
                    || time.toMillis() < 1) {
                throw new IllegalArgumentException(
                        "limits must be 1 or more: maxBodyBytes=%d threads=%d connections=%d connectionsPerAddress=%d time=%s"
                                .formatted(maxBodyBytes, threads, connections, connectionsPerAddress, time));
            }
        }
    }

    /**
     * How a server uses TLS.
     *
     * @param known which client certificates, the client's own first, belong to callers without a limit on connections
     */
    public record Tls(SSLContext context, Predicate<List<X509Certificate>> known) {}

    /** Answers the requests of one path. */
    @FunctionalInterface
    public interface Route {

        /** @throws IllegalArgumentException for an invalid request, which gets 400 with the message */
        Answer answer(Request request) throws IOException;

        /** Runs {@link #answer}; absent: the thread that read the request, which must not wait. It may reject requests. */
        default Optional<Executor> threads() {
            return Optional.empty();
        }

        /** A longer body gets 413. */
        default int maxBodyBytes() {
            return Integer.MAX_VALUE;
        }

        /**
         * Decides by the head of a request whether its body is read. The thread that reads it must not wait.
         *
         * @param head the request without its body
         */
        default HeadDecision decide(Request head) {
            return HeadDecision.ACCEPTED;
        }

        /** The given route, answered by other threads. */
        static Route on(Executor threads, Route route) {
            return new Route() {
                @Override
                public Answer answer(Request request) throws IOException {
                    return route.answer(request);
                }

                @Override
                public Optional<Executor> threads() {
                    return Optional.of(threads);
                }

                @Override
                public int maxBodyBytes() {
                    return route.maxBodyBytes();
                }

                @Override
                public HeadDecision decide(Request head) {
                    return route.decide(head);
                }
            };
        }
    }

    /**
     * A request.
     *
     * @param rest the part of the path after the route's own
     * @param query the parameters after the path
     * @param client the certificate chain that the client has the key of, its own certificate first; not verified; empty if there is none
     */
    @SuppressWarnings("ArrayRecordComponent") // never compared; a copy of each body would cost more than it protects
    public record Request(
            String method,
            String rest,
            Map<String, List<String>> query,
            HttpHeaders headers,
            List<X509Certificate> client,
            byte[] body) {

        public String text() {
            return new String(body, StandardCharsets.UTF_8);
        }
    }

    /**
     * An answer.
     *
     * @param rest gets the stream of what follows the body; absent: nothing does
     */
    @SuppressWarnings("ArrayRecordComponent") // never compared
    public record Answer(int status, String contentType, byte[] body, Optional<Consumer<AnswerStream>> rest) {

        public Answer(int status, String contentType, byte[] body) {
            this(status, contentType, body, Optional.empty());
        }

        public static Answer json(byte[] body) {
            return new Answer(200, "application/json", body);
        }

        /** An answer of one line. */
        public static Answer text(int status, String text) {
            byte[] line = (ControlCharacters.escaped(text) + "\n").getBytes(StandardCharsets.UTF_8);
            return new Answer(status, "text/plain; charset=utf-8", line);
        }
    }

    private final EventLoopGroup readers;
    private final ConnectionSlots slots;
    private final Semaphore bodyBytes;
    private final Semaphore shortBodyBytes;
    private final Channel listening;

    /**
     * Binds the address. No request is answered before {@link #start}.
     *
     * @param tls absent: plain HTTP
     * @throws IOException if the address cannot be bound
     */
    public BridgeServer(InetSocketAddress address, Optional<Tls> tls, Limits limits, Map<String, Route> routes)
            throws IOException {
        this.bodyBytes = new Semaphore((int) Math.min(Integer.MAX_VALUE, 2L * limits.maxBodyBytes()));
        this.shortBodyBytes = new Semaphore(limits.maxBodyBytes());
        this.readers = new MultiThreadIoEventLoopGroup(
                limits.threads(), new DefaultThreadFactory("bridge-http", true), NioIoHandler.newFactory());
        this.slots = new ConnectionSlots(
                limits.connections(), tls.isPresent() ? limits.connectionsPerAddress() : limits.connections());
        ChannelFuture bound = new ServerBootstrap()
                .group(readers)
                .channel(NioServerSocketChannel.class)
                .option(ChannelOption.AUTO_READ, false)
                .childOption(ChannelOption.TCP_NODELAY, true)
                .childOption(ChannelOption.RECVBUF_ALLOCATOR, readBuffer(limits.maxBodyBytes()))
                .childHandler(new ChannelInitializer<SocketChannel>() {
                    @Override
                    protected void initChannel(SocketChannel connection) {
                        Optional<Slot> slot =
                                slots.take(connection.remoteAddress().getAddress(), () -> close(connection));
                        if (slot.isPresent()) {
                            prepare(connection, slot.get(), tls, limits, routes);
                        } else {
                            close(connection);
                        }
                    }
                })
                .bind(address)
                .awaitUninterruptibly();
        if (!bound.isSuccess()) {
            close();
            throw new IOException(
                    "cannot listen: address=%s:%d: %s; choose another address with --listen"
                            .formatted(
                                    address.getHostString(),
                                    address.getPort(),
                                    bound.cause().getMessage()),
                    bound.cause());
        }
        this.listening = bound.channel();
        // Without a scheduled task, Netty's threads wake up every second.
        readers.forEach(reader -> {
            var unused = reader.schedule(() -> {}, Integer.MAX_VALUE, TimeUnit.SECONDS);
        });
    }

    /** A thread turns to its next connection after one buffer, however many requests a caller sends at once. */
    private static RecvByteBufAllocator readBuffer(int maxBodyBytes) {
        int longest = Math.max(MIN_READ_BYTES, Math.min(CHUNK_BYTES, maxBodyBytes));
        return new AdaptiveRecvByteBufAllocator(MIN_READ_BYTES, MIN_READ_BYTES, longest).maxMessagesPerRead(1);
    }

    /** Closes without a last message of TLS, which a caller that reads nothing would delay. */
    private static void close(SocketChannel connection) {
        var unused = connection.pipeline().firstContext().close();
    }

    private void prepare(
            SocketChannel connection, Slot slot, Optional<Tls> tls, Limits limits, Map<String, Route> routes) {
        var unused = connection.closeFuture().addListener(closed -> slot.giveBack());
        WriteTimeoutHandler writes = new WriteTimeoutHandler(limits.time().toMillis(), TimeUnit.MILLISECONDS);
        if (tls.isEmpty()) {
            connection.pipeline().addLast(writes);
            serveVersion1(connection, new RequestTimeout(limits.time(), PLAIN_SILENCE, slot), limits, routes);
            return;
        }
        Supplier<RequestTimeout> timeout = () -> new RequestTimeout(limits.time(), limits.time(), slot);
        connection
                .pipeline()
                .addLast(
                        new ServerTlsHandler(
                                tls.get().context(),
                                true,
                                ApplicationProtocolNames.HTTP_2,
                                ApplicationProtocolNames.HTTP_1_1),
                        new PeerCertificate(tls.get().known(), slot),
                        writes,
                        new NegotiatedVersion(
                                () -> serveVersion1(connection, timeout.get(), limits, routes),
                                () -> HttpVersion2.serve(
                                        connection,
                                        slot,
                                        timeout.get().silence(),
                                        stream -> serveVersion2(stream, timeout.get(), limits, routes))));
    }

    private void serveVersion1(Channel connection, RequestTimeout timeout, Limits limits, Map<String, Route> routes) {
        connection
                .pipeline()
                .addLast(timeout, new HttpServerCodec(new HttpDecoderConfig().setMaxChunkSize(CHUNK_BYTES)));
        serve(connection, Optional.of(new HttpServerKeepAliveHandler()), timeout, limits, routes);
    }

    private void serveVersion2(Channel stream, RequestTimeout timeout, Limits limits, Map<String, Route> routes) {
        stream.pipeline().addLast(timeout, new Http2StreamFrameToHttpObjectCodec(true));
        serve(stream, Optional.empty(), timeout, limits, routes);
    }

    private void serve(
            Channel channel,
            Optional<ChannelHandler> keepAlive,
            RequestTimeout timeout,
            Limits limits,
            Map<String, Route> routes) {
        RequestBodyBudget budget = new RequestBodyBudget(bodyBytes, shortBodyBytes);
        var unused = channel.closeFuture().addListener(closed -> budget.end());
        channel.pipeline()
                .addLast(new FlowControlHandler(), new RequestGate(new Routes(routes), limits.maxBodyBytes(), budget));
        keepAlive.ifPresent(channel.pipeline()::addLast);
        channel.pipeline()
                .addLast(
                        new BodyAggregator(limits.maxBodyBytes(), budget),
                        new ConnectionHandler(new Routes(routes), timeout, budget));
    }

    public void start() {
        listening.config().setAutoRead(true);
    }

    /** The bound address. */
    public InetSocketAddress address() {
        return (InetSocketAddress) listening.localAddress();
    }

    /** Stops serving. The address is free when this returns. */
    @Override
    public void close() {
        var unused = readers.shutdownGracefully(0, 0, TimeUnit.SECONDS)
                .awaitUninterruptibly(CLOSE_SECONDS, TimeUnit.SECONDS);
    }
}
