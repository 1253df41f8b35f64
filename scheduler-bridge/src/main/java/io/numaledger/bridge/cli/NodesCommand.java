package io.numaledger.bridge.cli;

import com.fasterxml.jackson.databind.JsonNode;
import io.numaledger.bridge.api.RemoteBridge;
import io.numaledger.bridge.explain.NodeJson;
import io.numaledger.bridge.snapshot.NodeSnapshot;
import io.numaledger.resource.Quantity;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;
import picocli.CommandLine.Spec;

import java.io.IOException;
import java.io.PrintWriter;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.TreeMap;
import java.util.concurrent.Callable;

/** {@code bridge nodes}: the free amounts and the holders of each zone. */
@Command(
        name = "nodes",
        description = "Shows what is free in each zone of each node, which pods hold what, and how certain that is.",
        exitCodeOnExecutionException = 2,
        mixinStandardHelpOptions = true)
final class NodesCommand implements Callable<Integer> {

    @Spec
    private CommandSpec command;

    @Mixin
    private ObjectSource source;

    @Mixin
    private SnapshotOptions snapshots;

    @Parameters(arity = "0..*", paramLabel = "NAME", description = "the nodes to show (default: all)")
    private List<String> names = List.of();

    @Option(names = "-o", paramLabel = "FORMAT", description = "${COMPLETION-CANDIDATES}; default ${DEFAULT-VALUE}")
    private OutputFormat format = OutputFormat.table;

    @Override
    public Integer call() throws IOException {
        PrintWriter out = command.commandLine().getOut();
        Map<String, JsonNode> byName = new TreeMap<>();
        nodes().forEach(node -> byName.put(node.path("node").asText(), node));
        for (String name : names) {
            if (!byName.containsKey(name)) {
                throw new IOException("no such node: node=%s; there are %s"
                        .formatted(name, byName.isEmpty() ? "none" : String.join(", ", byName.keySet())));
            }
        }
        if (!names.isEmpty()) {
            byName.keySet().retainAll(names);
        }
        byName.values().forEach(node -> out.println(format.text(node, NodesCommand::table)));
        return 0;
    }

    private List<JsonNode> nodes() throws IOException {
        Optional<RemoteBridge> bridge = source.bridge();
        if (bridge.isPresent()) {
            return bridge.get().nodes();
        }
        List<JsonNode> nodes = new ArrayList<>();
        for (NodeSnapshot node :
                DumpedCluster.of(source.read(), snapshots.settings()).snapshots()) {
            nodes.add(NodeJson.of(node));
        }
        return nodes;
    }

    private static String table(JsonNode node) {
        List<String> lines = new ArrayList<>();
        lines.add("%s  %s/%s  confidence: %s"
                .formatted(
                        node.path("node").asText(),
                        node.path("topologyManagerPolicy").asText("-"),
                        node.path("topologyManagerScope").asText("-"),
                        node.path("confidence").asText()));
        if (!node.path("confidenceReason").asText().isEmpty()) {
            lines.add("  " + node.path("confidenceReason").asText());
        }
        node.path("zones").forEach(zone -> {
            List<String> free = new ArrayList<>();
            zone.path("allocatable").properties().forEach(amount -> {
                if (!amount.getValue().asText().equals("0")) {
                    String resource = amount.getKey();
                    free.add("%s %s of %s"
                            .formatted(
                                    resource,
                                    Quantity.readable(
                                            resource,
                                            zone.path("free").path(resource).asText()),
                                    Quantity.readable(
                                            resource, amount.getValue().asText())));
                }
            });
            lines.add("  %-8s free: %s".formatted(zone.path("zone").asText(), String.join(", ", free)));
        });
        node.path("pods").forEach(pod -> {
            List<String> zones = new ArrayList<>();
            pod.path("placement").forEach(zone -> zones.add(zone.path("zone").asText()));
            lines.add("  %s on %s (%s%s)"
                    .formatted(
                            pod.path("pod").asText(),
                            String.join(", ", zones),
                            pod.path("source").asText(),
                            pod.path("terminating").asBoolean() ? ", terminating" : ""));
        });
        return String.join(System.lineSeparator(), lines);
    }
}
