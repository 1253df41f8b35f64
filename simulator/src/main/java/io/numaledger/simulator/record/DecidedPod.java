package io.numaledger.simulator.record;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import io.numaledger.apiobjects.recording.RecordedDecision;
import io.numaledger.objects.ClusterDump;
import io.numaledger.objects.ObjectReader;
import io.numaledger.placement.ContainerAllocation;
import io.numaledger.pod.ContainerRequest;
import io.numaledger.pod.PodRequest;

import java.io.IOException;
import java.util.List;
import java.util.Optional;

/**
 * A pod with the kubelet's decision in its status.
 *
 * @param refusal absent: the kubelet has admitted the pod
 */
record DecidedPod(String uid, PodRequest request, Optional<ObjectNode> refusal) {

    /**
     * Reads a pod as the API server has it.
     *
     * @throws IllegalArgumentException as a sentence, if it has no UID or the kubelet has not decided on it
     */
    static DecidedPod read(JsonNode object) throws IOException {
        JsonNode status = object.path("status");
        String phase = status.path("phase").asText();
        String uid = object.path("metadata").path("uid").asText();
        if (uid.isEmpty() || phase.isEmpty() || phase.equals("Pending")) {
            throw new IllegalArgumentException(
                    "the pod has no decision of the kubelet: phase='%s'; give the output of kubectl get pod NAME -o yaml for a pod that runs or was refused"
                            .formatted(phase));
        }
        return new DecidedPod(
                uid,
                ClusterDump.pod(object, new ObjectReader()).request(),
                Optional.of(status)
                        .filter(failed -> phase.equals("Failed") && failed.has("reason"))
                        .map(failed -> RecordedDecision.refused(
                                failed.path("reason").asText(),
                                failed.path("message").asText())));
    }

    /**
     * The pod and the decision as a step of {@code sim replay}.
     *
     * @param holds with names as they are recorded
     */
    ObjectNode step(List<ContainerAllocation> holds, Names names) {
        PodRequest named = new PodRequest(
                names.apply(uid),
                request.qosClass(),
                request.podLevel(),
                named(request.initContainers(), names),
                named(request.containers(), names));
        return RecordedDecision.of(named, refusal.orElseGet(() -> RecordedDecision.admitted(holds)));
    }

    private static List<ContainerRequest> named(List<ContainerRequest> containers, Names names) {
        return containers.stream()
                .map(each -> new ContainerRequest(names.apply(each.name()), each.kind(), each.resources()))
                .toList();
    }
}
