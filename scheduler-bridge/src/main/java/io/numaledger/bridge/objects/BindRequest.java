package io.numaledger.bridge.objects;

import com.fasterxml.jackson.databind.JsonNode;

import java.util.Optional;
import java.util.stream.StreamSupport;

/**
 * KAI-Scheduler's decision to bind a pod, which its binder then carries out (BindRequest, scheduling.run.ai/v1alpha2).
 *
 * @param podUid the owner of the request; absent if it has none
 * @param node the selected node
 * @param predicted the predicted placement, in the format of {@code kai.scheduler/numa-placement-predicted}; absent if there is none
 * @param failed the binder has given up
 */
public record BindRequest(
        String podNamespace,
        String podName,
        Optional<String> podUid,
        String node,
        Optional<String> predicted,
        boolean failed) {

    /** @throws IllegalArgumentException naming the field that is missing */
    public static BindRequest read(JsonNode object) {
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

    /** The pod's {@code namespace/name}. */
    public String podKey() {
        return podNamespace + "/" + podName;
    }

    /** Whether it decides where this pod goes: another pod may have had the name before. */
    public boolean places(PodFacts pod) {
        return !failed
                && podUid.filter(uid -> !pod.uid().equals(Optional.of(uid))).isEmpty()
                && pod.node().isEmpty()
                && !pod.terminating()
                && !pod.ended();
    }

    /** The pod as the binder will bind it. */
    public PodFacts bound(PodFacts pod) {
        PodFacts bound = pod.onNode(node);
        return predicted.map(bound::withPredicted).orElse(bound);
    }
}
