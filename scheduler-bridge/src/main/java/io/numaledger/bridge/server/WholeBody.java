package io.numaledger.bridge.server;

import io.netty.channel.ChannelFutureListener;
import io.netty.channel.ChannelHandlerContext;
import io.netty.handler.codec.http.FullHttpMessage;
import io.netty.handler.codec.http.HttpContent;
import io.netty.handler.codec.http.HttpMessage;
import io.netty.handler.codec.http.HttpObjectAggregator;
import io.numaledger.bridge.server.BridgeServer.Answer;

import java.io.IOException;

/** Puts a request's parts together. One that is too long, alone or with the others on their way, is told so and its connection closed. */
final class WholeBody extends HttpObjectAggregator {

    private final BodyShare share;

    WholeBody(int maxBytes, BodyShare share) {
        super(maxBytes, true);
        this.share = share;
    }

    @Override
    protected void aggregate(FullHttpMessage request, HttpContent part) throws Exception {
        if (!share.take(part.content().readableBytes())) {
            throw new NoRoomException();
        }
        super.aggregate(request, part);
    }

    @Override
    protected void handleOversizedMessage(ChannelHandlerContext connection, HttpMessage tooLong) {
        refuse(connection, 413, "the body is too long: limit=%d bytes; send less".formatted(maxContentLength()));
    }

    @Override
    public void exceptionCaught(ChannelHandlerContext connection, Throwable cause) throws Exception {
        if (cause.getCause() instanceof NoRoomException) {
            refuse(connection, 503, "too much is being asked at once; ask again");
        } else {
            super.exceptionCaught(connection, cause);
        }
    }

    private static void refuse(ChannelHandlerContext connection, int status, String why) {
        var unused = connection
                .writeAndFlush(Conversation.response(Answer.text(status, why)))
                .addListener(ChannelFutureListener.CLOSE);
    }

    private static final class NoRoomException extends IOException {

        private static final long serialVersionUID = 1;
    }
}
