package io.numaledger.kubectl.doctor;

import com.fasterxml.jackson.databind.JsonNode;
import io.numaledger.cli.Documentation;
import io.numaledger.cli.Finding;
import io.numaledger.evaluation.facts.PodFacts;
import io.numaledger.evaluation.facts.PodPhase;

import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.SortedMap;
import java.util.SortedSet;
import java.util.TreeMap;
import java.util.TreeSet;

/** Whether claimed devices lie on the NUMA nodes of the CPUs and memory of their pods, and whether their drivers prepare them. */
final class ClaimChecks {

    /** The reason of the kubelet's events about devices that a driver does not prepare (pkg/kubelet/events/event.go). */
    static final String NOT_PREPARED = "FailedPrepareDynamicResources";

    private static final String ABOUT = "claims";

    private ClaimChecks() {}

    /**
     * Nothing in a cluster without devices of Dynamic Resource Allocation.
     *
     * @param nodes as {@link io.numaledger.apiobjects.view.NodeJson} writes them
     */
    static List<Finding> of(List<JsonNode> nodes) {
        List<Finding> found = new ArrayList<>();
        List<String> misaligned = new ArrayList<>();
        List<String> sentences = new ArrayList<>();
        int pods = 0;
        for (JsonNode node : nodes) {
            for (JsonNode pod : node.path("pods")) {
                pods += pod.has("claims") ? 1 : 0;
                if (pod.at("/claims/alignment").asText().equals("misaligned")) {
                    misaligned.add("%s@%s"
                            .formatted(
                                    pod.path("pod").asText(), node.path("node").asText()));
                    sentences.add(pod.at("/claims/text").asText());
                }
            }
        }
        if (!misaligned.isEmpty()) {
            found.add(Finding.warn(
                    ABOUT,
                    "%s: devices of their claims lie on other NUMA nodes than their CPUs or memory; the first one has %s; see %s"
                            .formatted(
                                    Names.of("pods", misaligned),
                                    sentences.get(0),
                                    Documentation.page("claim-alignment.md#pods-that-run-misaligned"))));
        }
        unknown(nodes).forEach(found::add);
        if (misaligned.isEmpty() && pods > 0) {
            found.add(Finding.ok(
                    ABOUT, "no claimed device is known to lie away from the CPUs and memory of its pod: pods=" + pods));
        }
        return found;
    }

    /**
     * Pods whose containers wait for devices that the driver on their node does not prepare.
     *
     * @param events of the reason {@link #NOT_PREPARED}
     * @param pods of the cluster; those that run do not matter
     */
    static List<Finding> unprepared(List<JsonNode> events, List<PodFacts> pods, List<JsonNode> nodes) {
        Map<String, PodFacts> waiting = new HashMap<>();
        pods.stream()
                .filter(pod -> pod.phase() == PodPhase.PENDING && !pod.claims().isEmpty())
                .forEach(pod -> pod.uid().ifPresent(uid -> waiting.put(uid, pod)));
        SortedMap<String, String> said = new TreeMap<>();
        SortedSet<String> keys = new TreeSet<>();
        for (JsonNode event : events) {
            PodFacts pod = waiting.get(event.at("/involvedObject/uid").asText());
            if (pod != null) {
                keys.add(pod.key());
                said.put(
                        pod.key() + "@" + pod.node().orElse("-"),
                        event.path("message").asText());
            }
        }
        if (said.isEmpty()) {
            return List.of();
        }
        List<String> drivers = drivers(keys, nodes);
        return List.of(Finding.fail(
                ABOUT,
                "%s: the devices of their claims are not prepared%s; the kubelet of the first one says: %s; look at the driver's pods on the node"
                        .formatted(
                                Names.of("pods", List.copyOf(said.keySet())),
                                drivers.isEmpty() ? "" : ", " + Names.of("drivers", drivers),
                                said.get(said.firstKey()))));
    }

    /** The drivers whose devices the claims of these pods have. */
    private static List<String> drivers(Set<String> pods, List<JsonNode> nodes) {
        SortedSet<String> drivers = new TreeSet<>();
        for (JsonNode node : nodes) {
            for (JsonNode pod : node.path("pods")) {
                if (pods.contains(pod.path("pod").asText())) {
                    pod.at("/claims/devices")
                            .forEach(device -> drivers.add(device.path("driver").asText()));
                }
            }
        }
        return List.copyOf(drivers);
    }

    /** Drivers whose devices have no known NUMA node. */
    private static List<Finding> unknown(List<JsonNode> nodes) {
        SortedMap<String, SortedSet<String>> byDriver = new TreeMap<>();
        SortedMap<String, Integer> devices = new TreeMap<>();
        for (JsonNode node : nodes) {
            for (JsonNode counts : node.path("draDevices")) {
                if (!counts.has("zone")) {
                    String driver = counts.path("driver").asText();
                    byDriver.computeIfAbsent(driver, any -> new TreeSet<>())
                            .add(node.path("node").asText());
                    devices.merge(
                            driver,
                            counts.path("claimed").asInt() + counts.path("free").asInt(),
                            Integer::sum);
                }
            }
        }
        List<Finding> found = new ArrayList<>();
        byDriver.forEach((driver, names) -> found.add(Finding.warn(
                ABOUT,
                "%s: the NUMA nodes of %d devices of driver %s are not known, so that they count as near no CPUs; see %s"
                        .formatted(
                                Names.of("nodes", List.copyOf(names)),
                                devices.getOrDefault(driver, 0),
                                driver,
                                Documentation.page("claim-alignment.md#numa-nodes-of-devices")))));
        return found;
    }
}
