package io.numaledger.bridge.server;

import io.netty.channel.Channel;
import io.netty.channel.ChannelHandlerContext;
import io.netty.channel.ChannelInboundHandlerAdapter;
import io.netty.channel.socket.SocketChannel;
import io.netty.handler.ssl.SslHandler;
import io.netty.handler.ssl.SslHandshakeCompletionEvent;
import io.netty.util.AttributeKey;

import javax.net.ssl.SSLPeerUnverifiedException;

import java.net.InetAddress;
import java.security.cert.Certificate;
import java.security.cert.X509Certificate;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.function.Predicate;

/** Keeps the client certificate of one connection, and its slot among the unknown callers. Used by the thread of its connection. */
final class PeerCertificate extends ChannelInboundHandlerAdapter {

    private static final AttributeKey<List<X509Certificate>> CHAIN = AttributeKey.valueOf("client-certificate");

    private final ConnectionSlots slots;
    private final InetAddress address;
    private final Optional<Predicate<List<X509Certificate>>> known;
    private boolean takesSlot = true;

    /** Gives the slot back when the connection is closed, or its client is known. */
    PeerCertificate(ConnectionSlots slots, SocketChannel connection, Optional<Predicate<List<X509Certificate>>> known) {
        this.slots = slots;
        this.address = connection.remoteAddress().getAddress();
        this.known = known;
        var unused = connection.closeFuture().addListener(closed -> giveBack());
    }

    private void giveBack() {
        if (takesSlot) {
            takesSlot = false;
            slots.giveBack(address);
        }
    }

    /** The chain that the client has the key of, not verified; empty if there is none. */
    static List<X509Certificate> of(Channel connection) {
        List<X509Certificate> chain = connection.attr(CHAIN).get();
        return chain == null ? List.of() : chain;
    }

    @Override
    public void userEventTriggered(ChannelHandlerContext connection, Object event) throws Exception {
        if (event instanceof SslHandshakeCompletionEvent done && done.isSuccess()) {
            List<X509Certificate> chain = sent(connection.pipeline().get(SslHandler.class));
            connection.channel().attr(CHAIN).set(chain);
            if (!chain.isEmpty() && known.filter(clients -> clients.test(chain)).isPresent()) {
                giveBack();
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
