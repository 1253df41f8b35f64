package io.numaledger.bridge.watch;

import com.fasterxml.jackson.databind.JsonNode;
import io.fabric8.kubernetes.client.KubernetesClient;
import io.fabric8.kubernetes.client.dsl.base.ResourceDefinitionContext;
import io.numaledger.evaluation.claim.ResourceClaim;
import io.numaledger.evaluation.claim.ResourceSlice;
import io.numaledger.objects.ClaimReader;
import io.numaledger.objects.ResourceSliceReader;
import io.numaledger.scheduling.dra.ClusterClaims;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentHashMap;
import java.util.function.BiConsumer;
import java.util.function.Consumer;

/** Watches what Dynamic Resource Allocation has, where the cluster serves it: ResourceSlices, ResourceClaims and DeviceClasses. */
final class ClaimWatch implements AutoCloseable {

    private static final Logger log = LoggerFactory.getLogger(ClaimWatch.class);

    private static final String GROUP = "resource.k8s.io";
    private static final String VERSION = "v1";

    static final ResourceDefinitionContext CLAIMS =
            OptionalWatch.namespaced(GROUP, VERSION, "ResourceClaim", "resourceclaims");

    private final ResourceSliceReader slices = new ResourceSliceReader();
    private final List<OptionalWatch> watches;

    /** Problems that were logged, by object. Most objects have none. */
    private final Map<String, List<String>> problems = new ConcurrentHashMap<>();

    ClaimWatch(KubernetesClient client, ClusterClaims claims) {
        this.watches = List.of(
                watch(
                        client,
                        OptionalWatch.ofCluster(GROUP, VERSION, "ResourceSlice", "resourceslices"),
                        object -> claims.sliceChanged(slice(object)),
                        (namespace, name) -> {
                            problems.remove("/" + name);
                            claims.sliceDeleted(name);
                        }),
                watch(client, CLAIMS, object -> claims.claimChanged(claim(object)), (namespace, name) -> {
                    problems.remove(namespace + "/" + name);
                    claims.claimDeleted(namespace, name);
                }),
                watch(
                        client,
                        OptionalWatch.ofCluster(GROUP, VERSION, "DeviceClass", "deviceclasses"),
                        object -> claims.classChanged(ClaimReader.deviceClass(object)),
                        (namespace, name) -> claims.classDeleted(name)));
    }

    private static OptionalWatch watch(
            KubernetesClient client,
            ResourceDefinitionContext kind,
            Consumer<JsonNode> seen,
            BiConsumer<String, String> gone) {
        return new OptionalWatch(client, List.of(kind), new OptionalWatch.Listener() {
            @Override
            public void seen(JsonNode object) {
                seen.accept(object);
            }

            @Override
            public void gone(String namespace, String name) {
                gone.accept(namespace, name);
            }
        });
    }

    private ResourceSlice slice(JsonNode object) {
        ResourceSlice slice = slices.slice(object);
        report("ResourceSlice", "/" + slice.name(), slice.problems());
        return slice;
    }

    private ResourceClaim claim(JsonNode object) {
        ResourceClaim claim = ClaimReader.claim(object);
        report("ResourceClaim", claim.key(), claim.problems());
        return claim;
    }

    /** Reports what is wrong once, and again when it changes. */
    private void report(String kind, String object, List<String> found) {
        List<String> before = found.isEmpty() ? problems.remove(object) : problems.put(object, found);
        if (!found.isEmpty() && !found.equals(before)) {
            log.warn("event=object.partly_read kind={} object={} error=\"{}\"", kind, object, String.join("; ", found));
        }
    }

    /** Starts to watch the kinds that are served and not watched yet. */
    CompletableFuture<Void> start() {
        return CompletableFuture.allOf(
                watches.stream().map(OptionalWatch::start).toArray(CompletableFuture<?>[]::new));
    }

    @Override
    public void close() {
        watches.forEach(OptionalWatch::close);
    }
}
