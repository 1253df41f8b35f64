package io.numaledger.kubectl.view;

import com.fasterxml.jackson.databind.JsonNode;
import io.numaledger.apiobjects.view.NodeText;
import io.numaledger.kubectl.client.Surroundings;
import io.numaledger.kubectl.client.UnknownNameException;
import io.numaledger.kubectl.output.Format;
import io.numaledger.kubectl.output.Result;
import io.numaledger.kubectl.output.Watch;
import io.numaledger.kubectl.zones.ClusterSource;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Parameters;

import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.Callable;

/** {@code kubectl numa node NAME}: everything about a node. */
@Command(
        name = "node",
        description = "Shows the zones of nodes, the pods that hold them, and what limits the confidence.",
        exitCodeOnExecutionException = 2,
        mixinStandardHelpOptions = true)
public final class NodeView implements Callable<Integer> {

    private final Surroundings surroundings;

    @Mixin
    private final ClusterSource cluster;

    @Mixin
    private final Format format = new Format();

    @Mixin
    private final Watch watch = new Watch();

    @Parameters(arity = "1..*", paramLabel = "NODE", description = "names of nodes")
    private List<String> names = List.of();

    public NodeView(Surroundings surroundings) {
        this.surroundings = surroundings;
        this.cluster = new ClusterSource(surroundings.kubectl());
    }

    @Override
    public Integer call() throws IOException {
        return watch.run(
                () -> new Result(
                        format.text(nodes(), node -> NodeText.of(node, format.isWide(), surroundings.colours())), 0),
                surroundings.colours());
    }

    private List<JsonNode> nodes() throws IOException {
        var zones = cluster.zones();
        List<JsonNode> nodes = new ArrayList<>();
        for (String name : names) {
            Optional<JsonNode> node = zones.node(name);
            if (node.isEmpty()) {
                List<String> known = new ArrayList<>();
                zones.nodes().forEach(each -> known.add(each.path("node").asText()));
                throw UnknownNameException.node(name, known);
            }
            nodes.add(node.get());
        }
        return nodes;
    }
}
