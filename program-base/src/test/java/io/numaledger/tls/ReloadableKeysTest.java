package io.numaledger.tls;

import org.bouncycastle.asn1.x500.X500Name;
import org.bouncycastle.cert.jcajce.JcaX509CertificateConverter;
import org.bouncycastle.cert.jcajce.JcaX509v3CertificateBuilder;
import org.bouncycastle.jce.provider.BouncyCastleProvider;
import org.bouncycastle.openssl.PKCS8Generator;
import org.bouncycastle.openssl.jcajce.JcaMiscPEMGenerator;
import org.bouncycastle.openssl.jcajce.JcaPEMWriter;
import org.bouncycastle.openssl.jcajce.JcaPKCS8Generator;
import org.bouncycastle.openssl.jcajce.JceOpenSSLPKCS8EncryptorBuilder;
import org.bouncycastle.operator.OutputEncryptor;
import org.bouncycastle.operator.jcajce.JcaContentSignerBuilder;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

import javax.net.ssl.SSLContext;
import javax.net.ssl.SSLServerSocket;
import javax.net.ssl.SSLSocket;
import javax.net.ssl.TrustManager;
import javax.net.ssl.X509ExtendedTrustManager;

import java.io.IOException;
import java.io.StringWriter;
import java.math.BigInteger;
import java.net.InetAddress;
import java.net.Socket;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.FileTime;
import java.security.KeyPair;
import java.security.KeyPairGenerator;
import java.security.cert.X509Certificate;
import java.time.Instant;
import java.util.Date;
import java.util.concurrent.CompletableFuture;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

class ReloadableKeysTest {

    private static final Instant NOW = Instant.parse("2026-01-01T00:00:00Z");

    @TempDir
    private Path directory;

    private Path certificate() {
        return directory.resolve("tls.crt");
    }

    private Path key() {
        return directory.resolve("tls.key");
    }

    @ParameterizedTest(name = "{0} in {1}")
    @CsvSource({"RSA, PKCS8", "RSA, traditional", "EC, PKCS8", "EC, traditional", "Ed25519, PKCS8"})
    void readsEveryUsualFormOfAKey(String algorithm, String form) throws Exception {
        KeyPair pair = KeyPairGenerator.getInstance(algorithm).generateKeyPair();
        write(certificate(), pem(certificate(pair, "server")), 0);
        String key =
                form.equals("PKCS8") ? pem(new JcaPKCS8Generator(pair.getPrivate(), null)) : pem(pair.getPrivate());
        assertThat(key)
                .startsWith(form.equals("PKCS8") ? "-----BEGIN PRIVATE" : "-----BEGIN " + algorithm + " PRIVATE");
        write(key(), key, 0);

        assertThat(served(ReloadableKeys.read(certificate(), key()))).isEqualTo("CN=server");
    }

    @Test
    void readsCertificateAndKeyFromOneFile() throws Exception {
        KeyPair pair = KeyPairGenerator.getInstance("EC").generateKeyPair();
        write(certificate(), pem(pair.getPrivate()) + "a comment\n" + pem(certificate(pair, "both")), 0);

        assertThat(served(ReloadableKeys.read(certificate(), certificate()))).isEqualTo("CN=both");
    }

    @Test
    void ignoresTheParametersBeforeAKey() throws Exception {
        KeyPair pair = KeyPairGenerator.getInstance("EC").generateKeyPair();
        write(certificate(), pem(certificate(pair, "server")), 0);
        String parameters = "-----BEGIN EC PARAMETERS-----\nBggqhkjOPQMBBw==\n-----END EC PARAMETERS-----\n";
        write(key(), parameters + pem(pair.getPrivate()), 0);

        assertThat(served(ReloadableKeys.read(certificate(), key()))).isEqualTo("CN=server");
    }

