package io.numaledger.simulator.replay;

import com.fasterxml.jackson.databind.JsonNode;
import io.numaledger.pod.ContainerRequest;
import io.numaledger.pod.ContainerRequest.Kind;
import io.numaledger.pod.PodRequest;
import io.numaledger.pod.QosClass;
import io.numaledger.pod.RequestedAmount;
import io.numaledger.pod.Resources;

import java.util.List;
import java.util.SortedMap;
import java.util.TreeMap;

/** From a recorded pod to the model's request. */
final class PodReader {

    private PodReader() {}

    static PodRequest read(JsonNode json) {
        return new PodRequest(
                Json.text(json, "name"),
                QosClass.parse(Json.text(json, "qosClass")),
                Json.optional(json, "resources").map(own -> Resources.equalTo(amounts(own))),
                containers(json, "initContainers"),
                containers(json, "containers"));
    }

    private static List<ContainerRequest> containers(JsonNode pod, String field) {
        boolean init = field.equals("initContainers");
        return Json.list(pod, field).stream()
                .map(json -> new ContainerRequest(
                        Json.text(json, "name"), init ? initKind(json) : Kind.APP, resources(json)))
                .toList();
    }

    private static Kind initKind(JsonNode json) {
        return json.path("restartPolicy").asText().equals("Always") ? Kind.SIDECAR : Kind.PLAIN_INIT;
    }

    private static Resources resources(JsonNode json) {
        SortedMap<String, RequestedAmount> requests = amounts(json.path("resources"));
        return new Resources(
                requests, Json.optional(json, "limits").map(PodReader::amounts).orElse(requests));
    }

    private static SortedMap<String, RequestedAmount> amounts(JsonNode json) {
        SortedMap<String, RequestedAmount> amounts = new TreeMap<>();
        Json.fields(json).forEach((resource, text) -> amounts.put(resource, RequestedAmount.parse(text.asText())));
        return amounts;
    }
}
