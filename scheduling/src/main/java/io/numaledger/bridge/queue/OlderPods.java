package io.numaledger.bridge.queue;

import io.numaledger.bridge.batch.BatchEvaluator;
import io.numaledger.bridge.batch.NodeEvaluator;
import io.numaledger.bridge.evaluation.PodShape;
import io.numaledger.bridge.objects.PodFacts;
import io.numaledger.bridge.state.ClusterState;
import io.numaledger.bridge.state.NodeNames;
import io.numaledger.bridge.state.Reservation;

import java.util.ArrayList;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;

/**
 * Pending pods that go before a younger one: a node is reserved for such a pod if it fits there now, and not beside the younger one. Pods of
 * equal shape are evaluated once on each node. For one thread; {@link #finish} stores what was found out.
 */
final class OlderPods {

    private static final int MAX_CHECKS = 2_000;

    /** Places are reserved for so many pods together, the oldest ones; for others each for itself. */
    private static final int MAX_TOGETHER = 3;

    private final ClusterState cluster;
    private final PodFacts younger;
    private final Map<PendingPod, NodeEvaluator> evaluators = new LinkedHashMap<>();
    private final Map<PodShape, NodeEvaluator> byShape = new HashMap<>();
    private int checks;

    /** @param older the oldest first */
    OlderPods(ClusterState cluster, BatchEvaluator evaluator, PodFacts younger, List<PendingPod> older) {
        this.cluster = cluster;
        this.younger = younger;
        older.forEach(
                each -> evaluators.put(each, byShape.computeIfAbsent(each.shape(), any -> evaluator.nodes(each.pod))));
    }

    boolean isEmpty() {
        return evaluators.isEmpty();
    }

    /** The one for which a node is reserved. */
    Optional<PendingPod> reservedFor(String node) {
        NodeNames names = NodeNames.of(cluster.index(), List.of(node));
        if (!names.isKnown(0)) {
            return Optional.empty();
        }
        long version = cluster.versions().get(names.index().slot(names.at(0)));
        Map<NodeEvaluator, Boolean> admits = new HashMap<>();
        List<Reservation> fitting = new ArrayList<>();
        for (Map.Entry<PendingPod, NodeEvaluator> older : evaluators.entrySet()) {
            if (older.getKey().refusedAtVersion < version
                    && checks++ < MAX_CHECKS
                    && admits.computeIfAbsent(
                            older.getValue(), each -> each.evaluate(names, 0).admits())
                    && isServed(older.getKey().pod, node)
                    && wouldStarve(older.getKey().pod, node, fitting)) {
                return Optional.of(older.getKey());
            }
        }
        return Optional.empty();
    }

    /** Pods of equal shape may differ in their claims. */
    private boolean isServed(PodFacts older, String node) {
        return older.claims().isEmpty()
                || cluster.use(node)
                        .filter(use -> use.now().admitsByZones(older))
                        .isPresent();
    }

    /** @param fitting older ones that fit the node, each or together; this one is added if it fits, too */
    private boolean wouldStarve(PodFacts older, String node, List<Reservation> fitting) {
        if (!cluster.offersDevices(node, older)) {
            return false;
        }
        List<Reservation> together = fitting.size() < MAX_TOGETHER ? fitting : new ArrayList<>();
        together.add(Reservation.older(older));
        return cluster.use(node)
                .filter(use -> use.wouldDisplace(younger, together))
                .isPresent();
    }

    void finish() {
        byShape.values().forEach(NodeEvaluator::finish);
    }
}
