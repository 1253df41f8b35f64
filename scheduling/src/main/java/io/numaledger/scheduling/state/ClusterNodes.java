package io.numaledger.scheduling.state;

import java.util.Collection;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.AtomicLong;
import java.util.function.Consumer;

/** The nodes of a cluster by name: each is added with its first change, and removed when nothing is left of it. Thread-safe. */
final class ClusterNodes {

    private final SharedByNodes shared;
    private final Map<String, ClusterNode> nodes = new ConcurrentHashMap<>();
    private final AtomicLong membershipVersion = new AtomicLong();
    private volatile NodeIndex index = NodeIndex.of(0, Map.of());

    ClusterNodes(SharedByNodes shared) {
        this.shared = shared;
    }

    Optional<ClusterNode> find(String name) {
        return Optional.ofNullable(nodes.get(name));
    }

    /** All nodes, in no order. */
    Collection<ClusterNode> all() {
        return nodes.values();
    }

    /** All nodes of this moment. */
    NodeIndex index() {
        long version = membershipVersion.get();
        NodeIndex now = index;
        if (now.membershipVersion() != version) {
            now = NodeIndex.of(version, nodes);
            index = now;
        }
        return now;
    }

    /** Changes a node, which is added if it is not known. Another thread may remove the node meanwhile: then it is added again. */
    ClusterNode change(String name, Consumer<ClusterNode> change) {
        ClusterNode node = node(name);
        while (!node.change(change)) {
            nodes.remove(name, node); // as the other thread is about to do
            node = node(name);
        }
        removeIfEmpty(node);
        return node;
    }

    private ClusterNode node(String name) {
        ClusterNode known = nodes.get(name);
        if (known != null) {
            return known;
        }
        ClusterNode node = nodes.computeIfAbsent(name, any -> new ClusterNode(name, shared));
        membershipVersion.incrementAndGet();
        return node;
    }

    /** Takes something from a node. A node of which nothing is left is removed. */
    void changeKnown(String name, Consumer<ClusterNode> change) {
        find(name).ifPresent(node -> {
            node.change(change);
            removeIfEmpty(node);
        });
    }

    /** The slot is given back last: whoever asks for an index from then on gets one without the node. */
    private void removeIfEmpty(ClusterNode node) {
        if (node.model().isEmpty() && node.removeIfEmpty()) {
            nodes.remove(node.name(), node);
            membershipVersion.incrementAndGet();
            shared.versions().give(node.slot());
        }
    }

    /** Discards expired snapshots. */
    void expire() {
        nodes.values().forEach(node -> {
            node.expire();
            removeIfEmpty(node);
        });
    }
}
