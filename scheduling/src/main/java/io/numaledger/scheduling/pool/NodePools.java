package io.numaledger.scheduling.pool;

import io.numaledger.evaluation.facts.NodeFacts;

import java.util.Set;
import java.util.TreeSet;

/**
 * The pools of nodes: those with the same value of one label. Pools are labels of metrics, and so there are at most {@value #MOST} names and
 * {@value #OTHER}, which is the pool of all further ones. Thread-safe.
 */
public final class NodePools {

    /** The pool of nodes with further values of the label. */
    public static final String OTHER = "other";

    static final int MOST = 100;

    private final String label;
    private final Set<String> names = new TreeSet<>();

    /** @param label of Nodes, its value names the pool; empty: all nodes are one pool */
    public NodePools(String label) {
        this.label = label;
    }

    /** The name of a node's pool; empty for a node without the label, or if there is only one pool. */
    public String of(NodeFacts node) {
        String name = label.isEmpty() ? "" : node.constraints().labels().getOrDefault(label, "");
        return name.isEmpty() || isNamed(name) ? name : OTHER;
    }

    /** Whether a pool has a name of its own, as the first pools that are seen have. */
    private synchronized boolean isNamed(String name) {
        return names.contains(name) || (names.size() < MOST && names.add(name));
    }
}
