package io.numaledger.simulator.record;

import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import io.numaledger.bridge.recording.Recording;
import io.numaledger.topology.CpuSet;

import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Map;

/**
 * Manifests of the pods in a recording, bound to its node. Those that hold something request that, and come in the order of their CPUs;
 * the pod on which the kubelet decided comes last. Where they are created one after the other on an empty node, a kubelet places most of
 * them as recorded.
 */
public final class RecordedPods {

    private static final ObjectMapper JSON = new ObjectMapper();

    /** Enough for a container of which no memory is recorded to be Guaranteed. */
    private static final String SOME_MEMORY = "32Mi";

    private RecordedPods() {}

    /** A List as JSON. */
    public static String manifests(Recording recording) {
        JsonNode pods;
        try {
            pods = JSON.readTree(recording.pods());
        } catch (JsonProcessingException e) {
            throw new IllegalArgumentException("not the pods of a recording: they are no JSON", e);
        }
        ObjectNode list = JSON.createObjectNode().put("apiVersion", "v1").put("kind", "List");
        ArrayNode items = list.putArray("items");
        List<JsonNode> held = new ArrayList<>();
        pods.path("held").forEach(held::add);
        held.sort(Comparator.comparingInt(RecordedPods::lowestCpu));
        held.forEach(pod -> items.add(holding(pod)));
        if (pods.has("decided")) {
            items.add(decided(pods.at("/decided/pod")));
        }
        return list.toPrettyString();
    }

    private static int lowestCpu(JsonNode pod) {
        return pod.path("containers").properties().stream()
                .map(container -> CpuSet.parse(container.getValue().path("cpus").asText()))
                .flatMapToInt(CpuSet::ids)
                .min()
                .orElse(Integer.MAX_VALUE);
    }

    private static ObjectNode holding(JsonNode pod) {
        ObjectNode object = pod(pod.path("name").asText());
        for (Map.Entry<String, JsonNode> each : pod.path("containers").properties()) {
            ObjectNode amounts = JSON.createObjectNode();
            JsonNode held = each.getValue();
            int cpus = CpuSet.parse(held.path("cpus").asText()).size();
            if (cpus > 0) {
                amounts.put("cpu", Integer.toString(cpus)).put("memory", SOME_MEMORY);
            }
            held.path("memory")
                    .forEach(block -> amounts.put(
                            block.path("type").asText(), block.path("size").asText()));
            held.path("devices")
                    .properties()
                    .forEach(devices -> amounts.put(
                            devices.getKey(),
                            Integer.toString(devices.getValue().size())));
            add(object, "containers", each.getKey(), amounts, amounts);
        }
        return object;
    }

    private static ObjectNode decided(JsonNode pod) {
        ObjectNode object = pod(pod.path("name").asText());
        if (pod.path("resources").isObject()) {
            ObjectNode own = object.withObject("/spec/resources");
            own.set("requests", pod.path("resources"));
            own.set("limits", pod.path("resources"));
        }
        for (String field : List.of("initContainers", "containers")) {
            pod.path(field).forEach(container -> {
                ObjectNode added = add(
                        object,
                        field,
                        container.path("name").asText(),
                        container.path("resources"),
                        container.path("limits"));
                if (container.has("restartPolicy")) {
                    added.set("restartPolicy", container.get("restartPolicy"));
                }
            });
        }
        return object;
    }

    /** @param recorded a hashed name, or {@code namespace/name} */
    private static ObjectNode pod(String recorded) {
        ObjectNode pod = JSON.createObjectNode().put("apiVersion", "v1").put("kind", "Pod");
        pod.putObject("metadata").put("name", name(recorded)).put("namespace", "default");
        pod.putObject("spec")
                .put("nodeName", "recorded")
                .put("automountServiceAccountToken", false)
                .put("terminationGracePeriodSeconds", 0);
        return pod;
    }

    /** What is held by unknown pods has no name. */
    private static String name(String recorded) {
        String name = recorded.replaceAll("[^a-z0-9]+", "-").replaceAll("^-+|-+$", "");
        return name.isEmpty() ? "unknown" : name;
    }

    private static ObjectNode add(ObjectNode pod, String field, String name, JsonNode requests, JsonNode limits) {
        ObjectNode container = pod.withObject("/spec").withArrayProperty(field).addObject();
        container.put("name", name(name)).put("image", "example.com/recorded");
        ObjectNode resources = container.putObject("resources");
        resources.set("requests", requests);
        resources.set("limits", limits);
        return container;
    }
}
