package io.numaledger.bridge.cli;

import com.fasterxml.jackson.databind.JsonNode;
import io.numaledger.bridge.api.RemoteBridge;
import io.numaledger.bridge.cluster.PodFacts;
import io.numaledger.bridge.cluster.SnapshotFile;
import io.numaledger.bridge.explain.Advice;
import io.numaledger.bridge.explain.VerdictJson;
import io.numaledger.bridge.node.NodePicture;
import io.numaledger.bridge.verdict.Judge;
import io.numaledger.bridge.verdict.Verdict;
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

/** {@code bridge explain}: what each node's kubelet would say of a pod, and why. */
@Command(
        name = "explain",
        description =
                "Says on which nodes a pod fits as far as NUMA decides, where it would lie, and what stands in the way.",
        mixinStandardHelpOptions = true)
final class ExplainCommand implements Callable<Integer> {

    @Spec
    private CommandSpec command;

    @Mixin
    private ObjectSource source;

    @Mixin
    private PictureOptions pictures;

    @Option(names = "-f", required = true, paramLabel = "FILE", description = "a Pod manifest, YAML or JSON")
    private Path manifest;

    @Option(names = "-o", paramLabel = "FORMAT", description = "${COMPLETION-CANDIDATES}; default ${DEFAULT-VALUE}")
    private OutputFormat format = OutputFormat.table;

    @Override
    public Integer call() throws IOException {
        PrintWriter out = command.commandLine().getOut();
        String text = Files.readString(manifest);
        PodFacts pod = SnapshotFile.readPod(text);
        if (source.url().isPresent()) {
            for (JsonNode verdict : new RemoteBridge(source.url().get()).explain(text)) {
                out.println(format == OutputFormat.json ? RemoteBridge.line(verdict) : VerdictTable.line(verdict));
            }
            return 0;
        }
        List<NodePicture> nodes = SnapshotPictures.of(source.read(), pictures.settings());
        for (NodePicture node : nodes) {
            Verdict verdict = Judge.now(node, pod);
            out.println(
                    format == OutputFormat.json
                            ? VerdictJson.line(verdict).toString()
                            : VerdictTable.line(VerdictJson.full(verdict, Advice.of(node, pod, verdict))));
        }
        return 0;
    }
}