    @Test
    void servesAChainInItsOrder() throws Exception {
        KeyPair pair = KeyPairGenerator.getInstance("EC").generateKeyPair();
        write(certificate(), pem(certificate(pair, "server", "issuer")) + pem(certificate(pair, "issuer")), 0);
        write(key(), pem(pair.getPrivate()), 0);

        assertThat(chain(ReloadableKeys.read(certificate(), key())))
                .extracting(each -> each.getSubjectX500Principal().getName())
                .containsExactly("CN=server", "CN=issuer");
    }

    @Test
    void knowsWhenTheFirstCertificateOfTheLatestChainExpires() throws Exception {
        KeyPair pair = KeyPairGenerator.getInstance("EC").generateKeyPair();
        Instant first = NOW.plusSeconds(1_000);
        Instant second = NOW.plusSeconds(2_000);
        write(certificate(), pem(certificate(pair, "server", "issuer", first)), 0);
        write(key(), pem(pair.getPrivate()), 0);
        ReloadableKeys keys = ReloadableKeys.read(certificate(), key());
        assertThat(keys.expiry()).isEqualTo(first);

        X509Certificate renewed = certificate(pair, "server", "issuer", second.plusSeconds(1));
        write(certificate(), pem(renewed) + pem(certificate(pair, "issuer", "issuer", second)), 1);
        assertThat(keys.expiry()).as("no client has connected since").isEqualTo(second);

        write(certificate(), "nothing", 2);
        assertThat(keys.expiry()).as("still in use").isEqualTo(second);
    }

    @Test
    void servesChangedFilesAndKeepsTheLastValidOnes() throws Exception {
        writePair("first", 0);
        ReloadableKeys keys = ReloadableKeys.read(certificate(), key());
        assertThat(served(keys)).isEqualTo("CN=first");

        writePair("second", 1);
        assertThat(served(keys)).isEqualTo("CN=second");

        write(key(), pem(KeyPairGenerator.getInstance("EC").generateKeyPair().getPrivate()), 2);
        assertThat(served(keys)).as("the certificate is not renewed yet").isEqualTo("CN=second");

        Files.delete(certificate());
        assertThat(served(keys)).isEqualTo("CN=second");

        writePair("third", 3);
        assertThat(served(keys)).isEqualTo("CN=third");
    }

    @ParameterizedTest(name = "{2}")
    @CsvSource(textBlock = """
            nothing,     valid,     tls.crt contains no certificate
            valid,       nothing,   tls.key contains no private key
            valid,       encrypted, the key in tls.key is encrypted
            valid,       another,   the key does not belong to the certificate
            missing,     valid,     tls.crt does not exist
            """)
    void saysWhatIsWrongWithTheFiles(String certificate, String key, String message) throws Exception {
        writePair("a", 0);
        if (certificate.equals("nothing")) {
            write(certificate(), "nothing", 0);
        }
        if (certificate.equals("missing")) {
            Files.delete(certificate());
        }
        if (key.equals("nothing")) {
            write(key(), "nothing", 0);
        }
        if (key.equals("encrypted")) {
            KeyPair pair = KeyPairGenerator.getInstance("EC").generateKeyPair();
            OutputEncryptor encryptor = new JceOpenSSLPKCS8EncryptorBuilder(PKCS8Generator.AES_256_CBC)
                    .setProvider(new BouncyCastleProvider())
                    .setPassword("secret".toCharArray())
                    .build();
            write(key(), pem(new JcaPKCS8Generator(pair.getPrivate(), encryptor)), 0);
        }
        if (key.equals("another")) {
            write(
                    key(),
                    pem(KeyPairGenerator.getInstance("EC").generateKeyPair().getPrivate()),
                    0);
        }

        assertThatThrownBy(() -> ReloadableKeys.read(certificate(), key()))
                .isInstanceOf(IOException.class)
                .hasMessageStartingWith("cannot use the certificate: cert=%s key=%s: ".formatted(certificate(), key()))
                .hasMessageContaining(message)
                .hasMessageEndingWith("; give a PEM certificate and its unencrypted PEM key");
    }

