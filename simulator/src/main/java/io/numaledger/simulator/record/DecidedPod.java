package io.numaledger.simulator.record;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import io.numaledger.apiobjects.recording.RecordedDecision;
import io.numaledger.placement.ContainerAllocation;

import java.util.List;

/**
 * A pod with the kubelet's decision in its status.
 *
 * @param object as the API server has it
 */
record DecidedPod(JsonNode object) {

    private static final ObjectMapper JSON = new ObjectMapper();

    /** @throws IllegalArgumentException as a sentence, if it has no UID or the kubelet has not decided on it */
    DecidedPod {
        String phase = object.path("status").path("phase").asText();
        if (object.path("metadata").path("uid").asText().isEmpty() || phase.isEmpty() || phase.equals("Pending")) {
            throw new IllegalArgumentException(
                    "the pod has no decision of the kubelet: phase='%s'; give the output of kubectl get pod NAME -o yaml for a pod that runs or was refused"
                            .formatted(phase));
        }
    }

    String uid() {
        return object.path("metadata").path("uid").asText();
    }

    /**
     * The pod and the decision as a step of {@code sim replay}.
     *
     * @param holds with names as they are recorded
     */
    ObjectNode step(List<ContainerAllocation> holds, Names names) {
        ObjectNode step = JSON.createObjectNode().put("op", "admit");
        ObjectNode pod = step.putObject("pod").put("name", names.apply(uid()));
        JsonNode spec = object.path("spec");
        pod.put("qosClass", object.path("status").path("qosClass").asText());
        if (spec.path("resources").isObject()) {
            pod.set("resources", spec.path("resources").path("requests"));
        }
        pod.set("initContainers", containers(spec.path("initContainers"), names));
        pod.set("containers", containers(spec.path("containers"), names));
        JsonNode status = object.path("status");
        boolean refused = status.path("phase").asText().equals("Failed") && status.has("reason");
        step.set(
                "result",
                refused
                        ? RecordedDecision.refused(
                                status.path("reason").asText(),
                                status.path("message").asText())
                        : RecordedDecision.admitted(holds));
        return step;
    }

    private static ArrayNode containers(JsonNode containers, Names names) {
        ArrayNode all = JSON.createArrayNode();
        containers.forEach(container -> {
            ObjectNode one = all.addObject()
                    .put("name", names.apply(container.path("name").asText()));
            if (container.has("restartPolicy")) {
                one.set("restartPolicy", container.get("restartPolicy"));
            }
            one.set("resources", amounts(container, "requests"));
            one.set("limits", amounts(container, "limits"));
        });
        return all;
    }

    private static JsonNode amounts(JsonNode container, String which) {
        JsonNode amounts = container.path("resources").path(which);
        return amounts.isObject() ? amounts : JSON.createObjectNode();
    }
}
