package io.numaledger.apiobjects.recording;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import com.fasterxml.jackson.databind.node.ObjectNode;
import io.numaledger.pod.ContainerRequest;
import io.numaledger.pod.ContainerRequest.Kind;
import io.numaledger.pod.PodRequest;
import io.numaledger.pod.QosClass;
import io.numaledger.pod.RequestedAmount;
import io.numaledger.pod.Resources;

import java.util.List;
import java.util.SortedMap;
import java.util.TreeMap;

/** A pod on which a kubelet has decided. */
public final class RecordedPod {

    private static final JsonNodeFactory JSON = JsonNodeFactory.instance;

    private RecordedPod() {}

    /** The JSON of one. */
    public static ObjectNode of(PodRequest pod) {
        ObjectNode json = JSON.objectNode()
                .put("name", pod.name())
                .put("qosClass", pod.qosClass().toString());
        pod.podLevel().ifPresent(own -> json.set("resources", json(own.requests())));
        ArrayNode initContainers = json.putArray("initContainers");
        pod.initContainers().forEach(each -> initContainers.add(container(each)));
        ArrayNode containers = json.putArray("containers");
        pod.containers().forEach(each -> containers.add(container(each)));
        return json;
    }

    private static ObjectNode container(ContainerRequest container) {
        ObjectNode json = JSON.objectNode().put("name", container.name());
        if (container.kind() == Kind.SIDECAR) {
            json.put("restartPolicy", "Always");
        }
        json.set("resources", json(container.resources().requests()));
        json.set("limits", json(container.resources().limits()));
        return json;
    }

    private static ObjectNode json(SortedMap<String, RequestedAmount> amounts) {
        ObjectNode json = JSON.objectNode();
        amounts.forEach((resource, amount) -> json.put(resource, amount.toString()));
        return json;
    }

    /** @throws IllegalArgumentException if a field is missing or has no such value */
    public static PodRequest read(JsonNode json) {
        return new PodRequest(
                RecordedJson.text(json, "name"),
                QosClass.parse(RecordedJson.text(json, "qosClass")),
                RecordedJson.optional(json, "resources").map(own -> Resources.equalTo(amounts(own))),
                containers(json, "initContainers"),
                containers(json, "containers"));
    }

    private static List<ContainerRequest> containers(JsonNode pod, String field) {
        boolean init = field.equals("initContainers");
        return RecordedJson.list(pod, field).stream()
                .map(json -> new ContainerRequest(
                        RecordedJson.text(json, "name"), init ? initKind(json) : Kind.APP, resources(json)))
                .toList();
    }

    private static Kind initKind(JsonNode json) {
        return json.path("restartPolicy").asText().equals("Always") ? Kind.SIDECAR : Kind.PLAIN_INIT;
    }

    private static Resources resources(JsonNode json) {
        SortedMap<String, RequestedAmount> requests = amounts(json.path("resources"));
        return new Resources(
                requests,
                RecordedJson.optional(json, "limits").map(RecordedPod::amounts).orElse(requests));
    }

    private static SortedMap<String, RequestedAmount> amounts(JsonNode json) {
        SortedMap<String, RequestedAmount> amounts = new TreeMap<>();
        RecordedJson.fields(json)
                .forEach((resource, text) -> amounts.put(resource, RequestedAmount.parse(text.asText())));
        return amounts;
    }
}
