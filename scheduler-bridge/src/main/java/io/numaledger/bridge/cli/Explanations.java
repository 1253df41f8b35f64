package io.numaledger.bridge.cli;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import io.numaledger.bridge.api.RemoteBridge;
import io.numaledger.bridge.explain.Explanation;
import io.numaledger.bridge.explain.ExplanationJson;
import io.numaledger.bridge.objects.ClusterObjects;
import io.numaledger.bridge.objects.PodFacts;
import io.numaledger.bridge.objects.PodManifest;
import io.numaledger.bridge.state.ClusterState;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.Spec;

import java.io.IOException;
import java.io.PrintWriter;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.SortedMap;
import java.util.TreeMap;

/** The part that {@code explain} and {@code whatif} share: pods, nodes, and the printed explanations. */
final class Explanations {

    @Spec(Spec.Target.MIXEE)
    private CommandSpec command;

    @Mixin
    private PodSource pods;

    @Mixin
    private ObjectSource source;

    @Mixin
    private SnapshotOptions snapshots;

    @Option(names = "-o", paramLabel = "FORMAT", description = "${COMPLETION-CANDIDATES}; default ${DEFAULT-VALUE}")
    private OutputFormat format = OutputFormat.table;

    /**
     * Prints the explanations of all pods for all nodes.
     *
     * @param evicted pods that are taken to have ended
     * @return the exit status
     */
    int print(List<String> evicted) throws IOException {
        Optional<RemoteBridge> bridge = source.bridge();
        SortedMap<String, List<JsonNode>> byPod = bridge.isPresent() ? remote(bridge.get(), evicted) : local(evicted);
        PrintWriter out = command.commandLine().getOut();
        boolean wide = format == OutputFormat.wide;
        if (format.isTable() && byPod.size() == 1) {
            out.println(ExplanationTable.HEADER);
        }
        byPod.forEach((pod, explanations) -> {
            if (format.isTable() && byPod.size() > 1) {
                out.println("pod " + pod);
                out.println(ExplanationTable.HEADER);
            }
            explanations.forEach(
                    explanation -> out.println(format.text(explanation, each -> ExplanationTable.text(each, wide))));
        });
        boolean all = byPod.values().stream()
                .allMatch(explanations -> explanations.stream()
                        .anyMatch(each -> each.path("schedulable").asBoolean()));
        return all ? 0 : 1;
    }

    private SortedMap<String, List<JsonNode>> remote(RemoteBridge bridge, List<String> evicted) throws IOException {
        SortedMap<String, List<JsonNode>> byPod = new TreeMap<>();
        Optional<String> name = pods.name();
        if (name.isPresent()) {
            put(name.get(), bridge.explain(ExplanationJson.named(name.get()), evicted), byPod);
        } else {
            for (PodManifest manifest : pods.manifests()) {
                put(manifest.pod().key(), bridge.explain(manifest.json(), evicted), byPod);
            }
        }
        return byPod;
    }

    private SortedMap<String, List<JsonNode>> local(List<String> evicted) throws IOException {
        Optional<String> name = pods.name();
        List<PodManifest> manifests = name.isPresent() ? List.of() : pods.manifests();
        ClusterObjects objects = source.read();
        List<PodFacts> wanted = name.isPresent()
                ? List.of(named(name.get(), objects))
                : manifests.stream().map(PodManifest::pod).toList();
        ClusterState cluster = DumpedCluster.of(objects, snapshots.settings());
        SortedMap<String, List<JsonNode>> byPod = new TreeMap<>();
        for (PodFacts pod : wanted) {
            List<JsonNode> explanations = new ArrayList<>();
            Explanation.ofAll(cluster, evicted, pod).forEach(each -> explanations.add(ExplanationJson.full(each)));
            put(pod.key(), explanations, byPod);
        }
        return byPod;
    }

    private static PodFacts named(String key, ClusterObjects objects) throws IOException {
        return objects.pods().stream()
                .filter(pod -> pod.key().equals(key))
                .findFirst()
                .orElseThrow(() -> new IOException("no such pod: pod=%s; name it namespace/name".formatted(key)));
    }

    /** With the pod in each explanation. */
    private static void put(String pod, List<JsonNode> explanations, SortedMap<String, List<JsonNode>> byPod) {
        explanations.forEach(each -> ((ObjectNode) each).put("pod", pod));
        byPod.put(pod, explanations);
    }
}
