package io.numaledger.scheduling.queue;

import io.numaledger.evaluation.budget.EvaluationBudget;
import io.numaledger.evaluation.facts.PodFacts;
import io.numaledger.evaluation.fit.SchedulingRequest;
import io.numaledger.scheduling.batch.BatchEvaluator;
import io.numaledger.scheduling.batch.NodeEvaluator;
import io.numaledger.scheduling.state.ClusterState;
import io.numaledger.scheduling.state.Feasibility;
import io.numaledger.scheduling.state.NodeNames;
import io.numaledger.scheduling.state.Reservation;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;

/**
 * Pending pods that go before a younger one: a node is reserved for such a pod if it fits there now, and not beside the younger one. Equal pods are
 * evaluated once on each node. No node is reserved for an older pod that has used up its part of the budget, or that cannot
 * be evaluated. For one thread; {@link #finish} stores what was found out.
 */
final class OlderPods {

    private static final Logger log = LoggerFactory.getLogger(OlderPods.class);

    /** Places are reserved for so many pods together, the oldest ones; for others each for itself. */
    private static final int MAX_TOGETHER = 3;

    private final ClusterState cluster;
    private final BatchEvaluator evaluator;
    private final PodFacts younger;
    private final List<PendingPod> older;
    private final boolean areAllEvaluated;
    private final RefusingNodes refusing;
    private final long second;
    private final EvaluationBudget budget;
    private final Map<SchedulingRequest, NodeEvaluator> byRequest = new HashMap<>();

    /** The evaluator of each older pod, once it is needed. */
    private final @Nullable NodeEvaluator[] evaluators;

    /**
     * @param older the oldest first
     * @param refusing nodes that are known to refuse all of these
     * @param budget of the call
     */
    OlderPods(
            ClusterState cluster,
            BatchEvaluator evaluator,
            PodFacts younger,
            List<PendingPod> older,
            RefusingNodes refusing,
            EvaluationBudget budget) {
        this.cluster = cluster;
        this.evaluator = evaluator;
        this.younger = younger;
        this.older =
                older.stream().filter(each -> !budget.of(each.pod).isUsedUp()).toList();
        this.areAllEvaluated = this.older.size() == older.size();
        this.evaluators = new NodeEvaluator[this.older.size()];
        this.refusing = refusing;
        this.budget = budget;
        this.second = cluster.versions().second();
    }

    /** The one for which the node is reserved that is named at a place. */
    Optional<PendingPod> reservedFor(NodeNames names, int place) {
        if (!names.isKnown(place)) {
            return Optional.empty();
        }
        int slot = names.index().slot(names.at(place));
        long version = cluster.versions().get(slot);
        boolean lasts = areAllEvaluated && cluster.versions().isValidAt(second, slot);
        if (lasts && refusing.contains(slot, version)) {
            return Optional.empty();
        }
        List<Reservation> fitting = new ArrayList<>();
        @Nullable NodeEvaluator refusedBy = null;
        for (int i = 0; i < older.size(); i++) {
            PendingPod each = older.get(i);
            if (each.refusedAtVersion >= version) {
                continue;
            }
            EvaluationBudget.Part part = budget.of(each.pod);
            try {
                boolean isEvaluated =
                        part.take(each.pod.request().inAllocationOrder().size());
                NodeEvaluator evaluator = evaluator(i);
                boolean admits = isEvaluated
                        && evaluator != refusedBy
                        && evaluator.evaluate(names, place).admits();
                refusedBy = isEvaluated && !admits ? evaluator : refusedBy;
                lasts &= isEvaluated && !admits;
                if (admits
                        && isServed(each.pod, names.get(place))
                        && wouldStarve(each.pod, names.get(place), fitting)) {
                    return Optional.of(each);
                }
            } catch (RuntimeException | StackOverflowError failed) {
                // Whatever is wrong with one pod, calls about others are answered.
                part.end();
                lasts = false;
                log.warn("event=pod.not_evaluated pod={} error=\"{}\"", each.pod.key(), String.valueOf(failed));
            }
        }
        if (lasts) {
            refusing.add(slot, version);
        }
        return Optional.empty();
    }

    private NodeEvaluator evaluator(int number) {
        NodeEvaluator known = evaluators[number];
        if (known == null) {
            PendingPod pod = older.get(number);
            known = byRequest.computeIfAbsent(pod.request(), any -> evaluator.nodes(pod.pod));
            evaluators[number] = known;
        }
        return known;
    }

    /** Pods with equal requests may differ in their claims. */
    private boolean isServed(PodFacts older, String node) {
        return older.claims().isEmpty()
                || cluster.use(node, budget)
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
        return cluster.use(node, budget)
                .filter(use -> Feasibility.of(use).displaces(younger, together))
                .isPresent();
    }

    void finish() {
        byRequest.values().forEach(NodeEvaluator::finish);
    }
}
