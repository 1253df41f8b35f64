package io.numaledger.apiservers.real;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.security.KeyPair;
import java.security.KeyPairGenerator;
import java.security.NoSuchAlgorithmException;
import java.util.Base64;

/** The files that a kube-apiserver reads and writes, in one directory. */
final class ApiServerFiles {

    static final String ADMIN_TOKEN = "admin-token";

    private final Path directory;

    ApiServerFiles(Path directory) {
        this.directory = directory;
    }

    Path privateKey() {
        return directory.resolve("service-account.key");
    }

    Path publicKey() {
        return directory.resolve("service-account.pub");
    }

    Path tokens() {
        return directory.resolve("tokens.csv");
    }

    Path certificates() {
        return directory.resolve("certificates");
    }

    /** Written by the server at its start: its certificate, then that of its certificate authority. */
    Path servingCertificate() {
        return certificates().resolve("apiserver.crt");
    }

    /**
     * Whether the certificate is whole: the server writes its key after it (apiserver, {@code
     * pkg/server/options/serving.go}), and the file exists before it has content.
     */
    boolean hasServingCertificate() {
        return Files.exists(certificates().resolve("apiserver.key"));
    }

    Path kubeconfig() {
        return directory.resolve("admin.kubeconfig");
    }

    void writeBeforeStart() throws IOException {
        KeyPair keys = rsaKeys();
        writePem(privateKey(), "PRIVATE KEY", keys.getPrivate().getEncoded());
        writePem(publicKey(), "PUBLIC KEY", keys.getPublic().getEncoded());
        Files.writeString(tokens(), ADMIN_TOKEN + ",admin,admin,\"system:masters\"\n");
    }

    void writeKubeconfig(String url) throws IOException {
        String authority = Base64.getEncoder().encodeToString(Files.readAllBytes(servingCertificate()));
        Files.writeString(kubeconfig(), """
                apiVersion: v1
                kind: Config
                clusters:
                  - name: real
                    cluster:
                      server: %s
                      certificate-authority-data: %s
                users:
                  - name: admin
                    user:
                      token: %s
                contexts:
                  - name: real
                    context:
                      cluster: real
                      user: admin
                current-context: real
                """.formatted(url, authority, ADMIN_TOKEN));
    }

    private static KeyPair rsaKeys() {
        try {
            KeyPairGenerator generator = KeyPairGenerator.getInstance("RSA");
            generator.initialize(2048);
            return generator.generateKeyPair();
        } catch (NoSuchAlgorithmException e) {
            throw new RealApiServerException(
                    "cannot make a service account key: algorithm=RSA; use a Java runtime with the standard algorithms",
                    e);
        }
    }

    private static void writePem(Path file, String type, byte[] content) throws IOException {
        String text = Base64.getMimeEncoder(64, "\n".getBytes(StandardCharsets.US_ASCII))
                .encodeToString(content);
        Files.writeString(file, "-----BEGIN %s-----%n%s%n-----END %s-----%n".formatted(type, text, type));
    }
}
