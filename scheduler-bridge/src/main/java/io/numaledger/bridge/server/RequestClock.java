package io.numaledger.bridge.server;

import io.netty.channel.ChannelHandlerContext;
import io.netty.channel.ChannelInboundHandlerAdapter;
import io.netty.util.concurrent.Future;

import java.time.Duration;
import java.util.concurrent.TimeUnit;

/** Closes a connection whose request is not whole some time after its first byte. Of one connection, used by its thread only. */
final class RequestClock extends ChannelInboundHandlerAdapter {

    private final long nanos;
    private Future<?> running;

    RequestClock(Duration time) {
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

    /** The request is whole. */
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
