package io.numaledger.simulator.demo;

import com.fasterxml.jackson.databind.JsonNode;
import io.fabric8.kubernetes.api.model.Pod;
import io.numaledger.cli.TextTable;
import io.numaledger.nrt.NodeTopology;
import io.numaledger.nrt.NodeTopology.Zone;
import io.numaledger.nrt.NodeTopology.ZoneResource;
import io.numaledger.placement.Amounts;
import io.numaledger.placement.Placement;
import io.numaledger.simulator.demo.DemoScheduler.Attempt;
import io.numaledger.topology.ZoneName;
import org.jspecify.annotations.Nullable;

import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.StringJoiner;
import java.util.TreeSet;
import java.util.function.Function;

/** The tables that the demo prints. Everything in them is read from the API server. */
final class DemoReport {

    private static final long GIB = 1L << 30;

    private DemoReport() {}

    static String zones(List<NodeTopology> topologies) {
        TreeSet<String> resources = new TreeSet<>();
        topologies.forEach(node ->
                node.zones().forEach(zone -> resources.addAll(zone.resources().keySet())));
        List<String> header = new ArrayList<>(List.of("NODE", "POLICY", "ZONE"));
        resources.forEach(resource -> header.add(resource.equals("memory") ? "memory GiB" : resource));
        TextTable table = new TextTable(header);
        for (NodeTopology node : topologies) {
            String policy = node.attributes().getOrDefault("topologyManagerPolicy", "?");
            for (Zone zone : node.zones()) {
                List<String> row = new ArrayList<>(List.of(node.node(), policy, zone.name()));
                resources.forEach(
                        resource -> row.add(cell(resource, zone.resources().get(resource))));
                table.row(row);
            }
        }
        return table.print();
    }

    private static String cell(String resource, @Nullable ZoneResource amounts) {
        return amounts == null
                ? "-"
                : shown(resource, amounts.available()) + " of " + shown(resource, amounts.allocatable());
    }

    private static String shown(String resource, long amount) {
        return resource.equals("memory") ? Long.toString(amount / GIB) : Amounts.text(resource, amount);
    }

    static String pods(List<Pod> pods) {
        TextTable table = new TextTable(List.of("POD", "REQUESTS", "NODE", "VERDICT", "OBSERVED PLACEMENT"));
        for (Pod pod : pods) {
            String phase = DemoCluster.phase(pod);
            table.row(List.of(
                    pod.getMetadata().getName(),
                    asks(pod),
                    pod.getSpec().getNodeName() == null ? "-" : pod.getSpec().getNodeName(),
                    phase.equals("Failed") ? pod.getStatus().getReason() : phase,
                    placement(pod)));
        }
        return table.print();
    }

    private static String asks(Pod pod) {
        StringJoiner text = new StringJoiner(" ");
        pod.getSpec().getContainers().get(0).getResources().getRequests().entrySet().stream()
                .sorted(Map.Entry.comparingByKey())
                .forEach(request -> text.add(shortName(request.getKey()) + "=" + request.getValue()));
        return text.toString();
    }

    private static String shortName(String resource) {
        return resource.substring(resource.indexOf('/') + 1);
    }

    private static String placement(Pod pod) {
        StringJoiner zones = new StringJoiner("   ");
        zones.setEmptyValue("-");
        DemoCluster.observed(pod).orElse(Placement.EMPTY).zones().forEach((id, amounts) -> {
            StringJoiner zone = new StringJoiner(" ", ZoneName.of(id) + ": ", "");
            amounts.byResource()
                    .forEach((resource, amount) -> zone.add(shortName(resource) + "="
                            + (resource.equals("memory") ? amount / GIB + "Gi" : Amounts.text(resource, amount))));
            zones.add(zone.toString());
        });
        return zones.toString();
    }

    /** How many pods ran, wait and were refused. */
    static String counts(List<Pod> pods) {
        return "%d ran, %d wait, %d refused by the kubelet"
                .formatted(count(pods, "Running"), count(pods, "Pending"), count(pods, "Failed"));
    }

    private static long count(List<Pod> pods, String phase) {
        return pods.stream().filter(pod -> DemoCluster.phase(pod).equals(phase)).count();
    }

    /** The nodes that the bridge kept a pod from. */
    static String passedOver(String pod, Attempt attempt) {
        StringBuilder text = new StringBuilder("%nWhy %s runs on %s and not elsewhere:%n%n"
                .formatted(pod, attempt.node().orElseThrow()));
        attempt.passedOver().forEach((node, why) -> text.append("  %s: %s%n".formatted(node, why)));
        return text.toString();
    }

    /** What a pending pod waits for, from the bridge's explanations for each node. */
    static String waiting(String pod, List<JsonNode> explanations) {
        StringBuilder text = new StringBuilder("%nWhat %s waits for:%n%n".formatted(pod));
        for (JsonNode each : explanations) {
            List<String> lines = new ArrayList<>();
            each.path("nodeReasons").forEach(reason -> lines.add(reason.asText()));
            lines.add(each.path("message").asText());
            lines.add(each.path("advice").asText());
            lines.removeIf(String::isEmpty);
            text.append("  %s: %s%n"
                    .formatted(each.path("node").asText(), String.join(System.lineSeparator() + "      ", lines)));
        }
        return text.toString();
    }

    /** The kubelets' refusals with the resources that caused them; empty if there are none. */
    static String refusals(List<Pod> pods, Function<Pod, Optional<String>> refusals) {
        StringBuilder text = new StringBuilder();
        for (Pod pod : pods) {
            if (DemoCluster.phase(pod).equals("Failed")) {
                text.append("  %s on %s: %s%n"
                        .formatted(
                                pod.getMetadata().getName(),
                                pod.getSpec().getNodeName(),
                                pod.getStatus().getMessage()));
                refusals.apply(pod)
                        .ifPresent(why -> text.append("      ").append(why).append(System.lineSeparator()));
            }
        }
        return text.isEmpty()
                ? ""
                : "%nRefused by the kubelet, although the node's totals were sufficient:%n%n".formatted() + text;
    }
}
