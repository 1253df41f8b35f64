package io.numaledger.kubectl.zones;

import com.fasterxml.jackson.databind.JsonNode;
import io.numaledger.objects.PodManifest;

import java.io.IOException;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalInt;
import java.util.SortedMap;

/** Port: the zones of a cluster, and what fits there. */
public interface Zones {

    /** All nodes, as {@link io.numaledger.apiobjects.view.NodeJson} writes them. */
    List<JsonNode> nodes() throws IOException;

    /** A listener that is told the nodes whenever some have changed. What it takes longer than, is told together. */
    @FunctionalInterface
    interface NodeListener {
        void nodes(List<JsonNode> nodes) throws IOException, InterruptedException;
    }

    /**
     * Tells all nodes, and again whenever some have changed, until the watch ends, which it does after some minutes.
     *
     * @return false: they cannot be watched, only read again
     */
    default boolean watch(NodeListener listener) throws IOException, InterruptedException {
        return false;
    }

    /** The labels of the nodes by their names; none where the user may not read them. */
    default Map<String, SortedMap<String, String>> labels() throws IOException {
        return Map.of();
    }

    /** One node, with the places of its CPUs and devices where they are known; empty if there is no such node. */
    default Optional<JsonNode> node(String name) throws IOException {
        return nodes().stream()
                .filter(node -> node.path("node").asText().equals(name))
                .findFirst();
    }

    /**
     * The explanations of a pod for all nodes, as {@link io.numaledger.apiobjects.view.ExplanationJson} writes them.
     *
     * @param ended pods that are taken to have ended, {@code namespace/name}
     */
    List<JsonNode> explain(ExplainedPod pod, List<String> ended) throws IOException;

    /**
     * The explanation of a group of pods: whether it fits as a whole, and which evictions would make room for it.
     *
     * @param key {@code namespace/name}
     * @param least how many pods have to run; absent: as the pods say
     */
    default JsonNode explainGroup(String key, OptionalInt least) throws IOException {
        throw new IOException("a bridge does not explain groups: group=%s; read the cluster itself".formatted(key));
    }

    /** The audited predictions, the newest first, as {@link io.numaledger.apiobjects.view.AuditJson} writes their status. */
    default List<JsonNode> audits() throws IOException {
        throw new IOException("only a bridge audits predictions; leave out --dump and --without-bridge");
    }

    /** The audited prediction of a pod, with the file about a miss. */
    default JsonNode audit(String uid) throws IOException {
        throw new IOException("only a bridge audits predictions: pod uid=%s".formatted(uid));
    }

    /** How much capacity is stranded, by reference pod, as {@link io.numaledger.apiobjects.view.StrandedJson} writes it. */
    List<JsonNode> stranded(StrandedSizes sizes) throws IOException;

    /** The stranded capacity of one reference pod, with its nodes and moves; empty if there is no such reference pod. */
    Optional<JsonNode> stranded(StrandedSizes sizes, String reference) throws IOException;

    /**
     * The sizes and pools by which stranded capacity is counted where no bridge counts.
     *
     * @param references see {@link io.numaledger.scheduling.stranded.ReferencePods#of}
     * @param poolLabel see {@link io.numaledger.scheduling.pool.NodePools}
     */
    record StrandedSizes(List<String> references, String poolLabel) {

        boolean areChosen() {
            return !references.isEmpty() || !poolLabel.isEmpty();
        }
    }

    /**
     * A pod that is to be explained.
     *
     * @param key {@code namespace/name}
     * @param manifest absent: the pod is in the cluster
     */
    record ExplainedPod(String key, Optional<PodManifest> manifest) {

        public static ExplainedPod named(String key) {
            return new ExplainedPod(key, Optional.empty());
        }

        /** @param pod {@code name} or {@code namespace/name} */
        public static String qualified(String pod, String namespace) {
            return pod.contains("/") ? pod : namespace + "/" + pod;
        }
    }
}
