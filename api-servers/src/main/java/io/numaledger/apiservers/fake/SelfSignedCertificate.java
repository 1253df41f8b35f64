package io.numaledger.apiservers.fake;

import javax.net.ssl.KeyManagerFactory;
import javax.net.ssl.SSLContext;

import java.io.IOException;
import java.io.InputStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.security.GeneralSecurityException;
import java.security.KeyStore;
import java.util.Base64;
import java.util.List;

/** A private key and its self-signed certificate for a server on 127.0.0.1. */
public final class SelfSignedCertificate {

    private static final String ALIAS = "server";
    private static final String PASSWORD = "changeit";

    private final KeyStore keys;

    private SelfSignedCertificate(KeyStore keys) {
        this.keys = keys;
    }

    /**
     * Creates a key and a certificate with the JDK's keytool.
     *
     * @param file the new key store; the file must not exist
     * @throws IOException if keytool fails; the message contains the command
     */
    public static SelfSignedCertificate create(Path file) throws IOException, InterruptedException {
        List<String> command = List.of(
                Path.of(System.getProperty("java.home"), "bin", "keytool").toString(),
                "-genkeypair",
                "-alias",
                ALIAS,
                "-keyalg",
                "EC",
                "-dname",
                "CN=simulated",
                "-ext",
                "SAN=IP:127.0.0.1",
                "-storetype",
                "PKCS12",
                "-storepass",
                PASSWORD,
                "-keystore",
                file.toString());
        if (new ProcessBuilder(command).inheritIO().start().waitFor() != 0) {
            throw new IOException("keytool failed: command=%s; read its output above".formatted(command));
        }
        try (InputStream in = Files.newInputStream(file)) {
            KeyStore keys = KeyStore.getInstance("PKCS12");
            keys.load(in, PASSWORD.toCharArray());
            return new SelfSignedCertificate(keys);
        } catch (GeneralSecurityException e) {
            throw new IOException("cannot read the key store: file=%s; check the JDK".formatted(file), e);
        }
    }

    /** TLS context of a server with this certificate. */
    public SSLContext server() {
        try {
            KeyManagerFactory managers = KeyManagerFactory.getInstance(KeyManagerFactory.getDefaultAlgorithm());
            managers.init(keys, PASSWORD.toCharArray());
            SSLContext context = SSLContext.getInstance("TLS");
            context.init(managers.getKeyManagers(), null, null);
            return context;
        } catch (GeneralSecurityException e) {
            throw new IllegalStateException("this JDK has no TLS; use another JDK", e);
        }
    }

    /** The certificate in PEM, for clients. */
    public String certificate() {
        try {
            return "-----BEGIN CERTIFICATE-----\n%s\n-----END CERTIFICATE-----\n"
                    .formatted(Base64.getMimeEncoder(64, "\n".getBytes(StandardCharsets.US_ASCII))
                            .encodeToString(keys.getCertificate(ALIAS).getEncoded()));
        } catch (GeneralSecurityException e) {
            throw new IllegalStateException("cannot encode the certificate; use another JDK", e);
        }
    }
}
