package io.numaledger.bridge.certificate;

import io.fabric8.kubernetes.api.model.APIService;
import io.fabric8.kubernetes.api.model.Secret;
import io.fabric8.kubernetes.api.model.SecretBuilder;
import io.fabric8.kubernetes.client.KubernetesClient;
import io.fabric8.kubernetes.client.KubernetesClientException;
import io.fabric8.kubernetes.client.dsl.base.PatchContext;
import io.fabric8.kubernetes.client.dsl.base.PatchType;
import io.numaledger.cli.Failures;
import io.numaledger.tls.CertificateAuthority;
import io.numaledger.tls.CertificateAuthority.Issued;
import io.numaledger.tls.CertificateAuthority.Purpose;
import io.numaledger.tls.Pem;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

import java.io.IOException;
import java.net.HttpURLConnection;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.security.GeneralSecurityException;
import java.security.PublicKey;
import java.security.cert.X509Certificate;
import java.time.Duration;
import java.time.InstantSource;
import java.util.Base64;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.TreeMap;

/**
 * Issues the certificates of the bridge and of the scheduler that calls it. Two Secrets, which the chart creates empty, keep them:
 *
 * <ul>
 *   <li>{@code SERVICE-ca} has the key and the certificate of the authority, {@code ca.crt} and {@code ca.key}. All replicas share it.
 *   <li>{@code SERVICE-client} is for the scheduler: {@code ca.crt}, {@code tls.crt} and {@code tls.key}.
 * </ul>
 *
 * <p>The server's certificate is only in files of this process. Everything is renewed long before it expires; the authority keeps its
 * key, so that clients with the old certificate of the authority still trust the bridge.
 */
public final class IssuedCertificates {

    /** The common name of the scheduler's certificate. */
    public static final String CLIENT_NAME = "numaledger-scheduler";

    private static final Logger log = LoggerFactory.getLogger(IssuedCertificates.class);
    private static final String CA_CERTIFICATE = "ca.crt";
    private static final String CA_KEY = "ca.key";
    private static final String CERTIFICATE = "tls.crt";
    private static final String KEY = "tls.key";
    private static final Duration AUTHORITY_VALID = Duration.ofDays(3650);
    private static final Duration AUTHORITY_RENEWED = Duration.ofDays(1825);
    private static final Duration VALID = Duration.ofDays(90);
    private static final Duration RENEWED = Duration.ofDays(30);
    private static final int ATTEMPTS = 5;
    private static final String API_SERVICE = "v1alpha1.numaledger.io";

    private final KubernetesClient client;
    private final String service;
    private final Path directory;
    private final boolean aggregated;
    private final InstantSource clock;

    /**
     * Nothing is read or issued yet.
     *
     * @param client its namespace is the one of the Secrets and of the Service
     * @param service name of the Service by which schedulers reach the bridge
     * @param directory gets the files; only this process may read it
     * @param aggregated whether the API server is to trust the bridge: the CA of the APIService is kept up to date
     */
    public IssuedCertificates(
            KubernetesClient client, String service, Path directory, boolean aggregated, InstantSource clock) {
        this.aggregated = aggregated;
        this.client = client;
        this.service = service;
        this.directory = directory;
        this.clock = clock;
    }

    /** The server's certificate. */
    public Path certificate() {
        return directory.resolve(CERTIFICATE);
    }

    public Path key() {
        return directory.resolve(KEY);
    }

    /** The certificate of the authority. */
    public Path authority() {
        return directory.resolve(CA_CERTIFICATE);
    }

    /**
     * Issues what is missing or expires soon. Call it at the start, and then about once an hour.
     *
     * @throws IOException if a Secret cannot be read or written, or has content that is not ours; the message names it
     */
    public void ensure() throws IOException {
        CertificateAuthority authority = ensureAuthority();
        ensureClient(authority);
        ensureServer(authority);
        if (aggregated) {
            ensureApiService(authority);
        }
    }

    private CertificateAuthority ensureAuthority() throws IOException {
        for (int i = 0; i < ATTEMPTS; i++) {
            Secret secret = read(service + "-ca");
            Map<String, String> data = data(secret);
            Optional<CertificateAuthority> known = data.isEmpty() ? Optional.empty() : Optional.of(authority(data));
            if (known.filter(authority -> lasts(authority.certificate(), AUTHORITY_RENEWED))
                    .isPresent()) {
                return known.get();
            }
            CertificateAuthority authority = known.map(old -> old.renewed(clock.instant(), AUTHORITY_VALID))
                    .orElseGet(() -> CertificateAuthority.create(service + "-ca", clock.instant(), AUTHORITY_VALID));
            if (write(
                    secret,
                    Map.of(
                            CA_CERTIFICATE,
                            Pem.of(List.of(authority.certificate())),
                            CA_KEY,
                            Pem.of(authority.key())))) {
                return authority;
            }
        }
        throw new IOException("the Secret changes all the time: secret=%s/%s-ca; check who else writes it"
                .formatted(client.getNamespace(), service));
    }

    private CertificateAuthority authority(Map<String, String> data) throws IOException {
        try {
            return new CertificateAuthority(
                    Pem.certificates(data.getOrDefault(CA_CERTIFICATE, "")).get(0),
                    Pem.privateKey(data.getOrDefault(CA_KEY, "")));
        } catch (GeneralSecurityException e) {
            throw new IOException(
                    "the Secret has no usable authority: secret=%s/%s-ca: %s; delete its data to have a new one issued"
                            .formatted(client.getNamespace(), service, e.getMessage()),
                    e);
        }
    }

