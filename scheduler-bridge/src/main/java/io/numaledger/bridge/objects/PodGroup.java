package io.numaledger.bridge.objects;

import com.fasterxml.jackson.databind.JsonNode;

import java.util.OptionalInt;

/**
 * What matters of a PodGroup object, of whichever API.
 *
 * @param apiVersion such as {@code scheduling.k8s.io/v1beta1}
 * @param minMember how many of its pods have to run together; absent: they need not
 */
public record PodGroup(PodGroupName name, String apiVersion, String uid, OptionalInt minMember) {

    /** Reads an object of {@code scheduling.k8s.io}, KAI-Scheduler or the coscheduling plugin. */
    public static PodGroup read(PodGroupName.Kind kind, JsonNode object) {
        JsonNode spec = object.path("spec");
        int least = kind == PodGroupName.Kind.NATIVE
                ? spec.path("schedulingPolicy").path("gang").path("minCount").asInt()
                : spec.path("minMember").asInt();
        return new PodGroup(
                new PodGroupName(
                        kind,
                        object.at("/metadata/namespace").asText(),
                        object.at("/metadata/name").asText()),
                object.path("apiVersion").asText(),
                object.at("/metadata/uid").asText(),
                least > 0 ? OptionalInt.of(least) : OptionalInt.empty());
    }
}