    private void writePair(String name, int second) throws Exception {
        KeyPair pair = KeyPairGenerator.getInstance("EC").generateKeyPair();
        write(certificate(), pem(certificate(pair, name)), second);
        write(key(), pem(pair.getPrivate()), second);
    }

    private static void write(Path file, String text, int second) throws IOException {
        Files.writeString(file, text);
        Files.setLastModifiedTime(file, FileTime.from(NOW.plusSeconds(second)));
    }

    private static X509Certificate certificate(KeyPair pair, String name) throws Exception {
        return certificate(pair, name, name);
    }

    private static X509Certificate certificate(KeyPair pair, String name, String issuer) throws Exception {
        return certificate(pair, name, issuer, NOW.plusSeconds(1_000_000_000));
    }

    private static X509Certificate certificate(KeyPair pair, String name, String issuer, Instant expiry)
            throws Exception {
        String algorithm = switch (pair.getPrivate().getAlgorithm()) {
            case "RSA" -> "SHA256withRSA";
            case "EC" -> "SHA256withECDSA";
            default -> "Ed25519";
        };
        return new JcaX509CertificateConverter()
                .getCertificate(new JcaX509v3CertificateBuilder(
                                new X500Name("CN=" + issuer),
                                BigInteger.ONE,
                                Date.from(NOW),
                                Date.from(expiry),
                                new X500Name("CN=" + name),
                                pair.getPublic())
                        .build(new JcaContentSignerBuilder(algorithm).build(pair.getPrivate())));
    }

    private static String pem(Object object) throws IOException {
        StringWriter text = new StringWriter();
        try (JcaPEMWriter writer = new JcaPEMWriter(text)) {
            writer.writeObject(
                    object instanceof JcaPKCS8Generator generator ? generator : new JcaMiscPEMGenerator(object));
        }
        return text.toString();
    }

    private static String served(ReloadableKeys keys) throws Exception {
        return chain(keys)[0].getSubjectX500Principal().getName();
    }

    /** What a client receives in a handshake. */
    private static X509Certificate[] chain(ReloadableKeys keys) throws Exception {
        Believer believer = new Believer();
        SSLContext client = SSLContext.getInstance("TLS");
        client.init(null, new TrustManager[] {believer}, null);
        try (SSLServerSocket server = (SSLServerSocket) keys.context()
                        .getServerSocketFactory()
                        .createServerSocket(0, 1, InetAddress.getLoopbackAddress());
                SSLSocket socket = (SSLSocket) client.getSocketFactory()
                        .createSocket(InetAddress.getLoopbackAddress(), server.getLocalPort())) {
            CompletableFuture<Void> accepted = CompletableFuture.runAsync(() -> {
                try (SSLSocket peer = (SSLSocket) server.accept()) {
                    peer.startHandshake();
                } catch (IOException e) {
                    throw new java.io.UncheckedIOException(e);
                }
            });
            socket.startHandshake();
            accepted.join();
        }
        return believer.chain.join();
    }

    /** Trusts every server, and keeps what it presented. */
    private static final class Believer extends X509ExtendedTrustManager {

        private final CompletableFuture<X509Certificate[]> chain = new CompletableFuture<>();

        @Override
        public void checkServerTrusted(X509Certificate[] presented, String type, Socket socket) {
            chain.complete(presented);
        }

        @Override
        public void checkServerTrusted(X509Certificate[] presented, String type, javax.net.ssl.SSLEngine engine) {
            chain.complete(presented);
        }

        @Override
        public void checkServerTrusted(X509Certificate[] presented, String type) {
            chain.complete(presented);
        }

        @Override
        public void checkClientTrusted(X509Certificate[] presented, String type, Socket socket) {}

        @Override
        public void checkClientTrusted(X509Certificate[] presented, String type, javax.net.ssl.SSLEngine engine) {}

        @Override
        public void checkClientTrusted(X509Certificate[] presented, String type) {}

        @Override
        public X509Certificate[] getAcceptedIssuers() {
            return new X509Certificate[0];
        }
    }
}
