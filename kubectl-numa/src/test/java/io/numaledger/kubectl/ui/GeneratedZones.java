package io.numaledger.kubectl.ui;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import io.numaledger.browser.ExpectedFleet;
import io.numaledger.kubectl.zones.Zones;

import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Random;
import java.util.SortedMap;
import java.util.TreeMap;
import java.util.function.Predicate;

/** The zones of made-up nodes of three kinds, as the bridge would answer them. */
final class GeneratedZones implements Zones {

    private static final ObjectMapper JSON = new ObjectMapper();
    private static final String GPU = "nvidia.com/gpu";

    private final List<JsonNode> nodes = new ArrayList<>();
    private final Map<String, SortedMap<String, String>> labels = new HashMap<>();
    private final Random random;

    GeneratedZones(int count, long seed) {
        this.random = new Random(seed);
        for (int index = 0; index < count; index++) {
            String name = "node-%05d".formatted(index);
            int kind = index / 250 % 4;
            nodes.add(node(name, kind, index % 97 == 0));
            labels.put(
                    name,
                    new TreeMap<>(Map.of(
                            "kubernetes.io/hostname",
                            name,
                            "pool",
                            List.of("general", "general", "gpu", "large").get(kind),
                            "topology.kubernetes.io/rack",
                            "rack-" + index / 40)));
        }
    }

    synchronized void add(JsonNode node) {
        nodes.add(node);
    }

    synchronized void remove(JsonNode node) {
        nodes.remove(node);
    }

    @Override
    public synchronized List<JsonNode> nodes() {
        return List.copyOf(nodes);
    }

    @Override
    public Optional<JsonNode> node(String name) {
        return nodes().stream()
                .filter(node -> node.path("node").asText().equals(name))
                .findFirst();
    }

    @Override
    public List<JsonNode> stranded(StrandedSizes sizes) {
        return List.of();
    }

    @Override
    public Optional<JsonNode> stranded(StrandedSizes sizes, String reference) {
        return Optional.empty();
    }

    @Override
    public Map<String, SortedMap<String, String>> labels() {
        return labels;
    }

    @Override
    public List<JsonNode> explain(ExplainedPod pod, List<String> ended) {
        return List.of();
    }

    /** What the page is to say when it shows these nodes. */
    String summary(Predicate<JsonNode> which, String resource) {
        List<JsonNode> shown = nodes().stream().filter(which).toList();
        return new ExpectedFleet(shown, nodes().size()).summary(resource);
    }

    private ObjectNode node(String name, int kind, boolean problem) {
        ObjectNode node = JSON.createObjectNode()
                .put("node", name)
                .put("ready", !problem)
                .put("confidence", random.nextInt(10) == 0 ? "predicted" : "exact")
                .put("confidenceReason", "all placements are known")
                .put("topologyManagerPolicy", kind == 3 ? "restricted" : "single-numa-node")
                .put("topologyManagerScope", "container");
        if (random.nextInt(50) == 0) {
            node.put("unschedulable", true);
        }
        ArrayNode zones = node.putArray("zones");
        for (int id = 0; id < (kind == 3 ? 8 : 2); id++) {
            zones.add(zone(id, kind));
        }
        ArrayNode pods = node.putArray("pods");
        for (int pod = random.nextInt(5); pod > 0; pod--) {
            pods.addObject().put("pod", "default/p" + pod);
        }
        if (problem) {
            node.putArray("warnings").add("the kubelet has given CPU 3 to two pods");
        }
        return node;
    }

    private ObjectNode zone(int id, int kind) {
        int cpus = 4 * (1 + random.nextInt(8));
        ObjectNode zone = JSON.createObjectNode().put("zone", "node-" + id);
        ObjectNode free = zone.putObject("free");
        ObjectNode later = zone.putObject("freeAfterReleases");
        ObjectNode all = zone.putObject("allocatable");
        amounts("cpu", random.nextInt(cpus + 1), cpus, "", free, later, all);
        amounts("memory", random.nextInt(129), 128, "Gi", free, later, all);
        if (kind == 2) {
            amounts(GPU, random.nextInt(5), 4, "", free, later, all);
        }
        return zone;
    }

    private void amounts(String resource, int now, int most, String unit, ObjectNode... texts) {
        texts[0].put(resource, now + unit);
        texts[1].put(resource, Math.min(most, now + random.nextInt(2)) + unit);
        texts[2].put(resource, most + unit);
    }
}
