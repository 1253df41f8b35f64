package io.numaledger.bridge.server;

import io.netty.channel.Channel;
import io.netty.channel.ChannelHandlerContext;
import io.netty.channel.ChannelInboundHandlerAdapter;
import io.netty.channel.ChannelInitializer;
import io.netty.handler.codec.http2.Http2Connection;
import io.netty.handler.codec.http2.Http2ConnectionAdapter;
import io.netty.handler.codec.http2.Http2FrameCodec;
import io.netty.handler.codec.http2.Http2FrameCodecBuilder;
import io.netty.handler.codec.http2.Http2FrameStreamException;
import io.netty.handler.codec.http2.Http2MultiplexHandler;
import io.netty.handler.codec.http2.Http2Settings;
import io.netty.handler.codec.http2.Http2Stream;
import io.netty.util.concurrent.Future;
import io.numaledger.connection.ConnectionSlots.Slot;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

import java.time.Duration;
import java.util.concurrent.TimeUnit;
import java.util.function.Consumer;

/**
 * HTTP/2 on one connection: each of its streams is a channel with one request. Closes the connection that waits too long for its next
 * request. kube-scheduler opens a connection for each call beyond two at a time over HTTP/1.1, and one for all over HTTP/2. Used by the thread
 * of its connection.
 */
final class HttpVersion2 extends Http2ConnectionAdapter {

    /** kube-scheduler binds pods at the same time. */
    private static final int STREAMS_OF_KNOWN = 250;

    private static final int WINDOW_BYTES = 1 << 20;

    /** Netty counts the streams that a caller resets, and not each one that it makes the server reset. */
    private static final int MAX_STREAM_ERRORS = 100;

    private static final Logger log = LoggerFactory.getLogger(HttpVersion2.class);

    private final Channel connection;
    private final Http2Connection streams;
    private final Duration silence;
    private @Nullable Future<?> closing;

    private HttpVersion2(Channel connection, Http2Connection streams, Duration silence) {
        this.connection = connection;
        this.streams = streams;
        this.silence = silence;
    }

    /**
     * Serves a connection.
     *
     * @param slot a connection that has one serves one request at a time
     * @param silence how long it may wait for its next request
     * @param stream prepares the channel of a request, whose messages are those of HTTP/2
     */
    static void serve(Channel connection, Slot slot, Duration silence, Consumer<Channel> stream) {
        Http2FrameCodec codec = Http2FrameCodecBuilder.forServer()
                .initialSettings(Http2Settings.defaultSettings()
                        .maxConcurrentStreams(slot.isTaken() ? 1 : STREAMS_OF_KNOWN)
                        .initialWindowSize(WINDOW_BYTES))
                .build();
        HttpVersion2 http = new HttpVersion2(connection, codec.connection(), silence);
        codec.connection().addListener(http);
        http.awaitRequest();
        var unused = connection.closeFuture().addListener(closed -> http.cancel());
        connection
                .pipeline()
                .addLast(
                        codec,
                        new StreamErrors(),
                        new Http2MultiplexHandler(new ChannelInitializer<>() {
                            @Override
                            protected void initChannel(Channel channel) {
                                PeerCertificate.copy(connection, channel);
                                stream.accept(channel);
                            }
                        }),
                        new Last());
    }

    private void awaitRequest() {
        cancel();
        closing = connection.eventLoop().schedule(this::close, silence.toNanos(), TimeUnit.NANOSECONDS);
    }

    private void close() {
        var unused = connection.close();
    }

    @Override
    public void onStreamActive(Http2Stream stream) {
        cancel();
    }

    @Override
    public void onStreamClosed(Http2Stream stream) {
        if (streams.numActiveStreams() == 0 && connection.isActive()) {
            awaitRequest();
        }
    }

    private void cancel() {
        if (closing != null) {
            closing.cancel(false);
            closing = null;
        }
    }

    /** Closes the connection of a caller that breaks the protocol on many streams, at once and without a last message. */
    private static final class StreamErrors extends ChannelInboundHandlerAdapter {

        private int count;

        @Override
        public void exceptionCaught(ChannelHandlerContext connection, Throwable cause) {
            if (cause instanceof Http2FrameStreamException && ++count > MAX_STREAM_ERRORS) {
                var unused = connection.pipeline().firstContext().close();
            } else {
                connection.fireExceptionCaught(cause);
            }
        }
    }

    private static final class Last extends ChannelInboundHandlerAdapter {

        /** The caller disconnected, or sent no HTTP/2. */
        @Override
        public void exceptionCaught(ChannelHandlerContext connection, Throwable cause) {
            log.debug("event=http.connection_failed error=\"{}\"", cause.toString());
            var unused = connection.close();
        }
    }
}
