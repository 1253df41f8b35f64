package io.numaledger.apiservers.real;

import javax.net.ssl.SSLContext;
import javax.net.ssl.TrustManagerFactory;

import java.io.IOException;
import java.io.InputStream;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.security.GeneralSecurityException;
import java.security.KeyStore;
import java.security.cert.Certificate;
import java.security.cert.CertificateException;
import java.security.cert.CertificateFactory;
import java.time.Duration;

/** Checks whether the server is ready, and creates custom resource definitions. */
final class ApiClient {

    private final URI url;
    private final HttpClient http;

    ApiClient(URI url, HttpClient http) {
        this.url = url;
        this.http = http;
    }

    /**
     * A client that trusts only the certificates in the file.
     *
     * @throws CertificateException if the file has none: such a client would fail at each call
     */
    static HttpClient trusting(Path certificates) throws IOException, GeneralSecurityException {
        KeyStore trusted = KeyStore.getInstance(KeyStore.getDefaultType());
        trusted.load(null, null);
        int count = 0;
        try (InputStream in = Files.newInputStream(certificates)) {
            for (Certificate each : CertificateFactory.getInstance("X.509").generateCertificates(in)) {
                trusted.setCertificateEntry("certificate-" + count++, each);
            }
        }
        if (count == 0) {
            throw new CertificateException("no certificate in the file: file=%s".formatted(certificates));
        }
        TrustManagerFactory trust = TrustManagerFactory.getInstance(TrustManagerFactory.getDefaultAlgorithm());
        trust.init(trusted);
        SSLContext tls = SSLContext.getInstance("TLS");
        tls.init(null, trust.getTrustManagers(), null);
        return HttpClient.newBuilder()
                .version(HttpClient.Version.HTTP_1_1)
                .sslContext(tls)
                .build();
    }

    boolean answersOk(String path) {
        try {
            return send(request(path).GET().build()).statusCode() == 200;
        } catch (IOException e) {
            return false;
        }
    }

    /** Creates a custom resource definition; does not change an existing one. */
    void createDefinition(String yaml) throws IOException {
        create("/apis/apiextensions.k8s.io/v1/customresourcedefinitions", yaml);
    }

    /**
     * Creates an object, or posts a request such as a TokenRequest; does not change an existing object.
     *
     * @return the answer
     */
    String create(String collection, String yaml) throws IOException {
        HttpResponse<String> answer = send(request(collection)
                .header("Content-Type", "application/yaml")
                .POST(HttpRequest.BodyPublishers.ofString(yaml, StandardCharsets.UTF_8))
                .build());
        if (answer.statusCode() != 201 && answer.statusCode() != 409) {
            throw new RealApiServerException("cannot create an object: server=%s path=%s status=%d answer=%s"
                    .formatted(url, collection, answer.statusCode(), answer.body()));
        }
        return answer.body();
    }

    String read(String path) throws IOException {
        HttpResponse<String> answer = send(request(path).GET().build());
        if (answer.statusCode() != 200) {
            throw new RealApiServerException("cannot read an object: server=%s path=%s status=%d answer=%s"
                    .formatted(url, path, answer.statusCode(), answer.body()));
        }
        return answer.body();
    }

    private HttpRequest.Builder request(String path) {
        return HttpRequest.newBuilder(url.resolve(path))
                .timeout(Duration.ofSeconds(10))
                .header("Authorization", "Bearer " + ApiServerFiles.ADMIN_TOKEN);
    }

    private HttpResponse<String> send(HttpRequest request) throws IOException {
        try {
            return http.send(request, HttpResponse.BodyHandlers.ofString());
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw new RealApiServerException(
                    "interrupted during a call of the API server: server=%s; start again".formatted(url), e);
        }
    }
}
