package io.numaledger.kubectl.doctor;

import com.fasterxml.jackson.databind.JsonNode;
import io.numaledger.cli.Documentation;
import io.numaledger.cli.Finding;

import java.util.ArrayList;
import java.util.List;
import java.util.SortedMap;
import java.util.SortedSet;
import java.util.TreeMap;
import java.util.TreeSet;

/** Whether claimed devices lie on the NUMA nodes of the CPUs and memory of their pods. */
final class ClaimChecks {

    private static final String ABOUT = "claims";

    private ClaimChecks() {}

    /**
     * Nothing in a cluster without devices of Dynamic Resource Allocation.
     *
     * @param nodes as {@link io.numaledger.bridge.view.NodeJson} writes them
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
