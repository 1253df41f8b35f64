package io.numaledger.bridge.server;

import io.netty.channel.ChannelHandlerContext;
import io.netty.channel.ChannelInboundHandlerAdapter;
import io.netty.util.concurrent.Future;
import org.jspecify.annotations.Nullable;

import java.time.Duration;
import java.util.concurrent.TimeUnit;

/** Closes a connection whose request does not arrive in time, from its first byte on. Used by the thread of its connection. */
final class RequestTimeout extends ChannelInboundHandlerAdapter {

    private final long nanos;
    private @Nullable Future<?> running;

    RequestTimeout(Duration time) {
        this.nanos = time.toNanos();
    }

    @Override
    public void channelRead(ChannelHandlerContext connection, Object bytes) {
        if (running == null) {
            running = connection.executor().schedule(() -> cut(connection), nanos, TimeUnit.NANOSECONDS);
        }
        connection.fireChannelRead(bytes);
    }

    private static void cut(ChannelHandlerContext connection) {
        var unused = connection.close();
    }

    /** The request has arrived. */
    void stop() {
        if (running != null) {
            running.cancel(false);
            running = null;
        }
    }

    @Override
    public void channelInactive(ChannelHandlerContext connection) {
        stop();
        connection.fireChannelInactive();
    }
}
