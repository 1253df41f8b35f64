package io.numaledger.connection;

import io.netty.channel.ChannelHandlerContext;
import io.netty.handler.ssl.SslHandler;

import javax.net.ssl.SSLContext;
import javax.net.ssl.SSLEngine;
import javax.net.ssl.SSLEngineResult.HandshakeStatus;
import javax.net.ssl.SSLParameters;

import java.util.Comparator;
import java.util.concurrent.TimeUnit;
import java.util.stream.Stream;

/** The server's side of TLS on one connection. It has one handshake: a client that starts another one (TLS 1.2) is disconnected. */
public final class ServerTlsHandler extends SslHandler {

    private static final int HANDSHAKE_SECONDS = 5;

    /** Takes a quarter of the time of AES where only C1 compiles: it has no instructions for AES. */
    private static final String FIRST_SUITE = "TLS_CHACHA20_POLY1305_SHA256";

    /**
     * @param askClient whether the client is asked for a certificate
     * @param protocols that the server speaks, such as {@code h2}, the preferred one first; empty: none is negotiated
     */
    public ServerTlsHandler(SSLContext context, boolean askClient, String... protocols) {
        super(engine(context, askClient, protocols));
        setHandshakeTimeout(HANDSHAKE_SECONDS, TimeUnit.SECONDS);
    }

    private static SSLEngine engine(SSLContext context, boolean askClient, String... protocols) {
        SSLEngine engine = context.createSSLEngine();
        engine.setUseClientMode(false);
        engine.setWantClientAuth(askClient);
        engine.setEnabledCipherSuites(inOrder(engine.getEnabledCipherSuites()));
        SSLParameters parameters = engine.getSSLParameters();
        parameters.setApplicationProtocols(protocols);
        engine.setSSLParameters(parameters);
        return engine;
    }

    /** The server's order decides. */
    private static String[] inOrder(String[] suites) {
        return Stream.of(suites)
                .sorted(Comparator.comparing((String suite) -> !suite.equals(FIRST_SUITE)))
                .toArray(String[]::new);
    }

    @Override
    public void channelReadComplete(ChannelHandlerContext connection) throws Exception {
        super.channelReadComplete(connection);
        if (renegotiates()) {
            var unused = connection.close();
        }
    }

    /** TLS 1.3 has no renegotiation. */
    private boolean renegotiates() {
        return handshakeFuture().isSuccess()
                && engine().getHandshakeStatus() != HandshakeStatus.NOT_HANDSHAKING
                && engine().getSession().getProtocol().equals("TLSv1.2");
    }
}
