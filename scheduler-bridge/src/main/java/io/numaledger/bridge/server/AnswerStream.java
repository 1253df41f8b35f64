package io.numaledger.bridge.server;

import io.netty.buffer.Unpooled;
import io.netty.channel.Channel;
import io.netty.channel.ChannelHandlerContext;
import io.netty.handler.codec.http.DefaultHttpContent;
import io.netty.handler.codec.http.DefaultLastHttpContent;

/**
 * The rest of an answer that is sent in parts. Any thread may use it. Parts that the caller does not read stay in memory: send one only
 * while the stream is writable.
 */
public final class AnswerStream {

    private final ChannelHandlerContext connection;
    private final RequestTimeout timeout;
    private volatile boolean ended;
    private volatile Runnable writable = () -> {};

    AnswerStream(ChannelHandlerContext connection, RequestTimeout timeout) {
        this.connection = connection;
        this.timeout = timeout;
    }

    /** False when the caller has disconnected, too. */
    public boolean isOpen() {
        return !ended && connection.channel().isActive();
    }

    /** Whether the caller has read almost all parts. */
    public boolean isWritable() {
        return isOpen() && connection.channel().isWritable();
    }

    /** @param task called when the caller has read parts, by a thread that must not wait */
    public void onWritable(Runnable task) {
        writable = task;
    }

    void writabilityChanged() {
        if (isWritable()) {
            writable.run();
        }
    }

    public void send(byte[] part) {
        var unused = connection.writeAndFlush(new DefaultHttpContent(Unpooled.wrappedBuffer(part)));
    }

    /** The answer is complete. */
    public void end() {
        ended = true;
        connection.executor().execute(() -> {
            timeout.stop();
            var unused = connection
                    .writeAndFlush(new DefaultLastHttpContent())
                    .addListener(done -> connection.channel().config().setAutoRead(done.isSuccess()));
        });
    }

    /** The answer stays incomplete, and its connection or stream is closed. */
    public void cut() {
        ended = true;
        Channel channel = connection.channel();
        channel.eventLoop().execute(() -> {
            var unused = channel.close();
        });
    }
}
