package io.numaledger.bridge.server;

import io.netty.buffer.ByteBufUtil;
import io.netty.buffer.Unpooled;
import io.netty.channel.ChannelConfig;
import io.netty.channel.ChannelFuture;
import io.netty.channel.ChannelFutureListener;
import io.netty.channel.ChannelHandlerContext;
import io.netty.channel.SimpleChannelInboundHandler;
import io.netty.handler.codec.http.DefaultFullHttpResponse;
import io.netty.handler.codec.http.DefaultHttpResponse;
import io.netty.handler.codec.http.FullHttpRequest;
import io.netty.handler.codec.http.FullHttpResponse;
import io.netty.handler.codec.http.HttpHeaderNames;
import io.netty.handler.codec.http.HttpResponse;
import io.netty.handler.codec.http.HttpResponseStatus;
import io.netty.handler.codec.http.HttpUtil;
import io.netty.handler.codec.http.HttpVersion;
import io.numaledger.bridge.server.BridgeServer.Answer;
import io.numaledger.bridge.server.BridgeServer.Request;
import io.numaledger.bridge.server.Routes.Match;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

import java.io.IOException;
import java.util.Optional;
import java.util.concurrent.RejectedExecutionException;
import java.util.function.Consumer;

/** Serves the requests of one connection, one after another. */
final class ConnectionHandler extends SimpleChannelInboundHandler<FullHttpRequest> {

    private static final Logger log = LoggerFactory.getLogger(ConnectionHandler.class);

    private static final int RETRY_AFTER_SECONDS = 1;

    private final Routes routes;
    private final RequestTimeout timeout;
    private final RequestBodyBudget budget;
    private Optional<AnswerStream> stream = Optional.empty();

    /** @param budget gets the bytes of each body back when it is answered */
    ConnectionHandler(Routes routes, RequestTimeout timeout, RequestBodyBudget budget) {
        this.routes = routes;
        this.timeout = timeout;
        this.budget = budget;
    }

    @Override
    protected void channelRead0(ChannelHandlerContext connection, FullHttpRequest request) {
        timeout.stop();
        byte[] body = ByteBufUtil.getBytes(request.content());
        budget.handOver(body.length);
        Optional<Match> match = Routes.path(request).flatMap(routes::find);
        if (stream.filter(AnswerStream::isOpen).isPresent()) {
            budget.giveBack(body.length);
            var unused = connection.close();
            return;
        }
        if (match.isEmpty()) {
            budget.giveBack(body.length);
            var unused = connection
                    .writeAndFlush(response(Answer.text(400, "not an HTTP request")))
                    .addListener(ChannelFutureListener.CLOSE);
            return;
        }
        Match found = match.get();
        Request asked = found.request(request, connection.channel(), body);
        if (found.route().threads().isEmpty()) {
            send(connection, answer(found, asked));
            return;
        }
        connection.channel().config().setAutoRead(false);
        try {
            found.route().threads().get().execute(() -> hand(connection, answer(found, asked)));
        } catch (RejectedExecutionException tooMany) {
            budget.giveBack(body.length);
            send(connection, RequestGate.tooMany(found.prefix()));
        }
    }

    private Answer answer(Match found, Request request) {
        try {
            return found.route().answer(request);
        } catch (IllegalArgumentException e) {
            return Answer.text(400, String.valueOf(e.getMessage()));
        } catch (IOException | RuntimeException | Error e) { // else the caller waits for an answer in vain
            return RequestGate.failed(found, e);
        } finally {
            budget.giveBack(request.body().length);
        }
    }

    /** Sends an answer by the connection's thread, which has ended if the server was closed meanwhile. */
    private void hand(ChannelHandlerContext connection, Answer answer) {
        try {
            connection.executor().execute(() -> send(connection, answer));
        } catch (RejectedExecutionException closed) {
            log.debug("event=http.connection_failed error=\"{}\"", closed.toString());
        }
    }

    /** Sends an answer, for the connection's thread. The next request is read once it is sent; if that fails, no other is read. */
    private void send(ChannelHandlerContext connection, Answer answer) {
        if (answer.rest().isPresent()) {
            begin(connection, answer, answer.rest().get());
            return;
        }
        ChannelConfig config = connection.channel().config();
        ChannelFuture written = connection.writeAndFlush(response(answer));
        if (!written.isDone()) {
            config.setAutoRead(false);
        }
        var unused = written.addListener(done -> config.setAutoRead(done.isSuccess()));
    }

    private void begin(ChannelHandlerContext connection, Answer answer, Consumer<AnswerStream> rest) {
        HttpResponse head = new DefaultHttpResponse(HttpVersion.HTTP_1_1, HttpResponseStatus.valueOf(answer.status()));
        head.headers().set(HttpHeaderNames.CONTENT_TYPE, answer.contentType());
        HttpUtil.setTransferEncodingChunked(head, true);
        timeout.stream();
        AnswerStream begun = new AnswerStream(connection, timeout);
        stream = Optional.of(begun);
        var unused = connection.write(head);
        begun.send(answer.body());
        rest.accept(begun);
        connection.channel().config().setAutoRead(true); // else it is not seen that the caller disconnects
    }

    @Override
    public void channelWritabilityChanged(ChannelHandlerContext connection) {
        stream.ifPresent(AnswerStream::writabilityChanged);
        connection.fireChannelWritabilityChanged();
    }

    static FullHttpResponse response(Answer answer) {
        FullHttpResponse response = new DefaultFullHttpResponse(
                HttpVersion.HTTP_1_1,
                HttpResponseStatus.valueOf(answer.status()),
                Unpooled.wrappedBuffer(answer.body()));
        response.headers()
                .set(HttpHeaderNames.CONTENT_TYPE, answer.contentType())
                .set(HttpHeaderNames.CONTENT_LENGTH, answer.body().length);
        if (answer.status() == HttpResponseStatus.TOO_MANY_REQUESTS.code()) {
            response.headers().set(HttpHeaderNames.RETRY_AFTER, RETRY_AFTER_SECONDS);
        }
        return response;
    }

    /** The caller disconnected, used no TLS, or was silent for too long. */
    @Override
    public void exceptionCaught(ChannelHandlerContext connection, Throwable cause) {
        log.debug("event=http.connection_failed error=\"{}\"", cause.toString());
        var unused = connection.close();
    }
}
