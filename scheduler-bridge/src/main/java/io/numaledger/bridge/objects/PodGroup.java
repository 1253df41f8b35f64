package io.numaledger.bridge.objects;

import com.fasterxml.jackson.databind.JsonNode;

import java.util.List;
import java.util.OptionalInt;
import java.util.SortedMap;
import java.util.TreeMap;

import static io.numaledger.topology.Sorted.sorted;

/**
 * What matters of a PodGroup object, of whichever API.
 *
 * @param apiVersion such as {@code scheduling.k8s.io/v1beta1}
 * @param minMember how many of its pods have to run together; absent: they need not
 * @param topology its topology constraint of KAI-Scheduler, as the annotations of a workload; empty: it has none
 * @param subGroups name → how many of its pods have to run, 1 or more; empty: the group is not divided
 * @param sameValues labels that have the same value on all nodes of its pods, as {@code scheduling.k8s.io} demands
 */
public record PodGroup(
        PodGroupName name,
        String apiVersion,
        String uid,
        OptionalInt minMember,
        SortedMap<String, String> topology,
        SortedMap<String, Integer> subGroups,
        List<String> sameValues) {

    public PodGroup {
        topology = sorted(topology);
        subGroups = sorted(subGroups);
        sameValues = List.copyOf(sameValues);
    }

    /** Reads an object of {@code scheduling.k8s.io}, KAI-Scheduler or the coscheduling plugin. */
    public static PodGroup read(PodGroupName.Kind kind, JsonNode object) {
        JsonNode spec = object.path("spec");
        int least = kind == PodGroupName.Kind.NATIVE
                ? spec.path("schedulingPolicy").path("gang").path("minCount").asInt()
                : spec.path("minMember").asInt();
        SortedMap<String, Integer> subGroups = subGroups(spec.path("subGroups"));
        if (!subGroups.isEmpty()) {
            least = subGroups.values().stream().mapToInt(Integer::intValue).sum();
        }
        return new PodGroup(
                new PodGroupName(
                        kind,
                        object.at("/metadata/namespace").asText(),
                        object.at("/metadata/name").asText()),
                object.path("apiVersion").asText(),
                object.at("/metadata/uid").asText(),
                least > 0 ? OptionalInt.of(least) : OptionalInt.empty(),
                topology(spec.path("topologyConstraint")),
                subGroups,
                spec.path("schedulingConstraints").path("topology").findValuesAsText("key"));
    }

    /** Those that consist of other ones have no number of their own. */
    private static SortedMap<String, Integer> subGroups(JsonNode all) {
        SortedMap<String, Integer> least = new TreeMap<>();
        all.forEach(each ->
                least.put(each.path("name").asText(), each.path("minMember").asInt()));
        least.values().removeIf(pods -> pods <= 0);
        return least;
    }

    private static SortedMap<String, String> topology(JsonNode constraint) {
        SortedMap<String, String> annotations = new TreeMap<>();
        annotations.put(
                TopologyAnnotations.KAI_TOPOLOGY, constraint.path("topology").asText());
        annotations.put(
                TopologyAnnotations.KAI_REQUIRED,
                constraint.path("requiredTopologyLevel").asText());
        annotations.put(
                TopologyAnnotations.KAI_PREFERRED,
                constraint.path("preferredTopologyLevel").asText());
        annotations.values().removeIf(String::isEmpty);
        return annotations;
    }
}
