package io.numaledger.kubectl.view;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import io.numaledger.apiobjects.view.DevicesText;
import io.numaledger.cli.TextTable;
import io.numaledger.evaluation.facts.PodFacts;
import io.numaledger.kubectl.client.ExistingNames;
import io.numaledger.kubectl.client.Surroundings;
import io.numaledger.kubectl.client.UnknownNameException;
import io.numaledger.kubectl.output.Format;
import io.numaledger.kubectl.output.Result;
import io.numaledger.kubectl.output.Watch;
import io.numaledger.kubectl.zones.ClusterSource;
import io.numaledger.objects.ClusterDump;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.Spec;

import java.io.IOException;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Set;
import java.util.TreeSet;
import java.util.concurrent.Callable;

/** {@code kubectl numa pods}: what each pod holds. */
@Command(
        name = "pods",
        description = "Shows the pods that hold CPUs, memory or devices of zones, with what they hold.",
        exitCodeOnExecutionException = 2,
        mixinStandardHelpOptions = true)
public final class PodsView implements Callable<Integer> {

    private final Surroundings surroundings;

    @Spec
    private CommandSpec command;

    @Mixin
    private final ClusterSource cluster;

    @Mixin
    private final Format format = new Format();

    @Mixin
    private final Watch watch = new Watch();

    @Option(
            names = {"-A", "--all-namespaces"},
            description = "the pods of all namespaces")
    private boolean all;

    public PodsView(Surroundings surroundings) {
        this.surroundings = surroundings;
        this.cluster = new ClusterSource(surroundings.kubectl());
    }

    @Override
    public Integer call() throws IOException {
        String prefix = all ? "" : cluster.namespace() + "/";
        return watch.run(() -> new Result(text(pods(prefix)), 0), surroundings.colours());
    }

    private String text(List<JsonNode> pods) throws IOException {
        if (pods.isEmpty()) {
            command.commandLine().getErr().println(none());
            return "";
        }
        return format.text(pods, this::table, surroundings.colours());
    }

    /** What to say about no pods, in kubectl's words, where the namespace exists. */
    private String none() throws IOException {
        if (all) {
            return "No resources found";
        }
        String namespace = cluster.namespace();
        if (cluster.dump().isEmpty()) {
            ExistingNames names = new ExistingNames(cluster.kubectl());
            if (!names.mayExist(namespace)) {
                throw names.unknownNamespace(namespace);
            }
        } else if (cluster.isNamespaceGiven() && !namespaces().contains(namespace)) {
            throw UnknownNameException.namespace(namespace, namespaces());
        }
        return "No resources found in %s namespace.".formatted(namespace);
    }

    private Set<String> namespaces() throws IOException {
        Set<String> namespaces = new TreeSet<>();
        for (PodFacts pod : ClusterDump.read(cluster.dump().orElseThrow()).pods()) {
            namespaces.add(pod.namespace());
        }
        return namespaces;
    }

    private List<JsonNode> pods(String prefix) throws IOException {
        List<JsonNode> pods = new ArrayList<>();
        for (JsonNode node : cluster.zones().nodes()) {
            for (JsonNode pod : node.path("pods")) {
                if (pod.path("pod").asText().startsWith(prefix)) {
                    pods.add(((ObjectNode) pod).put("node", node.path("node").asText()));
                }
            }
        }
        pods.sort(Comparator.comparing(pod -> pod.path("pod").asText()));
        return pods;
    }

    private TextTable table(List<? extends JsonNode> pods) {
        List<String> header = new ArrayList<>(
                format.isWide()
                        ? List.of("NAME", "NODE", "PLACEMENT", "SOURCE", "TERMINATING")
                        : List.of("NAME", "NODE", "PLACEMENT"));
        if (all) {
            header.add(0, "NAMESPACE");
        }
        boolean claims = pods.stream().anyMatch(pod -> pod.has("claims"));
        if (claims) {
            header.addAll(List.of("CLAIMED DEVICES", "ALIGNMENT"));
        }
        TextTable table = new TextTable(header);
        pods.forEach(pod -> table.row(cells(pod, claims)));
        return table;
    }

    /** @param claims whether there are columns for claims */
    private List<String> cells(JsonNode pod, boolean claims) {
        String key = pod.path("pod").asText();
        int slash = key.indexOf('/');
        List<String> cells = new ArrayList<>();
        if (all) {
            cells.add(slash < 0 ? "<none>" : key.substring(0, slash));
        }
        cells.add(key.substring(slash + 1));
        cells.add(pod.path("node").asText());
        cells.add(ExplanationTable.placement(pod.path("placement")));
        if (format.isWide()) {
            cells.add(pod.path("source").asText());
            cells.add(pod.path("terminating").asText());
        }
        if (claims) {
            cells.add(DevicesText.devices(pod));
            cells.add(pod.at("/claims/alignment").asText("-"));
        }
        return cells;
    }
}
