package io.numaledger.bridge.replica;

import com.fasterxml.jackson.databind.ObjectMapper;
import com.fasterxml.jackson.databind.node.ObjectNode;
import io.fabric8.kubernetes.api.model.coordination.v1.Lease;
import io.fabric8.kubernetes.api.model.coordination.v1.LeaseSpec;
import io.fabric8.kubernetes.client.KubernetesClient;
import io.fabric8.kubernetes.client.KubernetesClientException;
import io.fabric8.kubernetes.client.dsl.Resource;
import io.fabric8.kubernetes.client.dsl.base.PatchContext;
import io.fabric8.kubernetes.client.dsl.base.PatchType;
import io.numaledger.cli.Failures;

import java.io.IOException;
import java.net.HttpURLConnection;
import java.time.Duration;
import java.time.Instant;
import java.time.InstantSource;
import java.time.ZoneOffset;
import java.time.format.DateTimeFormatter;
import java.time.temporal.ChronoUnit;
import java.util.Optional;

/** A Lease of the API server. Its times are for people: no replica decides by them. */
final class ApiLease implements ElectionLease {

    private static final ObjectMapper JSON = new ObjectMapper();
    private static final PatchContext MERGED = PatchContext.of(PatchType.JSON_MERGE);
    private static final DateTimeFormatter MICRO_TIME =
            DateTimeFormatter.ofPattern("yyyy-MM-dd'T'HH:mm:ss.SSSSSS'Z'").withZone(ZoneOffset.UTC);

    private final KubernetesClient client;
    private final String name;
    private final Duration duration;
    private final InstantSource clock;
    private Instant renewed = Instant.EPOCH;

    /**
     * A Lease in the client's namespace.
     *
     * @param client repeats no request
     * @param duration written to the Lease
     */
    ApiLease(KubernetesClient client, String name, Duration duration, InstantSource clock) {
        this.client = client;
        this.name = name;
        this.duration = duration;
        this.clock = clock;
    }

    private Resource<Lease> resource() {
        return client.leases().inNamespace(client.getNamespace()).withName(name);
    }

    @Override
    public Optional<Seen> read() throws IOException {
        try {
            return Optional.ofNullable(resource().get()).map(ApiLease::seen);
        } catch (KubernetesClientException e) {
            throw failure("read", e);
        }
    }

    private static Seen seen(Lease lease) {
        Optional<LeaseSpec> spec = Optional.ofNullable(lease.getSpec());
        return new Seen(
                spec.map(LeaseSpec::getHolderIdentity).orElse(""),
                lease.getMetadata().getResourceVersion(),
                spec.map(LeaseSpec::getLeaseTransitions).orElse(0));
    }

    @Override
    public Optional<Seen> write(Optional<Seen> last, String holder) throws IOException {
        try {
            Lease written = last.isPresent()
                    ? resource().patch(MERGED, lease(last, holder).toString())
                    : client.leases()
                            .inNamespace(client.getNamespace())
                            .resource(
                                    client.getKubernetesSerialization().convertValue(lease(last, holder), Lease.class))
                            .create();
            return Optional.of(seen(written));
        } catch (KubernetesClientException e) {
            if (e.getCode() == HttpURLConnection.HTTP_CONFLICT || e.getCode() == HttpURLConnection.HTTP_NOT_FOUND) {
                return Optional.empty();
            }
            throw failure("write", e);
        }
    }

    /** The API server refuses a version that is not the last one. */
    private ObjectNode lease(Optional<Seen> last, String holder) {
        ObjectNode lease = JSON.createObjectNode();
        ObjectNode metadata = lease.putObject("metadata").put("name", name);
        last.ifPresent(known -> metadata.put("resourceVersion", known.version()));
        String now = MICRO_TIME.format(nextRenewal());
        ObjectNode spec = lease.putObject("spec")
                .put("holderIdentity", holder)
                .put("leaseDurationSeconds", (int) duration.toSeconds())
                .put("renewTime", now);
        if (last.isEmpty() || !last.get().holder().equals(holder)) {
            int before = last.map(Seen::transitions).orElse(-1);
            spec.put("acquireTime", now).put("leaseTransitions", Math.max(0, before + 1));
        }
        return lease;
    }

    /** Each write must change the Lease, even while the clock stands still: the API server makes no new version otherwise. */
    private Instant nextRenewal() {
        Instant now = clock.instant().truncatedTo(ChronoUnit.MICROS);
        renewed = now.equals(renewed) ? now.plus(1, ChronoUnit.MICROS) : now;
        return renewed;
    }

    private IOException failure(String verb, KubernetesClientException cause) {
        return new IOException(
                "cannot %s the Lease: lease=%s/%s: %s; check that the API server runs, and the bridge's rights"
                        .formatted(verb, client.getNamespace(), name, Failures.reason(cause)),
                cause);
    }
}
