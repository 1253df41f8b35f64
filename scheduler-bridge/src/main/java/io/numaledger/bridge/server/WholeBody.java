package io.numaledger.bridge.server;

import io.netty.channel.ChannelFutureListener;
import io.netty.channel.ChannelHandlerContext;
import io.netty.handler.codec.http.HttpMessage;
import io.netty.handler.codec.http.HttpObjectAggregator;
import io.numaledger.bridge.server.BridgeServer.Answer;

/** Puts a request's parts together. One that is too long is told so, and its connection closed. */
final class WholeBody extends HttpObjectAggregator {

    WholeBody(int maxBytes) {
        super(maxBytes, true);
    }

    @Override
    protected void handleOversizedMessage(ChannelHandlerContext connection, HttpMessage tooLong) {
        var unused = connection
                .writeAndFlush(Conversation.response(Answer.text(
                        413, "the body is too long: limit=%d bytes; send less".formatted(maxContentLength()))))
                .addListener(ChannelFutureListener.CLOSE);
    }
}
