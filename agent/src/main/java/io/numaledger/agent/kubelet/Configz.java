package io.numaledger.agent.kubelet;

import com.fasterxml.jackson.core.JsonFactory;
import com.fasterxml.jackson.core.JsonParser;
import com.fasterxml.jackson.core.JsonToken;
import io.numaledger.agent.api.ApiException;
import io.numaledger.agent.api.ApiServer;
import io.numaledger.agent.api.HttpConnections;
import io.numaledger.agent.api.HttpConnections.Answer;
import io.numaledger.agent.api.HttpConnections.Server;
import io.numaledger.agent.api.HttpConnections.Timeouts;
import io.numaledger.nrt.KubeletSettings;
import org.apache.hc.core5.http.ClassicHttpRequest;
import org.apache.hc.core5.http.message.BasicClassicHttpRequest;
import org.jspecify.annotations.Nullable;

import javax.net.ssl.SSLContext;
import javax.net.ssl.SSLException;

import java.io.IOException;
import java.net.URI;
import java.nio.file.Files;
import java.nio.file.Path;
import java.security.cert.CertificateException;
import java.time.Duration;
import java.util.Optional;

/**
 * The kubelet's effective configuration, from its own {@code /configz} (pkg/kubelet/server/server.go): file, drop-ins and flags
 * merged. Needs the right {@code get} on {@code nodes/configz}, which kubelets know from 1.33 on.
 */
public final class Configz {

    private static final Timeouts TIMEOUTS = new Timeouts(Duration.ofSeconds(2), Duration.ofSeconds(5));
    private static final JsonFactory JSON = new JsonFactory();

    private final ApiServer api;
    private final String node;
    private final Access access;

    /**
     * How the kubelet is reached.
     *
     * @param address absent: from the Node object
     * @param ca a PEM file to verify it by; absent: the cluster's
     * @param insecure do not verify it
     */
    public record Access(Optional<KubeletAddress> address, Optional<Path> ca, boolean insecure) {}

    public Configz(ApiServer api, String node, Access access) {
        this.api = api;
        this.node = node;
        this.access = access;
    }

    /** The kubelet or the API server is unreachable or overloaded, probably for a short time. Other errors need an administrator. */
    static final class Unreachable extends IOException {

        private static final long serialVersionUID = 1;

        Unreachable(String message, @Nullable Throwable cause) {
            super(message, cause);
        }
    }

    /** The kubelet's certificate does not verify. */
    public static final class Untrusted extends IOException {

        private static final long serialVersionUID = 1;

        Untrusted(String message, Throwable cause) {
            super(message, cause);
        }
    }

    /**
     * Asks the kubelet.
     *
     * @throws Unreachable while the kubelet is unreachable or its address is unknown
     * @throws IOException if it rejects the request; the message says what to grant or set
     */
    public KubeletSettings read() throws IOException {
        return read(KubeletConfigFile::parse);
    }

    /** Asks the kubelet for what it compares with its state files when it starts. */
    public StartSettings readStartSettings() throws IOException {
        return read(StartSettings::parse);
    }

    /** Reads a configuration, from the token that opens it. */
    private interface ConfigurationReader<T> {
        T read(JsonParser config) throws IOException;
    }

    private <T> T read(ConfigurationReader<T> reader) throws IOException {
        KubeletAddress address = address();
        Answer<byte[]> answer = ask(address);
        if (answer.status() != 200) {
            String refusal = "the kubelet does not serve its configuration: url=%s status=%d; %s"
                    .formatted(address.configz(), answer.status(), advice(answer.status()));
            throw isTemporary(answer.status()) ? new Unreachable(refusal, null) : new IOException(refusal);
        }
        try (JsonParser json = JSON.createParser(answer.body())) {
            return parse(json, reader);
        } catch (IOException | IllegalArgumentException e) {
            throw new IOException(
                    "cannot use the kubelet's configuration: url=%s: %s; give --kubelet-config or the policies' flags"
                            .formatted(address.configz(), e.getMessage()),
                    e);
        }
    }

    private static boolean isTemporary(int status) {
        return status == 429 || status >= 500;
    }

