package io.numaledger.agent.kubelet;

import javax.net.ssl.SSLContext;
import javax.net.ssl.SSLEngine;
import javax.net.ssl.TrustManager;
import javax.net.ssl.TrustManagerFactory;
import javax.net.ssl.X509ExtendedTrustManager;

import java.io.ByteArrayInputStream;
import java.io.IOException;
import java.net.Socket;
import java.security.GeneralSecurityException;
import java.security.KeyStore;
import java.security.cert.Certificate;
import java.security.cert.CertificateFactory;
import java.security.cert.X509Certificate;
import java.util.Optional;

/** How the agent verifies the kubelet's certificate. */
final class KubeletTls {

    private KubeletTls() {}

    /**
     * Trusts only certificates that one of these CAs has signed.
     *
     * @param pem certificates; absent: those that the Java runtime trusts
     */
    static SSLContext verifying(Optional<byte[]> pem) throws IOException {
        try {
            KeyStore store = null;
            if (pem.isPresent()) {
                store = KeyStore.getInstance(KeyStore.getDefaultType());
                store.load(null, null);
                int number = 0;
                for (Certificate each : CertificateFactory.getInstance("X.509")
                        .generateCertificates(new ByteArrayInputStream(pem.get()))) {
                    store.setCertificateEntry("ca-" + number, each);
                    number++;
                }
            }
            TrustManagerFactory factory = TrustManagerFactory.getInstance(TrustManagerFactory.getDefaultAlgorithm());
            factory.init(store);
            return context(factory.getTrustManagers());
        } catch (GeneralSecurityException e) {
            throw new IOException(
                    "cannot use the kubelet's CA bundle: %s; set --kubelet-ca to a PEM file".formatted(e.getMessage()),
                    e);
        }
    }

    /** Trusts any certificate at the kubelet's address. */
    static SSLContext unverified() throws IOException {
        try {
            return context(new TrustManager[] {new Anyone()});
        } catch (GeneralSecurityException e) {
            throw new IOException("this Java runtime has no TLS: %s; use another".formatted(e.getMessage()), e);
        }
    }

    private static SSLContext context(TrustManager[] trust) throws GeneralSecurityException {
        SSLContext context = SSLContext.getInstance("TLS");
        context.init(null, trust, null);
        return context;
    }

    private static final class Anyone extends X509ExtendedTrustManager {
        @Override
        public void checkClientTrusted(X509Certificate[] chain, String type, Socket socket) {}

        @Override
        public void checkServerTrusted(X509Certificate[] chain, String type, Socket socket) {}

        @Override
        public void checkClientTrusted(X509Certificate[] chain, String type, SSLEngine engine) {}

        @Override
        public void checkServerTrusted(X509Certificate[] chain, String type, SSLEngine engine) {}

        @Override
        public void checkClientTrusted(X509Certificate[] chain, String type) {}

        @Override
        public void checkServerTrusted(X509Certificate[] chain, String type) {}

        @Override
        public X509Certificate[] getAcceptedIssuers() {
            return new X509Certificate[0];
        }
    }
}
