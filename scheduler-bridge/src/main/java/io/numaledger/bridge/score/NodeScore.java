package io.numaledger.bridge.score;

import io.numaledger.bridge.explain.NodeJson;
import io.numaledger.bridge.verdict.Outcome;
import io.numaledger.kubelet.KubeletModel;
import io.numaledger.kubelet.NodeState;
import io.numaledger.placement.Amounts;
import io.numaledger.topology.NumaNode;

import java.util.List;
import java.util.SortedMap;
import java.util.TreeSet;

/** How good a node is for a pod, goal by goal. */
public final class NodeScore {

    private static final long MAX = 100;

    private final Strategy strategy;

    public NodeScore(Strategy strategy) {
        this.strategy = strategy;
    }

    /** From 0 to 100; more is better. A node of which nothing is known comes last. */
    public long of(Goal goal, Outcome outcome) {
        if (!outcome.fits() || outcome.kubelet().isEmpty() || outcome.after().isEmpty()) {
            return 0;
        }
        return switch (goal) {
            case ZONES -> MAX / Math.max(1, outcome.placement().zones().size());
            case WHOLE_ZONES -> whole(outcome.kubelet().get(), outcome.after().get(), outcome);
            case STRATEGY -> strategy(outcome);
        };
    }

    /** The smallest zone's score decides. */
    private long strategy(Outcome outcome) {
        KubeletModel kubelet = outcome.kubelet().orElseThrow();
        NodeState before = outcome.before().orElseThrow();
        return outcome.placement().zones().entrySet().stream()
                .mapToLong(zone -> kubelet.machine()
                        .topology()
                        .numaNode(zone.getKey())
                        .map(numaNode -> strategy.zone(NodeJson.free(kubelet, before, numaNode), zone.getValue()))
                        .orElse(0L))
                .min()
                .orElse(MAX);
    }

    /** For the resource that suffers most: the largest amount that one zone has left, against the largest zone. */
    private static long whole(KubeletModel kubelet, NodeState after, Outcome outcome) {
        TreeSet<String> resources = new TreeSet<>();
        outcome.placement().zones().values().stream()
                .map(Amounts::byResource)
                .forEach(amounts -> resources.addAll(amounts.keySet()));
        NodeState empty = kubelet.empty();
        return resources.stream()
                .mapToLong(resource -> {
                    long most = largest(kubelet, empty, resource);
                    return most <= 0 ? MAX : largest(kubelet, after, resource) / Math.max(1, most / MAX);
                })
                .map(score -> Math.min(MAX, score))
                .min()
                .orElse(MAX);
    }

    private static long largest(KubeletModel kubelet, NodeState state, String resource) {
        List<NumaNode> numaNodes = kubelet.machine().topology().numaNodes();
        long largest = 0;
        for (NumaNode numaNode : numaNodes) {
            SortedMap<String, Long> free = NodeJson.free(kubelet, state, numaNode);
            largest = Math.max(largest, free.getOrDefault(resource, 0L));
        }
        return largest;
    }
}
