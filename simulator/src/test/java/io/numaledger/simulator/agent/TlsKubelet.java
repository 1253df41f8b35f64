package io.numaledger.simulator.agent;

import com.sun.net.httpserver.HttpsConfigurator;
import com.sun.net.httpserver.HttpsServer;

import javax.net.ssl.KeyManagerFactory;
import javax.net.ssl.SSLContext;

import java.io.IOException;
import java.io.InputStream;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.security.GeneralSecurityException;
import java.security.KeyStore;
import java.util.Base64;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;

import static org.assertj.core.api.Assertions.assertThat;

/** A kubelet's {@code /configz} behind a certificate that it signed itself, as kubelets do unless they are told otherwise. */
final class TlsKubelet implements AutoCloseable {

    private static final char[] PASSWORD = "changeit".toCharArray();
    private static final String CONFIGURATION = """
            {"kubeletconfig":{"topologyManagerPolicy":"restricted","cpuManagerPolicy":"static"}}""";

    private final HttpsServer server;
    private final KeyStore keys;
    private final List<String> authorizations = new CopyOnWriteArrayList<>();
    private volatile int status = 200;

    TlsKubelet(Path directory, String name) throws IOException, InterruptedException, GeneralSecurityException {
        keys = selfSigned(directory.resolve(name + ".p12"));
        KeyManagerFactory factory = KeyManagerFactory.getInstance(KeyManagerFactory.getDefaultAlgorithm());
        factory.init(keys, PASSWORD);
        SSLContext tls = SSLContext.getInstance("TLS");
        tls.init(factory.getKeyManagers(), null, null);
        server = HttpsServer.create(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0), 0);
        server.setHttpsConfigurator(new HttpsConfigurator(tls));
        server.createContext("/configz", exchange -> {
            authorizations.add(String.valueOf(exchange.getRequestHeaders().getFirst("Authorization")));
            byte[] body = CONFIGURATION.getBytes(StandardCharsets.UTF_8);
            exchange.sendResponseHeaders(status, body.length);
            exchange.getResponseBody().write(body);
            exchange.close();
        });
        server.start();
    }

    String address() {
        return "localhost:" + server.getAddress().getPort();
    }

    void answers(int httpStatus) {
        status = httpStatus;
    }

    /** What callers showed of themselves. */
    List<String> authorizations() {
        return authorizations;
    }

    String certificatePem() throws GeneralSecurityException {
        String text = Base64.getMimeEncoder()
                .encodeToString(keys.getCertificate("server").getEncoded());
        return "-----BEGIN CERTIFICATE-----\n%s\n-----END CERTIFICATE-----\n".formatted(text);
    }

    private static KeyStore selfSigned(Path file) throws IOException, InterruptedException, GeneralSecurityException {
        List<String> command = List.of(
                Path.of(System.getProperty("java.home"), "bin", "keytool").toString(),
                "-genkeypair",
                "-alias",
                "server",
                "-keyalg",
                "EC",
                "-dname",
                "CN=localhost",
                "-ext",
                "SAN=DNS:localhost",
                "-storetype",
                "PKCS12",
                "-storepass",
                "changeit",
                "-keystore",
                file.toString());
        assertThat(new ProcessBuilder(command).inheritIO().start().waitFor()).isZero();
        KeyStore keys = KeyStore.getInstance("PKCS12");
        try (InputStream in = Files.newInputStream(file)) {
            keys.load(in, PASSWORD);
        }
        return keys;
    }

    @Override
    public void close() {
        server.stop(0);
    }
}
