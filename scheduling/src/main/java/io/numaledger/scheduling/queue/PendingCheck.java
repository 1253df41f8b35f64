package io.numaledger.scheduling.queue;

import io.numaledger.evaluation.budget.EvaluationBudget;
import io.numaledger.evaluation.facts.PodFacts;
import io.numaledger.evaluation.fit.Evaluation;
import io.numaledger.evaluation.fit.Evaluation.Refused;
import io.numaledger.scheduling.batch.BatchEvaluator;
import io.numaledger.scheduling.batch.ClusterSearch;
import io.numaledger.scheduling.state.ClusterState;
import io.numaledger.scheduling.state.NodeNames;

import java.util.BitSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.stream.IntStream;

/**
 * A check whether a pending pod could run now. What the queue knows of the pod was copied under the queue's lock; nodes are evaluated without
 * the lock, and the result is applied if the pod has not been tried or removed meanwhile.
 *
 * @param calls how many filter calls there were for the pod
 * @param pod as the watch shows it
 * @param changed the slots of nodes that may admit it now
 * @param held the slots of nodes that refuse it only until more is known of them
 * @param sampled whether other nodes than those in the scheduler's sample may take it
 * @param refused nodes that kube-scheduler has refused itself
 * @param mayNominate whether the pod is to be nominated for the best node
 */
record PendingCheck(
        PendingPod pending,
        int calls,
        PodFacts pod,
        BitSet changed,
        BitSet held,
        boolean sampled,
        Set<String> refused,
        boolean mayNominate) {

    /** The number of nodes among which one is left for a pod, although some are reserved for older pods. */
    private static final int ENOUGH_NODES = 16;

    /**
     * What is found out.
     *
     * @param admitting the nodes that admit the pod
     * @param reserved those of them that are reserved for older pods
     * @param best the best one of the others; absent if the pod is not to be nominated
     * @param held nodes that still refuse the pod only until more is known of them; absent if that does not matter
     */
    record Result(
            List<String> admitting,
            Map<String, PendingPod> reserved,
            Optional<String> best,
            Optional<List<String>> held) {

        boolean isSchedulable() {
            return reserved.size() < admitting.size();
        }
    }

    /** Finds the nodes that are reserved for older pods. */
    interface Older {

        /** The nodes among these that are reserved for pods that are older than this one. */
        Map<String, PendingPod> reservedFor(PodFacts pod, List<String> admitting, EvaluationBudget budget);
    }

    /** A check has the budget of a call about its pod. */
    Result run(ClusterState cluster, BatchEvaluator evaluator, ClusterSearch search, Older older) {
        List<String> nodes = cluster.index().names(changed);
        EvaluationBudget budget = cluster.budget(pod, nodes.size());
        List<String> admitting = sampled
                ? search.taking(pod, allowed(nodes), ENOUGH_NODES, budget)
                : evaluator.admitting(nodes, pod, budget);
        Optional<List<String>> stillHeld = admitting.isEmpty() && held.intersects(changed)
                ? Optional.of(held(cluster, evaluator, budget))
                : Optional.empty();
        Map<String, PendingPod> reserved = older.reservedFor(pending.pod, admitting, budget);
        List<String> free =
                admitting.stream().filter(node -> !reserved.containsKey(node)).toList();
        Optional<String> best = mayNominate && !free.isEmpty()
                ? search.taking(pending.pod, allowed(free), 1, budget).stream().findFirst()
                : Optional.empty();
        return new Result(admitting, reserved, best, stillHeld);
    }

    private List<String> allowed(List<String> nodes) {
        return refused.isEmpty()
                ? nodes
                : nodes.stream().filter(each -> !refused.contains(each)).toList();
    }

    private List<String> held(ClusterState cluster, BatchEvaluator evaluator, EvaluationBudget budget) {
        NodeNames nodes = NodeNames.of(cluster.index(), cluster.index().names(held));
        List<Evaluation> evaluations = evaluator.evaluate(nodes, pod, budget);
        return IntStream.range(0, nodes.size())
                .filter(place -> evaluations.get(place) instanceof Refused refusal
                        && refusal.reason().isHold())
                .mapToObj(nodes::get)
                .toList();
    }
}
