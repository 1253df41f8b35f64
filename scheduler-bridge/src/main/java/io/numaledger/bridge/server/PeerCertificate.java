package io.numaledger.bridge.server;

import io.netty.channel.Channel;
import io.netty.channel.ChannelHandlerContext;
import io.netty.channel.ChannelInboundHandlerAdapter;
import io.netty.handler.ssl.SslHandler;
import io.netty.handler.ssl.SslHandshakeCompletionEvent;
import io.netty.util.AttributeKey;
import io.numaledger.connection.ConnectionSlots.Slot;

import javax.net.ssl.SSLPeerUnverifiedException;

import java.security.cert.Certificate;
import java.security.cert.X509Certificate;
import java.util.ArrayList;
import java.util.List;
import java.util.function.Predicate;

/** Keeps the client certificate of one connection. A known client needs no slot. Used by the thread of its connection. */
final class PeerCertificate extends ChannelInboundHandlerAdapter {

    private static final AttributeKey<List<X509Certificate>> CHAIN = AttributeKey.valueOf("client-certificate");

    private final Predicate<List<X509Certificate>> known;
    private final Slot slot;

    PeerCertificate(Predicate<List<X509Certificate>> known, Slot slot) {
        this.known = known;
        this.slot = slot;
    }

    /** The chain that the client has the key of, not verified; empty if there is none. */
    static List<X509Certificate> of(Channel connection) {
        List<X509Certificate> chain = connection.attr(CHAIN).get();
        return chain == null ? List.of() : chain;
    }

    /** A stream has the certificate of its connection. */
    static void copy(Channel connection, Channel stream) {
        stream.attr(CHAIN).set(of(connection));
    }

    @Override
    public void userEventTriggered(ChannelHandlerContext connection, Object event) throws Exception {
        if (event instanceof SslHandshakeCompletionEvent done && done.isSuccess()) {
            List<X509Certificate> chain = sent(connection.pipeline().get(SslHandler.class));
            connection.channel().attr(CHAIN).set(chain);
            if (!chain.isEmpty() && known.test(chain)) {
                slot.giveBack();
            }
        }
        super.userEventTriggered(connection, event);
    }

    private static List<X509Certificate> sent(SslHandler tls) {
        List<X509Certificate> chain = new ArrayList<>();
        try {
            for (Certificate each : tls.engine().getSession().getPeerCertificates()) {
                if (each instanceof X509Certificate certificate) {
                    chain.add(certificate);
                }
            }
        } catch (SSLPeerUnverifiedException none) {
            return List.of();
        }
        return chain;
    }
}
