package io.numaledger.bridge.server;

import io.netty.channel.ChannelDuplexHandler;
import io.netty.channel.ChannelHandlerContext;
import io.netty.channel.ChannelPromise;
import io.netty.handler.ssl.SslHandshakeCompletionEvent;
import io.netty.util.concurrent.Future;
import io.numaledger.connection.ConnectionSlots.Slot;
import org.jspecify.annotations.Nullable;

import java.time.Duration;
import java.util.concurrent.TimeUnit;

/**
 * Closes a connection that waits too long for its next request, or whose request does not arrive in time, from its first byte on. Tells
 * the connection's slot when the server works on a request. Used by the thread of its connection.
 *
 * <pre>
 * WAITING    first byte of a request: ARRIVING
 * ARRIVING   the request is complete ({@link #stop}): ANSWERING
 * ANSWERING  first byte of the answer: WAITING; an answer in parts ({@link #stream}): STREAMING
 * STREAMING  before the last part ({@link #stop}): ANSWERING
 * </pre>
 */
final class RequestTimeout extends ChannelDuplexHandler {

    private enum Phase {
        WAITING,
        ARRIVING,
        ANSWERING,
        STREAMING
    }

    private static final Duration SILENCE_OF_KNOWN = Duration.ofSeconds(60);

    private final Duration arrival;
    private final Duration silence;
    private final Slot slot;
    private Phase phase = Phase.WAITING;
    private @Nullable Future<?> running;

    /**
     * @param arrival how long a request may take to arrive
     * @param silence how long a connection that has a slot may wait for its next request
     */
    RequestTimeout(Duration arrival, Duration silence, Slot slot) {
        this.arrival = arrival;
        this.silence = silence;
        this.slot = slot;
    }

    @Override
    public void handlerAdded(ChannelHandlerContext connection) {
        awaitRequest(connection);
    }

    @Override
    public void userEventTriggered(ChannelHandlerContext connection, Object event) {
        if (event instanceof SslHandshakeCompletionEvent) {
            awaitRequest(connection);
        }
        connection.fireUserEventTriggered(event);
    }

    private void awaitRequest(ChannelHandlerContext connection) {
        phase = Phase.WAITING;
        closeAfter(silence(), connection);
    }

    /** How long the connection may wait for its next request. */
    Duration silence() {
        return slot.isTaken() ? silence : SILENCE_OF_KNOWN;
    }

    @Override
    public void channelRead(ChannelHandlerContext connection, Object bytes) {
        if (phase == Phase.WAITING) {
            phase = Phase.ARRIVING;
            closeAfter(arrival, connection);
        }
        connection.fireChannelRead(bytes);
    }

    private void closeAfter(Duration time, ChannelHandlerContext connection) {
        cancel();
        running = connection.executor().schedule(() -> cut(connection), time.toNanos(), TimeUnit.NANOSECONDS);
    }

    private static void cut(ChannelHandlerContext connection) {
        var unused = connection.close();
    }

    private void cancel() {
        if (running != null) {
            running.cancel(false);
            running = null;
        }
    }

    /** The request has arrived. */
    void stop() {
        phase = Phase.ANSWERING;
        slot.answering();
        cancel();
    }

    /** The answer takes as long as it takes. */
    void stream() {
        phase = Phase.STREAMING;
    }

    @Override
    public void write(ChannelHandlerContext connection, Object bytes, ChannelPromise written) {
        if (phase == Phase.ANSWERING) {
            slot.waiting();
            awaitRequest(connection);
        }
        var unused = connection.write(bytes, written);
    }

    @Override
    public void channelInactive(ChannelHandlerContext connection) {
        cancel();
        connection.fireChannelInactive();
    }
}
