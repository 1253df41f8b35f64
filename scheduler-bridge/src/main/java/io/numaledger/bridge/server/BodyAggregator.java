package io.numaledger.bridge.server;

import io.netty.channel.ChannelFutureListener;
import io.netty.channel.ChannelHandlerContext;
import io.netty.handler.codec.http.FullHttpMessage;
import io.netty.handler.codec.http.HttpContent;
import io.netty.handler.codec.http.HttpMessage;
import io.netty.handler.codec.http.HttpObjectAggregator;
import io.numaledger.bridge.server.BridgeServer.Answer;

import java.io.IOException;

/** Puts the parts of a request together. Refuses a body that is too long, alone or with all others, and closes its connection. */
final class BodyAggregator extends HttpObjectAggregator {

    private final RequestBodyBudget budget;

    BodyAggregator(int maxBytes, RequestBodyBudget budget) {
        super(maxBytes, true);
        this.budget = budget;
    }

    @Override
    protected void aggregate(FullHttpMessage request, HttpContent part) throws Exception {
        if (!budget.take(part.content().readableBytes())) {
            throw new BudgetExceededException();
        }
        super.aggregate(request, part);
    }

    @Override
    protected void handleOversizedMessage(ChannelHandlerContext connection, HttpMessage tooLong) {
        refuse(connection, 413, "request body too long: limit=%d bytes".formatted(maxContentLength()));
    }

    @Override
    public void exceptionCaught(ChannelHandlerContext connection, Throwable cause) throws Exception {
        if (cause.getCause() instanceof BudgetExceededException) {
            refuse(connection, 503, "server overloaded: request-body limit reached; retry later");
        } else {
            super.exceptionCaught(connection, cause);
        }
    }

    private static void refuse(ChannelHandlerContext connection, int status, String why) {
        var unused = connection
                .writeAndFlush(ConnectionHandler.response(Answer.text(status, why)))
                .addListener(ChannelFutureListener.CLOSE);
    }

    private static final class BudgetExceededException extends IOException {

        private static final long serialVersionUID = 1;
    }
}
