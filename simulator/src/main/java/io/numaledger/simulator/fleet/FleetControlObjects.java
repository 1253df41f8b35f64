package io.numaledger.simulator.fleet;

import com.fasterxml.jackson.databind.ObjectMapper;
import com.fasterxml.jackson.databind.ObjectWriter;
import com.fasterxml.jackson.databind.node.ObjectNode;
import io.numaledger.tls.CertificateAuthority;
import io.numaledger.tls.Pem;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Map;
import java.util.Optional;

/** What a bridge of the chart needs beside nodes and pods: one Lease, and the ConfigMap that kube-apiserver publishes for aggregated APIs. */
final class FleetControlObjects {

    private static final ObjectMapper JSON = new ObjectMapper();
    private static final ObjectWriter TEXT = JSON.writer();

    private final byte[] frontProxy;
    private Optional<byte[]> lease = Optional.empty();
    private int version;

    FleetControlObjects() throws IOException {
        CertificateAuthority authority =
                CertificateAuthority.create("front-proxy-ca", Instant.now(), Duration.ofDays(1));
        this.frontProxy = TEXT.writeValueAsBytes(Map.of(
                "apiVersion",
                "v1",
                "kind",
                "ConfigMap",
                "metadata",
                Map.of("name", "extension-apiserver-authentication", "namespace", "kube-system"),
                "data",
                Map.of("requestheader-client-ca-file", Pem.of(List.of(authority.certificate())))));
    }

    static boolean isOne(String path) {
        return path.contains("/leases") || path.endsWith("/configmaps/extension-apiserver-authentication");
    }

    /** Absent: there is no such object yet. The Lease is as it was written last, with a new version. */
    synchronized Optional<byte[]> answer(String method, String path, byte[] body) throws IOException {
        if (path.contains("/configmaps/")) {
            return Optional.of(frontProxy);
        }
        if (!method.equals("GET")) {
            ObjectNode written = (ObjectNode) JSON.readTree(new String(body, StandardCharsets.UTF_8));
            written.withObject("/metadata").put("resourceVersion", Integer.toString(++version));
            lease = Optional.of(TEXT.writeValueAsBytes(written));
        }
        return lease;
    }
}
