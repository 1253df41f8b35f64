package io.numaledger.e2e.bridge;

import javax.net.ssl.SSLContext;
import javax.net.ssl.TrustManagerFactory;

import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.security.GeneralSecurityException;
import java.security.KeyStore;
import java.util.Base64;
import java.util.List;

/**
 * A certificate for 127.0.0.1 that signed itself, as PEM files.
 *
 * @param key PKCS #8
 * @param trust a context that believes this certificate and no other
 */
record ServerCertificate(Path certificate, Path key, SSLContext trust) {

    private static final String PASSWORD = "secret";

    static ServerCertificate make(Path directory) {
        Path store = directory.resolve("server.p12");
        try {
            keytool(store);
            KeyStore keys = KeyStore.getInstance("PKCS12");
            try (InputStream in = Files.newInputStream(store)) {
                keys.load(in, PASSWORD.toCharArray());
            }
            Path certificate = directory.resolve("tls.crt");
            Path key = directory.resolve("tls.key");
            Files.writeString(
                    certificate,
                    pem("CERTIFICATE", keys.getCertificate("server").getEncoded()));
            Files.writeString(
                    key,
                    pem(
                            "PRIVATE KEY",
                            keys.getKey("server", PASSWORD.toCharArray()).getEncoded()));
            return new ServerCertificate(certificate, key, trusting(keys));
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        } catch (GeneralSecurityException e) {
            throw new IllegalStateException("cannot read what keytool made: file=%s; look at it".formatted(store), e);
        }
    }

    private static void keytool(Path store) throws IOException {
        Process keytool = new ProcessBuilder(List.of(
                        Path.of(System.getProperty("java.home"), "bin", "keytool")
                                .toString(),
                        "-genkeypair",
                        "-keyalg",
                        "EC",
                        "-alias",
                        "server",
                        "-dname",
                        "CN=bridge",
                        "-ext",
                        "SAN=ip:127.0.0.1",
                        "-storetype",
                        "PKCS12",
                        "-keystore",
                        store.toString(),
                        "-storepass",
                        PASSWORD))
                .redirectErrorStream(true)
                .start();
        keytool.getInputStream().readAllBytes();
    }

    private static String pem(String kind, byte[] content) {
        return "-----BEGIN %1$s-----\n%2$s\n-----END %1$s-----\n"
                .formatted(kind, Base64.getMimeEncoder(64, new byte[] {'\n'}).encodeToString(content));
    }

    private static SSLContext trusting(KeyStore keys) throws GeneralSecurityException, IOException {
        KeyStore trusted = KeyStore.getInstance("PKCS12");
        trusted.load(null, null);
        trusted.setCertificateEntry("server", keys.getCertificate("server"));
        TrustManagerFactory managers = TrustManagerFactory.getInstance(TrustManagerFactory.getDefaultAlgorithm());
        managers.init(trusted);
        SSLContext context = SSLContext.getInstance("TLS");
        context.init(null, managers.getTrustManagers(), null);
        return context;
    }
}
