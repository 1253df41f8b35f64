package io.numaledger.agent.health;

import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

import javax.net.ssl.KeyManager;
import javax.net.ssl.SSLContext;
import javax.net.ssl.SSLEngine;
import javax.net.ssl.X509ExtendedKeyManager;

import java.io.IOException;
import java.net.Socket;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.FileTime;
import java.security.GeneralSecurityException;
import java.security.Principal;
import java.security.PrivateKey;
import java.security.cert.X509Certificate;
import java.util.List;

/** A certificate and its key from PEM files; a renewed pair is served from the next connection on. */
public final class TlsKeys {

    private static final Logger log = LoggerFactory.getLogger(TlsKeys.class);

    private final Path certificate;
    private final Path key;
    private X509ExtendedKeyManager current;
    private List<FileTime> writtenAt;

    private TlsKeys(Path certificate, Path key) throws IOException, GeneralSecurityException {
        this.certificate = certificate;
        this.key = key;
        this.writtenAt = times();
        this.current = PemKeys.read(certificate, key);
    }

    /**
     * Reads both files.
     *
     * @param key an unencrypted PKCS #8 key
     * @throws IOException if either cannot be used; the message names both
     */
    public static TlsKeys read(Path certificate, Path key) throws IOException {
        try {
            return new TlsKeys(certificate, key);
        } catch (IOException | GeneralSecurityException | IllegalArgumentException e) {
            throw new IOException(
                    "cannot use the keys for TLS: certificate=%s key=%s: %s; give PEM files, the key in PKCS #8"
                            .formatted(certificate, key, e.getMessage()),
                    e);
        }
    }

    SSLContext context() throws IOException {
        try {
            SSLContext context = SSLContext.getInstance("TLS");
            context.init(new KeyManager[] {new Latest()}, null, null);
            return context;
        } catch (GeneralSecurityException e) {
            throw new IOException("this Java runtime has no TLS: %s; use another".formatted(e.getMessage()), e);
        }
    }

    private List<FileTime> times() throws IOException {
        return List.of(Files.getLastModifiedTime(certificate), Files.getLastModifiedTime(key));
    }

    /** A pair that cannot be read, such as one half written, leaves the last one in use. */
    private synchronized X509ExtendedKeyManager latest() {
        try {
            List<FileTime> times = times();
            if (!times.equals(writtenAt)) {
                writtenAt = times;
                current = PemKeys.read(certificate, key);
                log.info("event=health.keys_renewed certificate={}", certificate);
            }
        } catch (IOException | GeneralSecurityException | IllegalArgumentException e) {
            log.warn("event=health.keys_unusable certificate={} key={} reason='{}'", certificate, key, e.getMessage());
        }
        return current;
    }

    private final class Latest extends X509ExtendedKeyManager {

        @Override
        public String chooseEngineServerAlias(String type, Principal[] issuers, SSLEngine engine) {
            return latest().chooseEngineServerAlias(type, issuers, engine);
        }

        @Override
        public String chooseServerAlias(String type, Principal[] issuers, Socket socket) {
            return latest().chooseServerAlias(type, issuers, socket);
        }

        @Override
        public X509Certificate[] getCertificateChain(String alias) {
            return latest().getCertificateChain(alias);
        }

        @Override
        public PrivateKey getPrivateKey(String alias) {
            return latest().getPrivateKey(alias);
        }

        @Override
        public String[] getServerAliases(String type, Principal[] issuers) {
            return latest().getServerAliases(type, issuers);
        }

        @Override
        public String[] getClientAliases(String type, Principal[] issuers) {
            return new String[0];
        }

        @Override
        public String chooseClientAlias(String[] types, Principal[] issuers, Socket socket) {
            return null;
        }
    }
}
