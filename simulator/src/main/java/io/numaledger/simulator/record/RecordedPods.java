package io.numaledger.simulator.record;

import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import io.numaledger.apiobjects.recording.Recording;
import io.numaledger.placement.ContainerAllocation;
import io.numaledger.placement.DeviceAllocation;
import io.numaledger.placement.PodAllocation;

import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.TreeMap;
import java.util.stream.Collectors;

/** Manifests of the pods in a recording, bound to its node. */
public final class RecordedPods {

    private static final ObjectMapper JSON = new ObjectMapper();

    /** For a Guaranteed pod's container of which no CPUs or no memory is recorded. */
    private static final String SHARED_CPU = "1m";

    private static final String SOME_MEMORY = "32Mi";

    private RecordedPods() {}

    /** Those that hold something, and request that, as a List in JSON. */
    public static String holding(List<PodAllocation> pods) {
        ObjectNode list = JSON.createObjectNode().put("apiVersion", "v1").put("kind", "List");
        ArrayNode items = list.putArray("items");
        pods.forEach(pod -> items.add(holding(pod)));
        return list.toPrettyString();
    }

    /** The one on which the kubelet decided, in JSON; absent: none is recorded. */
    public static Optional<String> decided(Recording recording) {
        try {
            JsonNode pod = JSON.readTree(recording.pods()).at("/decided/pod");
            return pod.isMissingNode()
                    ? Optional.empty()
                    : Optional.of(decided(pod).toPrettyString());
        } catch (JsonProcessingException e) {
            throw new IllegalArgumentException("not the pods of a recording: they are no JSON", e);
        }
    }

    private static ObjectNode holding(PodAllocation pod) {
        ObjectNode object = pod(pod.name());
        boolean guaranteed = pod.containers().stream()
                .anyMatch(each -> !each.cpus().isEmpty() || !each.memory().isEmpty());
        for (ContainerAllocation container : pod.containers()) {
            ObjectNode amounts = JSON.createObjectNode();
            if (guaranteed) {
                int cpus = container.cpus().size();
                amounts.put("cpu", cpus == 0 ? SHARED_CPU : Integer.toString(cpus))
                        .put("memory", SOME_MEMORY);
            }
            container.memory().forEach(block -> amounts.put(block.type(), Long.toString(block.sizeBytes())));
            Map<String, Long> devices = container.devices().stream()
                    .collect(Collectors.groupingBy(DeviceAllocation::resource, TreeMap::new, Collectors.counting()));
            devices.forEach((resource, count) -> amounts.put(resource, count.toString()));
            add(object, "containers", container.name(), amounts, amounts);
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

    private static ObjectNode pod(String recorded) {
        ObjectNode pod = JSON.createObjectNode().put("apiVersion", "v1").put("kind", "Pod");
        pod.putObject("metadata").put("name", name(recorded)).put("namespace", "default");
        pod.putObject("spec")
                .put("nodeName", "recorded")
                .put("automountServiceAccountToken", false)
                .put("terminationGracePeriodSeconds", 0);
        return pod;
    }

    /**
     * The name that the manifests have for a pod or a container. What is held by unknown pods has no name.
     *
     * @param recorded a hashed name, or {@code namespace/name}
     */
    public static String name(String recorded) {
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
