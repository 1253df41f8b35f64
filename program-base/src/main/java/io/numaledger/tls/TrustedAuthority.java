package io.numaledger.tls;

import org.bouncycastle.asn1.x500.RDN;
import org.bouncycastle.asn1.x500.X500Name;
import org.bouncycastle.asn1.x500.style.BCStyle;
import org.bouncycastle.asn1.x500.style.IETFUtils;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

import javax.net.ssl.SSLEngine;
import javax.net.ssl.TrustManager;
import javax.net.ssl.TrustManagerFactory;
import javax.net.ssl.X509ExtendedTrustManager;
import javax.net.ssl.X509TrustManager;

import java.io.IOException;
import java.net.Socket;
import java.security.GeneralSecurityException;
import java.security.KeyStore;
import java.security.cert.CertificateException;
import java.security.cert.X509Certificate;
import java.time.Instant;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.ConcurrentHashMap;
import java.util.stream.Stream;

/**
 * Decides whether a certificate is signed by the certificates of an authority, and for which name. The authority's certificates may
 * change at any time. Thread-safe.
 */
public final class TrustedAuthority {

    private static final Logger log = LoggerFactory.getLogger(TrustedAuthority.class);

    /** The PEM text of the authority's certificates. */
    @FunctionalInterface
    public interface Source {
        String read() throws IOException;
    }

    private final String name;
    private final Source source;
    private volatile Loaded loaded;

    /**
     * @param known the common names of certificates that were verified; each was signed by the authority, so that nobody else makes this
     *     grow
     */
    private record Loaded(String text, X509TrustManager trust, Map<X509Certificate, Optional<String>> known) {}

    /**
     * Reads the certificates.
     *
     * @param name of the source, for messages
     * @throws IOException if they cannot be read; the message names the source
     */
    public TrustedAuthority(String name, Source source) throws IOException {
        this.name = name;
        this.source = source;
        this.loaded = load();
    }

    private Loaded load() throws IOException {
        try {
            String text = source.read();
            return new Loaded(text, trusting(Pem.certificates(text)), new ConcurrentHashMap<>());
        } catch (GeneralSecurityException e) {
            throw new IOException(
                    "cannot use the client CA: %s: %s; give PEM certificates".formatted(name, e.getMessage()), e);
        }
    }

    private static X509TrustManager trusting(List<X509Certificate> certificates)
            throws GeneralSecurityException, IOException {
        KeyStore store = KeyStore.getInstance(KeyStore.getDefaultType());
        store.load(null, null);
        for (int i = 0; i < certificates.size(); i++) {
            store.setCertificateEntry("ca-" + i, certificates.get(i));
        }
        TrustManagerFactory factory = TrustManagerFactory.getInstance("PKIX");
        factory.init(store);
        for (TrustManager manager : factory.getTrustManagers()) {
            if (manager instanceof X509TrustManager trust) {
                return trust;
            }
        }
        throw new GeneralSecurityException("the Java runtime has no X.509 trust manager");
    }

    /** When the last of the authority's certificates expires. */
    public Instant expiry() {
        return Stream.of(loaded.trust().getAcceptedIssuers())
                .map(each -> each.getNotAfter().toInstant())
                .max(Instant::compareTo)
                .orElseThrow();
    }

    /** Reads the certificates again; if they are invalid, the last valid ones stay in use. Call it now and then. */
    public void refresh() {
        try {
            if (!source.read().equals(loaded.text())) {
                loaded = load();
                log.info("event=authority.reloaded source={}", name);
            }
        } catch (IOException e) {
            log.warn("event=authority.kept source={} error=\"{}\"", name, e.getMessage());
        }
    }

    /**
     * The common name of a client.
     *
     * @param chain what the client sent, its own certificate first
     * @return absent if the authority did not sign it, it is not valid now, or it is not for clients
     */
    public Optional<String> commonName(List<X509Certificate> chain) {
        return chain.isEmpty() ? Optional.empty() : verified(chain);
    }

    /**
     * Believes a server by the common name of its certificate, at whatever address it is.
     *
     * @param commonName what the server's certificate must have
     */
    public TrustManager serverNamed(String commonName) {
        return new NamedServer(commonName);
    }

    static Optional<String> commonName(X509Certificate certificate) {
        RDN[] names = X500Name.getInstance(certificate.getSubjectX500Principal().getEncoded())
                .getRDNs(BCStyle.CN);
        return names.length == 1
                ? Optional.of(IETFUtils.valueToString(names[0].getFirst().getValue()))
                : Optional.empty();
    }

    private Optional<String> verified(List<X509Certificate> chain) {
        Loaded now = loaded;
        X509Certificate client = chain.get(0);
        try {
            client.checkValidity();
            Optional<String> known = now.known().get(client);
            if (known != null) {
                return known;
            }
            now.trust()
                    .checkClientTrusted(
                            chain.toArray(new X509Certificate[0]),
                            client.getPublicKey().getAlgorithm());
            Optional<String> commonName = commonName(client);
            now.known().put(client, commonName);
            return commonName;
        } catch (CertificateException e) {
            log.debug(
                    "event=client.untrusted source={} subject=\"{}\" error=\"{}\"",
                    name,
                    client.getSubjectX500Principal(),
                    e.getMessage());
            return Optional.empty();
        }
    }

    private final class NamedServer extends X509ExtendedTrustManager {

        private final String commonName;

        NamedServer(String commonName) {
            this.commonName = commonName;
        }

        @Override
        public void checkServerTrusted(X509Certificate[] chain, String type) throws CertificateException {
            loaded.trust().checkServerTrusted(chain, type);
            if (!commonName(chain[0]).equals(Optional.of(commonName))) {
                throw new CertificateException("the server has another name: subject=%s expected=%s"
                        .formatted(chain[0].getSubjectX500Principal(), commonName));
            }
        }

        @Override
        public void checkServerTrusted(X509Certificate[] chain, String type, Socket socket)
                throws CertificateException {
            checkServerTrusted(chain, type);
        }

        @Override
        public void checkServerTrusted(X509Certificate[] chain, String type, SSLEngine engine)
                throws CertificateException {
            checkServerTrusted(chain, type);
        }

        @Override
        public void checkClientTrusted(X509Certificate[] chain, String type) throws CertificateException {
            throw new CertificateException("this is the context of a client");
        }

        @Override
        public void checkClientTrusted(X509Certificate[] chain, String type, Socket socket)
                throws CertificateException {
            checkClientTrusted(chain, type);
        }

        @Override
        public void checkClientTrusted(X509Certificate[] chain, String type, SSLEngine engine)
                throws CertificateException {
            checkClientTrusted(chain, type);
        }

        @Override
        public X509Certificate[] getAcceptedIssuers() {
            return new X509Certificate[0];
        }
    }
}
