package io.numaledger.bridge.server;

import io.netty.channel.ChannelHandlerContext;
import io.netty.channel.ChannelInboundHandlerAdapter;
import io.netty.handler.ssl.ApplicationProtocolNames;
import io.netty.handler.ssl.SslHandler;
import io.netty.handler.ssl.SslHandshakeCompletionEvent;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** Serves a connection by the version of HTTP that the handshake of TLS has chosen. Used by the thread of its connection. */
final class NegotiatedVersion extends ChannelInboundHandlerAdapter {

    private static final Logger log = LoggerFactory.getLogger(NegotiatedVersion.class);

    private final Runnable version1;
    private final Runnable version2;

    NegotiatedVersion(Runnable version1, Runnable version2) {
        this.version1 = version1;
        this.version2 = version2;
    }

    @Override
    public void userEventTriggered(ChannelHandlerContext connection, Object event) {
        if (event instanceof SslHandshakeCompletionEvent done && done.isSuccess()) {
            SslHandler tls = connection.pipeline().get(SslHandler.class);
            boolean is2 = ApplicationProtocolNames.HTTP_2.equals(tls.engine().getApplicationProtocol());
            (is2 ? version2 : version1).run();
            connection.pipeline().remove(this);
        }
        connection.fireUserEventTriggered(event);
    }

    /** The caller disconnected, or used no TLS. */
    @Override
    public void exceptionCaught(ChannelHandlerContext connection, Throwable cause) {
        log.debug("event=http.connection_failed error=\"{}\"", cause.toString());
        var unused = connection.close();
    }
}
