package io.numaledger.simulator.demo;

import com.fasterxml.jackson.databind.JsonNode;
import io.fabric8.kubernetes.api.model.Pod;
import io.numaledger.cli.TextTable;
import io.numaledger.placement.Placement;
import io.numaledger.topology.ZoneName;

import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.StringJoiner;
import java.util.function.Function;
import java.util.stream.Collectors;

/** What the demo prints. Everything in it is read from the API server. */
final class DemoReport {

    private DemoReport() {}

    /** @param bridged the same pods as without a bridge, in the same order */
    static String pods(List<Pod> without, List<Pod> bridged) {
        TextTable table = new TextTable(List.of("POD", "REQUESTS", "WITHOUT THE BRIDGE", "WITH THE BRIDGE"));
        for (int i = 0; i < without.size(); i++) {
            Pod pod = without.get(i);
            table.row(List.of(pod.getMetadata().getName(), asks(pod), outcome(pod), outcome(bridged.get(i))));
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

    private static String outcome(Pod pod) {
        String phase = DemoCluster.phase(pod);
        if (phase.equals("Pending")) {
            return "waits";
        }
        String zones = DemoCluster.observed(pod).orElse(Placement.EMPTY).zones().keySet().stream()
                .map(id -> ZoneName.of(id).toString())
                .collect(Collectors.joining(", "));
        String where = phase.equals("Failed") ? pod.getStatus().getReason() : zones;
        return pod.getSpec().getNodeName() + (where.isEmpty() ? "" : ": " + where);
    }

    /** How many pods ran, wait and were refused. */
    static String counts(List<Pod> pods) {
        return "%d ran, %d wait, %d refused by the kubelet"
                .formatted(count(pods, "Running"), count(pods, "Pending"), count(pods, "Failed"));
    }

    private static long count(List<Pod> pods, String phase) {
        return pods.stream().filter(pod -> DemoCluster.phase(pod).equals(phase)).count();
    }

    /** What a pending pod waits for, from the explanations for each node. */
    static String waiting(String pod, List<JsonNode> explanations) {
        StringBuilder text = new StringBuilder("%nWhat %s waits for, by node:%n%n".formatted(pod));
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
                                refusals.apply(pod).orElse(pod.getStatus().getMessage())));
            }
        }
        return text.isEmpty()
                ? ""
                : "%nRefused by the kubelet without the bridge, although the node had enough in total:%n%n".formatted()
                        + text;
    }
}
