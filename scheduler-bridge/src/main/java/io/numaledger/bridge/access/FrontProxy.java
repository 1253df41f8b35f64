package io.numaledger.bridge.access;

import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.databind.ObjectMapper;
import io.fabric8.kubernetes.api.model.ConfigMap;
import io.fabric8.kubernetes.client.KubernetesClient;
import io.fabric8.kubernetes.client.KubernetesClientException;
import io.numaledger.bridge.server.BridgeServer.Request;
import io.numaledger.cli.Failures;
import io.numaledger.tls.TrustedAuthority;

import java.io.IOException;
import java.net.URLDecoder;
import java.nio.charset.StandardCharsets;
import java.security.cert.X509Certificate;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;
import java.util.TreeMap;

/**
 * Believes the API server when it passes on a request of a user that it has authenticated. kube-apiserver publishes in the ConfigMap
 * {@code extension-apiserver-authentication} with which certificate and which headers it does so.
 */
public final class FrontProxy {

    private static final String NAMESPACE = "kube-system";
    private static final String CONFIG_MAP = "extension-apiserver-authentication";
    private static final ObjectMapper JSON = new ObjectMapper();

    private final KubernetesClient client;
    private final TrustedAuthority authority;
    private volatile Map<String, String> published;

    /** @throws IOException if the ConfigMap cannot be read, or has no CA of the front proxy */
    public FrontProxy(KubernetesClient client) throws IOException {
        this.client = client;
        this.published = read();
        this.authority = new TrustedAuthority(
                "configmap=%s/%s key=requestheader-client-ca-file".formatted(NAMESPACE, CONFIG_MAP),
                () -> published.getOrDefault("requestheader-client-ca-file", ""));
    }

    private Map<String, String> read() throws IOException {
        try {
            ConfigMap map = client.configMaps()
                    .inNamespace(NAMESPACE)
                    .withName(CONFIG_MAP)
                    .get();
            if (map == null || map.getData() == null) {
                throw new IOException(
                        "no such ConfigMap: configmap=%s/%s; kube-apiserver writes it if it has --requestheader-client-ca-file"
                                .formatted(NAMESPACE, CONFIG_MAP));
            }
            return map.getData();
        } catch (KubernetesClientException e) {
            throw new IOException(
                    "cannot read the ConfigMap: configmap=%s/%s: %s; check the bridge's right to get it"
                            .formatted(NAMESPACE, CONFIG_MAP, Failures.reason(e)),
                    e);
        }
    }

    /** Reads the ConfigMap again. Call it now and then. */
    public void refresh() throws IOException {
        published = read();
        authority.refresh();
    }

    /** The user in the headers of a request; absent if the API server did not send it. */
    public Optional<Caller> caller(Request request) {
        Optional<String> user =
                isProxy(request.client()) ? first(request, "requestheader-username-headers") : Optional.empty();
        return user.map(name -> new Caller(
                name,
                first(request, "requestheader-uid-headers").orElse(""),
                list("requestheader-group-headers").stream()
                        .flatMap(header -> request.headers().getAll(header).stream())
                        .toList(),
                extra(request)));
    }

    /** Whether a certificate chain is the one of the API server. */
    public boolean isProxy(List<X509Certificate> chain) {
        List<String> names = list("requestheader-allowed-names");
        return authority
                .commonName(chain)
                .filter(name -> names.isEmpty() || names.contains(name))
                .isPresent();
    }

    private Optional<String> first(Request request, String key) {
        return list(key).stream()
                .flatMap(header -> Optional.ofNullable(request.headers().get(header)).stream())
                .filter(value -> !value.isEmpty())
                .findFirst();
    }

    /** The names of headers do not tell capitals from small letters; keys of extra are small and percent-encoded. */
    private Map<String, List<String>> extra(Request request) {
        Map<String, List<String>> extra = new TreeMap<>();
        for (String prefix : list("requestheader-extra-headers-prefix")) {
            for (String header : request.headers().names()) {
                if (header.toLowerCase(Locale.ROOT).startsWith(prefix.toLowerCase(Locale.ROOT))) {
                    extra.put(
                            decoded(header.substring(prefix.length()).toLowerCase(Locale.ROOT)),
                            request.headers().getAll(header));
                }
            }
        }
        return extra;
    }

    private static String decoded(String key) {
        try {
            return URLDecoder.decode(key.replace("+", "%2B"), StandardCharsets.UTF_8);
        } catch (IllegalArgumentException malformed) {
            return key;
        }
    }

    private List<String> list(String key) {
        try {
            return List.of(JSON.readValue(published.getOrDefault(key, "[]"), String[].class));
        } catch (JsonProcessingException e) {
            return List.of();
        }
    }
}
