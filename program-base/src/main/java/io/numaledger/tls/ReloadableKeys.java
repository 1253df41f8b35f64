package io.numaledger.tls;

import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

import javax.net.ssl.KeyManager;
import javax.net.ssl.SSLContext;
import javax.net.ssl.SSLEngine;
import javax.net.ssl.TrustManager;
import javax.net.ssl.X509ExtendedKeyManager;
import javax.net.ssl.X509ExtendedTrustManager;

import java.io.IOException;
import java.net.Socket;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.nio.file.attribute.FileTime;
import java.security.GeneralSecurityException;
import java.security.Principal;
import java.security.PrivateKey;
import java.security.cert.CertificateException;
import java.security.cert.X509Certificate;
import java.time.Instant;
import java.util.List;
import java.util.Optional;
import java.util.stream.Stream;

/**
 * A server's certificate and private key in PEM files. New connections use changed files without a restart. If changed files are
 * invalid, the last valid certificate and key stay in use. Thread-safe.
 */
public final class ReloadableKeys {

    private static final Logger log = LoggerFactory.getLogger(ReloadableKeys.class);

    private final Path certificate;
    private final Path key;
    private Loaded current;
    private Loaded previous;
    private Optional<String> reported = Optional.empty();

    /** One content of the files. A handshake that began with it also ends with it: its alias is in no other. */
    private record Loaded(int generation, X509ExtendedKeyManager keys, List<FileTime> writtenAt) {
        String alias() {
            return alias(generation);
        }

        static String alias(int generation) {
            return "server-" + generation;
        }
    }

    private ReloadableKeys(Path certificate, Path key) throws IOException, GeneralSecurityException {
        this.certificate = certificate;
        this.key = key;
        List<FileTime> times = times();
        this.current = new Loaded(0, PemKeys.read(certificate, key, Loaded.alias(0)), times);
        this.previous = current;
    }

    /**
     * Reads both files, which may be the same.
     *
     * @param certificate the server's certificate, then its issuers
     * @param key an unencrypted private key in PKCS #8, PKCS #1 or SEC 1
     * @throws IOException if a file is missing or invalid; the message names both files
     */
    public static ReloadableKeys read(Path certificate, Path key) throws IOException {
        try {
            return new ReloadableKeys(certificate, key);
        } catch (IOException | GeneralSecurityException | RuntimeException e) {
            throw new IOException(
                    "cannot use the certificate: cert=%s key=%s: %s; give a PEM certificate and its unencrypted PEM key"
                            .formatted(certificate, key, reason(e)),
                    e);
        }
    }

    private static String reason(Exception e) {
        return e instanceof NoSuchFileException missing
                ? missing.getFile() + " does not exist"
                : String.valueOf(e.getMessage());
    }

    /** A context for server sockets that uses the latest valid files for each connection. */
    public SSLContext context() {
        return context(null);
    }

    /** The common name of the certificate; absent if it has none or several. */
    public Optional<String> commonName() {
        return chain().findFirst().flatMap(TrustedAuthority::commonName);
    }

    /** When the first of the chain's certificates expires; files that have changed are read. */
    public Instant expiry() {
        return chain().map(each -> each.getNotAfter().toInstant())
                .min(Instant::compareTo)
                .orElseThrow();
    }

    private synchronized Stream<X509Certificate> chain() {
        return Stream.of(latest().getCertificateChain(current.alias()));
    }

    /**
     * A context for a server that asks clients for a certificate and accepts every one that the client has the key of. Whether it believes what the
     * certificate says, the server decides itself, as kube-apiserver does: see {@link TrustedAuthority}.
     */
    public SSLContext contextAskingClients() {
        return context(new TrustManager[] {new AnyClient()});
    }

    /** A context for clients that show this certificate, and believe servers that {@code servers} believes. */
    public SSLContext clientContext(TrustManager servers) {
        return context(new TrustManager[] {servers});
    }

    private SSLContext context(TrustManager @Nullable [] clients) {
        try {
            SSLContext context = SSLContext.getInstance("TLS");
            context.init(new KeyManager[] {new Latest()}, clients, null);
            return context;
        } catch (GeneralSecurityException e) {
            throw new IllegalStateException("the Java runtime has no TLS", e);
        }
    }

    private List<FileTime> times() throws IOException {
        return List.of(Files.getLastModifiedTime(certificate), Files.getLastModifiedTime(key));
    }

    private synchronized X509ExtendedKeyManager latest() {
        try {
            List<FileTime> times = times();
            if (!times.equals(current.writtenAt())) {
                reload(times);
            }
        } catch (IOException e) {
            keep(reason(e));
        }
        return current.keys();
    }

    private void reload(List<FileTime> times) {
        int generation = current.generation() + 1;
        try {
            X509ExtendedKeyManager keys = PemKeys.read(certificate, key, Loaded.alias(generation));
            previous = current;
            current = new Loaded(generation, keys, times);
            reported = Optional.empty();
            log.info("event=certificate.reloaded cert={}", certificate);
        } catch (IOException | GeneralSecurityException | RuntimeException e) {
            current = new Loaded(current.generation(), current.keys(), times);
            keep(reason(e));
        }
    }

    /** Logs each reason once. */
    private void keep(String reason) {
        if (!reported.equals(Optional.of(reason))) {
            reported = Optional.of(reason);
            log.warn("event=certificate.kept cert={} key={} error='{}'", certificate, key, reason);
        }
    }

    private synchronized X509ExtendedKeyManager of(String alias) {
        return previous.alias().equals(alias) ? previous.keys() : current.keys();
    }

    private static final class AnyClient extends X509ExtendedTrustManager {

        @Override
        public void checkClientTrusted(X509Certificate[] chain, String type) {}

        @Override
        public void checkClientTrusted(X509Certificate[] chain, String type, Socket socket) {}

        @Override
        public void checkClientTrusted(X509Certificate[] chain, String type, SSLEngine engine) {}

        @Override
        public void checkServerTrusted(X509Certificate[] chain, String type) throws CertificateException {
            throw new CertificateException("this is the context of a server");
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
        public X509Certificate[] getAcceptedIssuers() {
            return new X509Certificate[0];
        }
    }

    private final class Latest extends X509ExtendedKeyManager {

        @Override
        public @Nullable String chooseEngineServerAlias(String type, Principal[] issuers, SSLEngine engine) {
            return latest().chooseEngineServerAlias(type, issuers, engine);
        }

        @Override
        public @Nullable String chooseServerAlias(String type, Principal[] issuers, Socket socket) {
            return latest().chooseServerAlias(type, issuers, socket);
        }

        @Override
        public X509Certificate @Nullable [] getCertificateChain(String alias) {
            return of(alias).getCertificateChain(alias);
        }

        @Override
        public @Nullable PrivateKey getPrivateKey(String alias) {
            return of(alias).getPrivateKey(alias);
        }

        @Override
        public String @Nullable [] getServerAliases(String type, Principal[] issuers) {
            return latest().getServerAliases(type, issuers);
        }

        @Override
        public String @Nullable [] getClientAliases(String type, Principal[] issuers) {
            return latest().getClientAliases(type, issuers);
        }

        @Override
        public @Nullable String chooseClientAlias(String[] types, Principal[] issuers, Socket socket) {
            return latest().chooseClientAlias(types, issuers, socket);
        }

        @Override
        public @Nullable String chooseEngineClientAlias(String[] types, Principal[] issuers, SSLEngine engine) {
            return latest().chooseEngineClientAlias(types, issuers, engine);
        }
    }
}
