package io.numaledger.e2e.install;

import io.fabric8.kubernetes.api.model.Secret;
import io.fabric8.kubernetes.client.KubernetesClient;
import io.numaledger.tls.Pem;

import javax.net.ssl.KeyManagerFactory;
import javax.net.ssl.SSLContext;
import javax.net.ssl.SSLEngine;
import javax.net.ssl.TrustManager;
import javax.net.ssl.X509ExtendedTrustManager;

import java.io.IOException;
import java.net.Socket;
import java.nio.charset.StandardCharsets;
import java.security.GeneralSecurityException;
import java.security.KeyStore;
import java.security.cert.Certificate;
import java.security.cert.X509Certificate;
import java.util.Base64;

/** TLS clients of an installed bridge. They accept every server certificate: calls go to addresses of replicas, not to the Service. */
final class BridgeClients {

    private static final char[] PASSWORD = new char[0];

    private BridgeClients() {}

    /** With the certificate of the chart's scheduler. */
    static SSLContext scheduler(KubernetesClient client) throws GeneralSecurityException, IOException {
        Secret secret = client.secrets()
                .inNamespace("numaledger")
                .withName("numaledger-bridge-client")
                .get();
        KeyStore store = empty();
        store.setKeyEntry(
                "scheduler",
                Pem.privateKey(text(secret, "tls.key")),
                PASSWORD,
                Pem.certificates(text(secret, "tls.crt")).toArray(Certificate[]::new));
        return context(store);
    }

    static SSLContext withoutCertificate() throws GeneralSecurityException, IOException {
        return context(empty());
    }

    private static KeyStore empty() throws GeneralSecurityException, IOException {
        KeyStore store = KeyStore.getInstance("PKCS12");
        store.load(null, null);
        return store;
    }

    private static SSLContext context(KeyStore store) throws GeneralSecurityException {
        KeyManagerFactory keys = KeyManagerFactory.getInstance(KeyManagerFactory.getDefaultAlgorithm());
        keys.init(store, PASSWORD);
        SSLContext context = SSLContext.getInstance("TLS");
        context.init(keys.getKeyManagers(), new TrustManager[] {new AcceptingTrustManager()}, null);
        return context;
    }

    private static String text(Secret secret, String key) {
        return new String(Base64.getDecoder().decode(secret.getData().get(key)), StandardCharsets.UTF_8);
    }

    private static final class AcceptingTrustManager extends X509ExtendedTrustManager {
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
