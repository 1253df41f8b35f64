package io.numaledger.bridge.objects;

import com.fasterxml.jackson.databind.JsonNode;

import java.util.List;
import java.util.stream.Stream;
import java.util.stream.StreamSupport;

/**
 * The terms of a Pod that decide on which nodes it may run, zones apart. Two pods with equal terms may run on the same nodes, unless one
 * of them is tied to something else.
 *
 * @param priority the higher, the more important
 * @param nodes its node selector, required node affinity and tolerations, as the API server has them
 * @param tied to other pods, volumes, claims or host ports as well
 */
public record SchedulingTerms(int priority, List<JsonNode> nodes, boolean tied) {

    private static final String REQUIRED = "requiredDuringSchedulingIgnoredDuringExecution";

    public SchedulingTerms {
        nodes = List.copyOf(nodes);
    }

    /** @param pod a Pod object */
    public static SchedulingTerms of(JsonNode pod) {
        JsonNode spec = pod.path("spec");
        JsonNode affinity = spec.path("affinity");
        return new SchedulingTerms(
                spec.path("priority").asInt(0),
                List.of(
                        spec.path("nodeSelector"),
                        affinity.path("nodeAffinity").path(REQUIRED),
                        spec.path("tolerations")),
                isTied(spec, affinity));
    }

    private static boolean isTied(JsonNode spec, JsonNode affinity) {
        return !affinity.path("podAffinity").path(REQUIRED).isEmpty()
                || !affinity.path("podAntiAffinity").path(REQUIRED).isEmpty()
                || !spec.path("topologySpreadConstraints").isEmpty()
                || !spec.path("resourceClaims").isEmpty()
                || each(spec.path("volumes"))
                        .anyMatch(volume -> volume.has("persistentVolumeClaim") || volume.has("ephemeral"))
                || Stream.concat(each(spec.path("initContainers")), each(spec.path("containers")))
                        .flatMap(container -> each(container.path("ports")))
                        .anyMatch(port -> port.has("hostPort"));
    }

    private static Stream<JsonNode> each(JsonNode list) {
        return StreamSupport.stream(list.spliterator(), false);
    }

    /** A pod of these terms may run wherever one of the others may, and is at least as important. */
    public boolean goBefore(SchedulingTerms other) {
        return !tied && priority >= other.priority && nodes.equals(other.nodes);
    }
}
