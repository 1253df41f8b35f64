package io.numaledger.realapiserver;

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

    /** A client that trusts only the certificates in the file. */
    static HttpClient trusting(Path certificates) throws IOException, GeneralSecurityException {
        KeyStore trusted = KeyStore.getInstance(KeyStore.getDefaultType());
        trusted.load(null, null);
        int count = 0;
        try (InputStream in = Files.newInputStream(certificates)) {
            for (Certificate each : CertificateFactory.getInstance("X.509").generateCertificates(in)) {
                trusted.setCertificateEntry("certificate-" + count++, each);
            }
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
        HttpRequest create = request("/apis/apiextensions.k8s.io/v1/customresourcedefinitions")
                .header("Content-Type", "application/yaml")
                .POST(HttpRequest.BodyPublishers.ofString(yaml, StandardCharsets.UTF_8))
                .build();
        HttpResponse<String> answer = send(create);
        if (answer.statusCode() != 201 && answer.statusCode() != 409) {
            throw new RealApiServerException(
                    "cannot create a custom resource definition: server=%s status=%d answer=%s; correct the definition"
                            .formatted(url, answer.statusCode(), answer.body()));
        }
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
