package io.numaledger.bridge.cli;

import com.fasterxml.jackson.databind.JsonNode;
import io.numaledger.bridge.api.RemoteBridge;
import io.numaledger.bridge.evaluation.FullModel;
import io.numaledger.bridge.explain.Explanation;
import io.numaledger.bridge.explain.ExplanationJson;
import io.numaledger.bridge.objects.ClusterDump;
import io.numaledger.bridge.objects.PodFacts;
import io.numaledger.bridge.snapshot.NodeSnapshot;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.Spec;

import java.io.IOException;
import java.io.PrintWriter;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.concurrent.Callable;

/** {@code bridge explain}: whether a pod fits each node, and why. */
@Command(
        name = "explain",
        description =
                "Shows which nodes fit a pod as far as NUMA alignment decides, where it would be placed, and why others refuse it.",
        mixinStandardHelpOptions = true)
final class ExplainCommand implements Callable<Integer> {

    @Spec
    private CommandSpec command;

    @Mixin
    private ObjectSource source;

    @Mixin
    private SnapshotOptions snapshots;

    @Option(names = "-f", required = true, paramLabel = "FILE", description = "a Pod manifest, YAML or JSON")
    private Path manifest;

    @Option(names = "-o", paramLabel = "FORMAT", description = "${COMPLETION-CANDIDATES}; default ${DEFAULT-VALUE}")
    private OutputFormat format = OutputFormat.table;

    @Override
    public Integer call() throws IOException {
        PrintWriter out = command.commandLine().getOut();
        String text = Files.readString(manifest);
        PodFacts pod = ClusterDump.readPod(text);
        if (source.url().isPresent()) {
            for (JsonNode explanation : new RemoteBridge(source.url().get()).explain(text)) {
                out.println(
                        format == OutputFormat.json
                                ? RemoteBridge.line(explanation)
                                : ExplanationTable.text(explanation));
            }
            return 0;
        }
        List<NodeSnapshot> nodes = DumpSnapshots.of(source.read(), snapshots.settings());
        for (NodeSnapshot node : nodes) {
            out.println(
                    format == OutputFormat.json
                            ? ExplanationJson.line(node.name(), FullModel.evaluate(node, pod))
                                    .toString()
                            : ExplanationTable.text(ExplanationJson.full(Explanation.of(node, pod))));
        }
        return 0;
    }
}
