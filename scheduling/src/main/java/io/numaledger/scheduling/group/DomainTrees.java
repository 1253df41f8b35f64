package io.numaledger.scheduling.group;

import io.numaledger.evaluation.facts.NodeFacts;
import io.numaledger.scheduling.state.NodeUse;
import io.numaledger.scheduling.topology.DomainTree;
import io.numaledger.scheduling.topology.TopologyLevels;

import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.SortedMap;

/** The domain trees of a cluster. A tree is kept until a node is added or removed, or the labels of one change. Not thread-safe. */
public final class DomainTrees {

    private static final int MAX_TREES = 8;

    private final Map<TopologyLevels, Known> known = new HashMap<>();

    /**
     * A tree, and what it was made from.
     *
     * @param labels of each of these nodes
     */
    private record Known(List<String> nodes, List<SortedMap<String, String>> labels, DomainTree tree) {}

    /** The tree of these nodes. */
    public DomainTree of(TopologyLevels levels, List<NodeUse> uses) {
        List<NodeFacts> facts = uses.stream().map(NodeUse::node).toList();
        List<String> nodes = facts.stream().map(NodeFacts::name).toList();
        List<SortedMap<String, String>> labels =
                facts.stream().map(node -> node.constraints().labels()).toList();
        Known last = known.get(levels);
        if (last != null && last.nodes().equals(nodes) && last.labels().equals(labels)) {
            return last.tree();
        }
        if (known.size() >= MAX_TREES) {
            known.clear();
        }
        Map<String, SortedMap<String, String>> byNode = new HashMap<>();
        facts.forEach(node -> byNode.put(node.name(), node.constraints().labels()));
        DomainTree tree = DomainTree.of(levels, byNode);
        known.put(levels, new Known(nodes, labels, tree));
        return tree;
    }
}