    private static String advice(int status) {
        return switch (status) {
            case 401 ->
                "check that the kubelet has webhook authentication on, or give --kubelet-config or the policies' flags";
            case 403 ->
                "grant get on nodes/configz (kubelets before 1.33 do not know it: give --kubelet-config or the policies' flags)";
            default -> "check its enableDebuggingHandlers, or give --kubelet-config or the policies' flags";
        };
    }

    /** {@code {"kubeletconfig":{…}}}. */
    private static <T> T parse(JsonParser json, ConfigurationReader<T> reader) throws IOException {
        if (json.nextToken() == JsonToken.START_OBJECT) {
            while (json.nextToken() == JsonToken.FIELD_NAME) {
                boolean wanted = json.currentName().equals("kubeletconfig");
                json.nextToken();
                if (wanted) {
                    return reader.read(json);
                }
                json.skipChildren();
            }
        }
        throw new IllegalArgumentException("it has no kubeletconfig");
    }

    private KubeletAddress address() throws IOException {
        if (access.address().isPresent()) {
            return access.address().get();
        }
        Optional<KubeletAddress> reported;
        try {
            reported = api.get("/api/v1/nodes/" + node, KubeletAddress::ofNode);
        } catch (IOException e) {
            String unknown = "the kubelet's address is not known: %s; grant get on nodes, or give --kubelet-address"
                    .formatted(e.getMessage());
            boolean refused = e instanceof ApiException answer && !isTemporary(answer.status());
            throw refused ? new IOException(unknown, e) : new Unreachable(unknown, e);
        }
        return reported.orElseThrow(() ->
                new IOException("the kubelet's address is not known: node=%s has no InternalIP; give --kubelet-address"
                        .formatted(node)));
    }

    private Answer<byte[]> ask(KubeletAddress address) throws IOException {
        URI url = address.configz();
        String host = url.getHost().replaceAll("[\\[\\]]", "");
        ClassicHttpRequest request = new BasicClassicHttpRequest("GET", url.getRawPath());
        request.setHeader("Host", url.getRawAuthority());
        request.setHeader("User-Agent", "numaledger-agent");
        api.bearerToken().ifPresent(token -> request.setHeader("Authorization", "Bearer " + token));
        Server kubelet = new Server(
                host, url.getPort(), Optional.of(tls()), Optional.of(host).filter(any -> !access.insecure()));
        try (HttpConnections http = new HttpConnections(kubelet, TIMEOUTS)) {
            return http.send(request);
        } catch (SSLException e) {
            if (!isAboutTheCertificate(e)) {
                throw unreachable(address, e);
            }
            throw new Untrusted(
                    "the kubelet's certificate does not verify: url=%s: %s; give --kubelet-ca or --kubelet-insecure-tls, or --kubelet-config or the policies' flags"
                            .formatted(address.configz(), e.getMessage()),
                    e);
        } catch (IOException e) {
            throw unreachable(address, e);
        }
    }

    /** Whether the certificate is the cause; else the connection ended while it was made. */
    private static boolean isAboutTheCertificate(SSLException e) {
        for (Throwable cause = e; cause != null; cause = cause.getCause()) {
            if (cause instanceof CertificateException) {
                return true;
            }
        }
        return false;
    }

    private static Unreachable unreachable(KubeletAddress address, IOException e) {
        return new Unreachable(
                "the kubelet cannot be reached: url=%s reason='%s: %s'; check --kubelet-address and network policies"
                        .formatted(address.configz(), e.getClass().getSimpleName(), e.getMessage()),
                e);
    }

    private SSLContext tls() throws IOException {
        if (access.insecure()) {
            return KubeletTls.unverified();
        }
        if (access.ca().isEmpty()) {
            return KubeletTls.verifying(api.clusterCa());
        }
        Path file = access.ca().get();
        try {
            return KubeletTls.verifying(Optional.of(Files.readAllBytes(file)));
        } catch (IOException e) {
            throw new IOException(
                    "cannot read the kubelet's CA: file=%s: %s; check --kubelet-ca".formatted(file, e.getMessage()), e);
        }
    }
}