    private void ensureClient(CertificateAuthority authority) throws IOException {
        Secret secret = read(service + "-client");
        Map<String, String> data = data(secret);
        boolean sameAuthority = data.getOrDefault(CA_CERTIFICATE, "").equals(Pem.of(List.of(authority.certificate())));
        if (sameAuthority && isUsable(data.getOrDefault(CERTIFICATE, ""), authority)) {
            return;
        }
        Issued issued = authority.issue(CLIENT_NAME, Purpose.CLIENT, List.of(), List.of(), clock.instant(), VALID);
        boolean written = write(
                secret,
                Map.of(
                        CA_CERTIFICATE, Pem.of(List.of(authority.certificate())),
                        CERTIFICATE, Pem.of(List.of(issued.certificate())),
                        KEY, Pem.of(issued.key())));
        if (!written) {
            log.debug("event=certificate.issued_by_another secret={}-client", service);
        }
    }

    private void ensureServer(CertificateAuthority authority) throws IOException {
        replace(authority(), Pem.of(List.of(authority.certificate())));
        if (Files.exists(certificate()) && isUsable(Files.readString(certificate()), authority)) {
            return;
        }
        String namespace = client.getNamespace();
        Issued issued = authority.issue(
                service,
                Purpose.PEER,
                List.of(
                        service,
                        service + "." + namespace,
                        service + "." + namespace + ".svc",
                        service + "." + namespace + ".svc.cluster.local",
                        "localhost"),
                List.of("127.0.0.1"),
                clock.instant(),
                VALID);
        replace(key(), Pem.of(issued.key()));
        replace(certificate(), Pem.of(List.of(issued.certificate())));
        log.info(
                "event=certificate.issued service={} valid_until={}",
                service,
                issued.certificate().getNotAfter());
    }

    private void ensureApiService(CertificateAuthority authority) throws IOException {
        String pem = Pem.of(List.of(authority.certificate()));
        String bundle = Base64.getEncoder().encodeToString(pem.getBytes(StandardCharsets.UTF_8));
        try {
            APIService known = client.apiServices().withName(API_SERVICE).get();
            if (known == null) {
                throw new IOException("no such APIService: apiservice=%s; the chart creates it".formatted(API_SERVICE));
            }
            if (!bundle.equals(known.getSpec().getCaBundle())) {
                client.apiServices()
                        .withName(API_SERVICE)
                        .patch(
                                PatchContext.of(PatchType.JSON_MERGE),
                                "{\"spec\":{\"caBundle\":\"%s\"}}".formatted(bundle));
            }
        } catch (KubernetesClientException e) {
            throw new IOException(
                    "cannot update the APIService: apiservice=%s: %s; check the bridge's rights"
                            .formatted(API_SERVICE, Failures.reason(e)),
                    e);
        }
    }

    private boolean isUsable(String pem, CertificateAuthority authority) {
        PublicKey issuer = authority.certificate().getPublicKey();
        try {
            X509Certificate certificate = Pem.certificates(pem).get(0);
            certificate.verify(issuer);
            return lasts(certificate, RENEWED);
        } catch (GeneralSecurityException e) {
            return false;
        }
    }

    private boolean lasts(X509Certificate certificate, Duration atLeast) {
        return certificate.getNotAfter().toInstant().isAfter(clock.instant().plus(atLeast));
    }

    private static void replace(Path file, String text) throws IOException {
        if (Files.exists(file) && Files.readString(file).equals(text)) {
            return;
        }
        Path written = Files.writeString(file.resolveSibling(file.getFileName() + ".new"), text);
        Files.move(written, file, StandardCopyOption.ATOMIC_MOVE);
    }

    // ---- Secrets

    private Secret read(String name) throws IOException {
        try {
            Secret secret = client.secrets()
                    .inNamespace(client.getNamespace())
                    .withName(name)
                    .get();
            if (secret == null) {
                throw new IOException("no such Secret: secret=%s/%s; the chart creates it, empty"
                        .formatted(client.getNamespace(), name));
            }
            return secret;
        } catch (KubernetesClientException e) {
            throw failed("read", name, e);
        }
    }

    private static Map<String, String> data(Secret secret) {
        Map<String, String> data = new TreeMap<>();
        Optional.ofNullable(secret.getData())
                .ifPresent(encoded -> encoded.forEach((key, value) ->
                        data.put(key, new String(Base64.getDecoder().decode(value), StandardCharsets.UTF_8))));
        return data;
    }

    /** False if somebody else wrote it meanwhile. */
    private boolean write(Secret secret, Map<String, String> data) throws IOException {
        Map<String, String> encoded = new TreeMap<>();
        data.forEach((key, value) ->
                encoded.put(key, Base64.getEncoder().encodeToString(value.getBytes(StandardCharsets.UTF_8))));
        String name = secret.getMetadata().getName();
        try {
            client.resource(new SecretBuilder(secret).withData(encoded).build()).update();
            log.info("event=certificate.stored secret={}/{}", client.getNamespace(), name);
            return true;
        } catch (KubernetesClientException e) {
            if (e.getCode() == HttpURLConnection.HTTP_CONFLICT) {
                return false;
            }
            throw failed("write", name, e);
        }
    }

    private IOException failed(String verb, String name, KubernetesClientException e) {
        return new IOException(
                "cannot %s the Secret: secret=%s/%s: %s; check the bridge's rights"
                        .formatted(verb, client.getNamespace(), name, Failures.reason(e)),
                e);
    }
}
