package io.numaledger.bridge.server;

import io.netty.channel.ChannelFuture;
import io.netty.channel.ChannelFutureListener;
import io.netty.channel.ChannelHandlerContext;
import io.netty.channel.ChannelInboundHandlerAdapter;
import io.netty.handler.codec.http.FullHttpResponse;
import io.netty.handler.codec.http.HttpContent;
import io.netty.handler.codec.http.HttpHeaderNames;
import io.netty.handler.codec.http.HttpHeaderValues;
import io.netty.handler.codec.http.HttpRequest;
import io.netty.handler.codec.http.HttpUtil;
import io.netty.handler.codec.http.LastHttpContent;
import io.netty.util.ReferenceCountUtil;
import io.numaledger.bridge.server.BridgeServer.Answer;
import io.numaledger.bridge.server.HeadDecision.Accepted;
import io.numaledger.bridge.server.HeadDecision.Refused;
import io.numaledger.bridge.server.HeadDecision.Undecided;
import io.numaledger.bridge.server.Routes.Match;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

import java.io.IOException;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.TimeUnit;

/**
 * Lets only those requests pass whose body may be read. Answers the others when their head has arrived. What a refused caller sends
 * after that is dropped, for a moment, so that it can read the answer; then its connection is closed. Used by the thread of its
 * connection, and behind a FlowControlHandler: no part of a request may come while others are asked about it.
 */
final class RequestGate extends ChannelInboundHandlerAdapter {

    private static final Logger log = LoggerFactory.getLogger(RequestGate.class);
    private static final int DROP_SECONDS = 1;
    private static final byte[] NO_BODY = {};

    private final Routes routes;
    private final int maxBodyBytes;
    private final RequestBodyBudget budget;
    private int limit;
    private long read;
    private @Nullable ChannelFuture refused;

    /** @param maxBodyBytes of all routes; a route may take less */
    RequestGate(Routes routes, int maxBodyBytes, RequestBodyBudget budget) {
        this.routes = routes;
        this.budget = budget;
        this.maxBodyBytes = maxBodyBytes;
    }

    @Override
    public void channelRead(ChannelHandlerContext connection, Object message) {
        if (refused == null && message instanceof HttpRequest head) {
            decide(connection, head);
        } else if (refused == null && fits(message)) {
            connection.fireChannelRead(message);
        } else {
            ReferenceCountUtil.release(message);
            if (refused == null) {
                refuse(connection, tooLong());
            }
        }
        if (refused != null && message instanceof LastHttpContent) {
            var unused = refused.addListener(ChannelFutureListener.CLOSE);
        }
    }

    private boolean fits(Object message) {
        read += message instanceof HttpContent part ? part.content().readableBytes() : 0;
        return read <= limit;
    }

    private void decide(ChannelHandlerContext connection, HttpRequest head) {
        Optional<String> path = Routes.path(head);
        Optional<Match> match = path.flatMap(routes::find);
        if (match.isEmpty()) {
            ReferenceCountUtil.release(head);
            refuse(
                    connection,
                    path.map(missing -> Answer.text(404, "not found: path=%s".formatted(missing)))
                            .orElse(Answer.text(400, "not an HTTP request")));
            return;
        }
        Match found = match.get();
        limit = Math.min(maxBodyBytes, found.route().maxBodyBytes());
        read = 0;
        budget.begin(limit == maxBodyBytes);
        HeadDecision decision = decision(found, head, connection);
        if (decision instanceof Refused no) {
            refuse(connection, no.answer());
        } else if (HttpUtil.getContentLength(head, 0L) > limit) {
            refuse(connection, tooLong());
        } else if (decision instanceof Undecided undecided) {
            ask(connection, head, found, undecided);
        } else if (decision instanceof Accepted) {
            connection.fireChannelRead(head);
        }
    }

    private static HeadDecision decision(Match found, HttpRequest head, ChannelHandlerContext connection) {
        try {
            return found.route().decide(found.request(head, connection.channel(), NO_BODY));
        } catch (RuntimeException | Error e) {
            return new Refused(failed(found, e));
        }
    }

    private void ask(ChannelHandlerContext connection, HttpRequest head, Match found, Undecided undecided) {
        connection.channel().config().setAutoRead(false);
        try {
            var unused = CompletableFuture.supplyAsync(
                            () -> refusal(found, undecided),
                            found.route().threads().orElse(Runnable::run))
                    .thenAcceptAsync(refusal -> decided(connection, head, refusal), connection.executor());
        } catch (RejectedExecutionException tooMany) {
            refuse(connection, tooMany(found.prefix()));
        }
    }

    private static Optional<Answer> refusal(Match found, Undecided undecided) {
        try {
            return undecided.review().refusal();
        } catch (IOException | RuntimeException | Error e) {
            return Optional.of(failed(found, e));
        }
    }

    private void decided(ChannelHandlerContext connection, HttpRequest head, Optional<Answer> refusal) {
        if (refusal.isPresent()) {
            refuse(connection, refusal.get());
        } else {
            connection.fireChannelRead(head);
            connection.channel().config().setAutoRead(true);
        }
    }

    private void refuse(ChannelHandlerContext connection, Answer answer) {
        FullHttpResponse response = ConnectionHandler.response(answer);
        response.headers().set(HttpHeaderNames.CONNECTION, HttpHeaderValues.CLOSE);
        refused = connection.writeAndFlush(response);
        connection.channel().config().setAutoRead(true);
        var unused = connection.executor().schedule(() -> close(connection), DROP_SECONDS, TimeUnit.SECONDS);
    }

    private static void close(ChannelHandlerContext connection) {
        var unused = connection.close();
    }

    private Answer tooLong() {
        return Answer.text(413, "request body too long: limit=%d bytes".formatted(limit));
    }

    static Answer tooMany(String path) {
        return Answer.text(429, "too many requests at once: path=%s; retry later".formatted(path));
    }

    static Answer failed(Match found, Throwable e) {
        log.error("event=http.failed path={}", found.prefix(), e);
        return Answer.text(500, "internal error: path=%s: %s; see the log of the bridge".formatted(found.prefix(), e));
    }
}
