package io.numaledger.objects;

import com.fasterxml.jackson.databind.JsonNode;
import io.numaledger.evaluation.claim.DeviceId;
import io.numaledger.evaluation.facts.BindRequest;
import io.numaledger.evaluation.facts.PodGroup;
import io.numaledger.evaluation.facts.PodGroupName;
import io.numaledger.evaluation.facts.TopologyAnnotations;

import java.util.Optional;
import java.util.OptionalInt;
import java.util.Set;
import java.util.SortedMap;
import java.util.TreeMap;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import java.util.stream.StreamSupport;

/** Reads custom resources of other schedulers. */
public final class CustomObjectReader {

    /** The most claims of a pod that are read. */
    private static final int MAX_CLAIMS = 256;

    private CustomObjectReader() {}

    /** Reads a PodGroup of {@code scheduling.k8s.io}, KAI-Scheduler or the coscheduling plugin. */
    public static PodGroup podGroup(PodGroupName.Kind kind, JsonNode object) {
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

    /** Subgroup → how many pods it needs at least. Subgroups that consist of other ones have no number of their own. */
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

    /**
     * Reads a BindRequest of KAI-Scheduler.
     *
     * @throws IllegalArgumentException naming the field that is missing
     */
    public static BindRequest bindRequest(JsonNode object) {
        JsonNode spec = object.path("spec");
        JsonNode status = object.path("status");
        JsonNode predicted = spec.path("predictedNUMAZones");
        boolean givenUp = status.path("failedAttempts").asLong()
                >= spec.path("backoffLimit").asLong(0);
        return new BindRequest(
                required(object, "/metadata/namespace"),
                required(object, "/spec/podName"),
                StreamSupport.stream(object.at("/metadata/ownerReferences").spliterator(), false)
                        .filter(owner -> owner.path("kind").asText().equals("Pod"))
                        .map(owner -> owner.path("uid").asText())
                        .findFirst(),
                required(object, "/spec/selectedNode"),
                predicted.isEmpty() ? Optional.empty() : Optional.of(predicted.toString()),
                status.path("phase").asText().equals("Failed") && givenUp);
    }

    /** The devices that a BindRequest of KAI-Scheduler gives to the claims of its pod. */
    public static Set<DeviceId> requestedDevices(JsonNode object) {
        JsonNode spec = object.path("spec");
        Stream<JsonNode> named =
                StreamSupport.stream(spec.path("resourceClaimAllocations").spliterator(), false);
        return Stream.concat(named.limit(MAX_CLAIMS), Stream.of(spec.path("extendedResourceClaimAllocation")))
                .map(claim -> ClaimReader.allocation(claim.path("allocation"), new ReadingProblems()))
                .flatMap(allocation -> allocation.held().stream())
                .collect(Collectors.toUnmodifiableSet());
    }

    private static String required(JsonNode object, String field) {
        String value = object.at(field).asText();
        if (value.isEmpty()) {
            throw new IllegalArgumentException("a BindRequest has no %s: name=%s"
                    .formatted(
                            field.substring(1).replace('/', '.'),
                            object.at("/metadata/name").asText()));
        }
        return value;
    }
}
