package io.numaledger.bridge.run;

import io.numaledger.bridge.metrics.ZoneMetrics;
import io.numaledger.evaluation.snapshot.NodeSnapshot;
import io.numaledger.scheduling.pool.NodePools;
import io.numaledger.scheduling.pool.ZoneSums;
import io.numaledger.scheduling.state.ClusterNode;
import io.numaledger.scheduling.state.ClusterState;
import io.numaledger.scheduling.state.NodeIndex;

import java.util.HashMap;
import java.util.Map;
import java.util.Optional;
import java.util.SortedMap;
import java.util.TreeMap;

/** Reports the zones of all nodes, summed by pool. Counts only nodes that have changed since. For one thread. */
final class ZoneReporter {

    /**
     * What one node adds to the sums.
     *
     * @param version of the node's state
     * @param sums absent: it is not counted
     */
    private record Counted(long version, String pool, Optional<ZoneSums> sums) {}

    private final NodePools pools;
    private final ZoneMetrics metrics;
    private Map<String, Counted> nodes = Map.of();
    private long reported;

    ZoneReporter(NodePools pools, ZoneMetrics metrics) {
        this.pools = pools;
        this.metrics = metrics;
    }

    void report(ClusterState cluster) {
        long last = cluster.versions().last();
        if (last == reported) {
            return;
        }
        NodeIndex index = cluster.index();
        Map<String, Counted> now = new HashMap<>();
        for (int at = 0; at < index.size(); at++) {
            long version = cluster.versions().get(index.slot(at)); // before the snapshot is read
            Counted before = nodes.get(index.name(at));
            now.put(
                    index.name(at),
                    before != null && before.version() == version ? before : count(version, index.node(at)));
        }
        nodes = now;
        reported = last;
        report();
    }

    private Counted count(long version, ClusterNode node) {
        Optional<NodeSnapshot> snapshot =
                node.snapshots().map(snapshots -> snapshots.likeliest().snapshot());
        return new Counted(
                version, snapshot.map(NodeSnapshot::node).map(pools::of).orElse(""), snapshot.flatMap(ZoneSums::of));
    }

    private void report() {
        SortedMap<String, SortedMap<String, Long>> allocatable = new TreeMap<>();
        SortedMap<String, SortedMap<String, Long>> available = new TreeMap<>();
        SortedMap<String, Integer> largest = new TreeMap<>();
        for (Counted node : nodes.values()) {
            node.sums().ifPresent(sums -> {
                add(sums.allocatable(), node.pool(), allocatable);
                add(sums.available(), node.pool(), available);
                sums.largestCpuRequest().ifPresent(cpus -> largest.merge(node.pool(), cpus, Math::max));
            });
        }
        metrics.report(allocatable, available, largest);
    }

    private static void add(
            SortedMap<String, Long> amounts, String pool, SortedMap<String, SortedMap<String, Long>> sums) {
        SortedMap<String, Long> sum = sums.computeIfAbsent(pool, any -> new TreeMap<>());
        amounts.forEach((resource, amount) -> sum.merge(resource, amount, Long::sum));
    }
}
