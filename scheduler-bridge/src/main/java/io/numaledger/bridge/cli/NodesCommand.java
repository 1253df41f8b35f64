package io.numaledger.bridge.cli;

import com.fasterxml.jackson.databind.JsonNode;
import io.numaledger.cli.Colours;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;
import picocli.CommandLine.Spec;

import java.io.IOException;
import java.io.PrintWriter;
import java.util.List;
import java.util.Map;
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

    @Parameters(arity = "0..*", paramLabel = "NAME", description = "the nodes to show (default: all)")
    private List<String> names = List.of();

    @Option(names = "-o", paramLabel = "FORMAT", description = "${COMPLETION-CANDIDATES}; default ${DEFAULT-VALUE}")
    private OutputFormat format = OutputFormat.table;

    @Override
    public Integer call() throws IOException {
        PrintWriter out = command.commandLine().getOut();
        Map<String, JsonNode> byName = new TreeMap<>();
        source.zones().nodes().forEach(node -> byName.put(node.path("node").asText(), node));
        for (String name : names) {
            if (!byName.containsKey(name)) {
                throw new IOException("no such node: node=%s; there are %s"
                        .formatted(name, byName.isEmpty() ? "none" : String.join(", ", byName.keySet())));
            }
        }
        if (!names.isEmpty()) {
            byName.keySet().retainAll(names);
        }
        byName.values()
                .forEach(node -> out.println(
                        format.text(node, each -> NodeText.of(each, format == OutputFormat.wide, Colours.NONE))));
        return 0;
    }
}
