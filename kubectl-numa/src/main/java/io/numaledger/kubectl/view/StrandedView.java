package io.numaledger.kubectl.view;

import com.fasterxml.jackson.databind.JsonNode;
import io.numaledger.kubectl.client.Surroundings;
import io.numaledger.kubectl.client.UnknownNameException;
import io.numaledger.kubectl.output.Format;
import io.numaledger.kubectl.output.Result;
import io.numaledger.kubectl.output.Watch;
import io.numaledger.kubectl.zones.ClusterSource;
import io.numaledger.kubectl.zones.Zones;
import io.numaledger.kubectl.zones.Zones.StrandedSizes;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;

import java.io.IOException;
import java.util.Comparator;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.Callable;

/** {@code kubectl numa stranded}: how much room there is by the sums of nodes and not by zones. */
@Command(
        name = "stranded",
        description =
                "Shows how many more pods of some sizes would run by zones, how many by the sums of nodes, and which pods, moved, would make room.",
        exitCodeOnExecutionException = 2,
        mixinStandardHelpOptions = true)
public final class StrandedView implements Callable<Integer> {

    private final Surroundings surroundings;

    @Mixin
    private final ClusterSource cluster;

    @Mixin
    private final Format format = new Format();

    @Mixin
    private final Watch watch = new Watch();

    @Parameters(
            arity = "0..1",
            paramLabel = "REFERENCE",
            description =
                    "a reference pod: only this one, with the nodes and the moves (default: all, with those of the one that is stranded most)")
    private Optional<String> reference = Optional.empty();

    @Option(
            names = "--reference-pod",
            paramLabel = "NAME:RESOURCE=AMOUNT,…",
            description =
                    "without a bridge: count by this size, such as gpu-4:cpu=16,memory=128Gi,nvidia.com/gpu=4; can be repeated (default: 1, 2, 4 and 8 GPUs with their share of each node, and the CPUs of a zone)")
    private List<String> references = List.of();

    @Option(
            names = "--node-pool-label",
            paramLabel = "LABEL",
            description =
                    "without a bridge: nodes with the same value of this label are one pool (default: all nodes are)")
    private String poolLabel = "";

    public StrandedView(Surroundings surroundings) {
        this.surroundings = surroundings;
        this.cluster = new ClusterSource(surroundings.kubectl());
    }

    @Override
    public Integer call() throws IOException {
        return watch.run(() -> new Result(text(), 0), surroundings.colours());
    }

    private String text() throws IOException {
        Zones zones = cluster.zones();
        StrandedSizes sizes = new StrandedSizes(references, poolLabel);
        if (reference.isPresent()) {
            return printed(List.of(one(zones, sizes, reference.get())));
        }
        List<JsonNode> all = zones.stranded(sizes);
        Optional<JsonNode> most = all.stream()
                .filter(each -> each.path("stranded").asLong() > 0)
                .max(Comparator.comparingLong(each -> each.path("stranded").asLong()));
        if (most.isEmpty()) {
            return printed(all);
        }
        String name = most.get().path("reference").asText();
        JsonNode full = zones.stranded(sizes, name).orElse(most.get());
        return printed(all.stream()
                .map(each -> each.path("reference").asText().equals(name) ? full : each)
                .toList());
    }

    private static JsonNode one(Zones zones, StrandedSizes sizes, String name) throws IOException {
        Optional<JsonNode> found = zones.stranded(sizes, name);
        if (found.isPresent()) {
            return found.get();
        }
        throw UnknownNameException.reference(
                name,
                zones.stranded(sizes).stream()
                        .map(each -> each.path("reference").asText())
                        .toList());
    }

    private String printed(List<JsonNode> capacities) {
        return format.isTable()
                ? StrandedText.of(capacities, format.isWide(), surroundings.colours())
                : format.text(capacities, JsonNode::toString);
    }
}
