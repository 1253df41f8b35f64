package io.numaledger.bridge.server;

import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

import javax.net.ssl.KeyManager;
import javax.net.ssl.SSLContext;
import javax.net.ssl.SSLEngine;
import javax.net.ssl.X509ExtendedKeyManager;

import java.io.ByteArrayInputStream;
import java.io.IOException;
import java.net.Socket;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.FileTime;
import java.security.GeneralSecurityException;
import java.security.KeyFactory;
import java.security.Principal;
import java.security.PrivateKey;
import java.security.cert.CertificateFactory;
import java.security.cert.X509Certificate;
import java.security.spec.PKCS8EncodedKeySpec;
import java.util.Base64;

/**
 * A server certificate and its key in two PEM files, looked at again for each new connection: a pair that was replaced is used from then
 * on, and one that cannot be read leaves the old one in place.
 */
public final class ReloadedCertificate extends X509ExtendedKeyManager {

    private static final Logger log = LoggerFactory.getLogger(ReloadedCertificate.class);
    private static final String ALIAS = "bridge";

    @SuppressWarnings("ArrayRecordComponent") // the form that X509ExtendedKeyManager hands out; never compared
    private record Pair(X509Certificate[] chain, PrivateKey key, FileTime written) {}

    private final Path certificate;
    private final Path key;
    private volatile Pair current;

    /** @throws IOException naming the files, if they hold no certificate and key */
    public ReloadedCertificate(Path certificate, Path key) throws IOException {
        this.certificate = certificate;
        this.key = key;
        this.current = read();
    }

    /** A context that serves with it. */
    public SSLContext context() {
        try {
            SSLContext context = SSLContext.getInstance("TLS");
            context.init(new KeyManager[] {this}, null, null);
            return context;
        } catch (GeneralSecurityException e) {
            throw new IllegalStateException("this JVM has no TLS", e);
        }
    }

    private FileTime written() throws IOException {
        FileTime a = Files.getLastModifiedTime(certificate);
        FileTime b = Files.getLastModifiedTime(key);
        return a.compareTo(b) > 0 ? a : b;
    }

    private Pair read() throws IOException {
        try {
            FileTime written = written();
            var certificates = CertificateFactory.getInstance("X.509")
                    .generateCertificates(new ByteArrayInputStream(Files.readAllBytes(certificate)));
            return new Pair(certificates.toArray(new X509Certificate[0]), key(Files.readString(key)), written);
        } catch (IOException | GeneralSecurityException | IllegalArgumentException e) {
            throw new IOException(
                    "cannot use the certificate: cert=%s key=%s: %s; give PEM files, the key in PKCS #8"
                            .formatted(certificate, key, e),
                    e);
        }
    }

    private static PrivateKey key(String pem) throws GeneralSecurityException {
        String base64 = pem.replaceAll("-----[A-Z ]+-----", "").replaceAll("\\s", "");
        PKCS8EncodedKeySpec spec =
                new PKCS8EncodedKeySpec(Base64.getDecoder().decode(base64.getBytes(StandardCharsets.US_ASCII)));
        GeneralSecurityException last = new GeneralSecurityException("no key algorithm fits");
        for (String algorithm : new String[] {"EC", "RSA", "Ed25519"}) {
            try {
                return KeyFactory.getInstance(algorithm).generatePrivate(spec);
            } catch (GeneralSecurityException e) {
                last = e;
            }
        }
        throw last;
    }

    private Pair current() {
        try {
            if (!written().equals(current.written())) {
                current = read();
                log.info("event=certificate.reloaded cert={}", certificate);
            }
        } catch (IOException e) {
            log.warn("event=certificate.kept why=\"{}\"", e.getMessage());
        }
        return current;
    }

    @Override
    public String chooseEngineServerAlias(String keyType, Principal[] issuers, SSLEngine engine) {
        current();
        return alias(keyType);
    }

    @SuppressWarnings("NullAway")
    private String alias(String keyType) {
        String algorithm = current.key().getAlgorithm();
        return algorithm.equals(keyType) || (algorithm.startsWith("Ed") && keyType.startsWith("Ed")) ? ALIAS : null;
    }

    @Override
    public String chooseServerAlias(String keyType, Principal[] issuers, Socket socket) {
        current();
        return alias(keyType);
    }

    @Override
    public String[] getServerAliases(String keyType, Principal[] issuers) {
        return new String[] {ALIAS};
    }

    @Override
    public X509Certificate[] getCertificateChain(String alias) {
        return current.chain().clone();
    }

    @Override
    public PrivateKey getPrivateKey(String alias) {
        return current.key();
    }

    @Override
    public String[] getClientAliases(String keyType, Principal[] issuers) {
        return new String[0];
    }

    @Override
    @SuppressWarnings("NullAway")
    public String chooseClientAlias(String[] keyTypes, Principal[] issuers, Socket socket) {
        return null;
    }
}
