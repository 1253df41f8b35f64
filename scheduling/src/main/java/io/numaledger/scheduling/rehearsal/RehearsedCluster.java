package io.numaledger.scheduling.rehearsal;

import io.numaledger.evaluation.budget.EvaluationBudget;
import io.numaledger.evaluation.facts.DisruptionBudget;
import io.numaledger.evaluation.facts.PodFacts;
import io.numaledger.evaluation.facts.PodOrigin;
import io.numaledger.evaluation.snapshot.SnapshotSettings;
import io.numaledger.scheduling.dra.ClaimsAfterEviction;
import io.numaledger.scheduling.preemption.DisruptionBudgets;
import io.numaledger.scheduling.state.ClusterState;
import io.numaledger.scheduling.state.NodeUse;

import java.time.Instant;
import java.util.Comparator;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;

/**
 * A cluster as it is, for rehearsals.
 *
 * @param origins by pod key
 */
public record RehearsedCluster(
        ClusterState state, Map<String, PodOrigin> origins, DisruptionBudgets budgets, SnapshotSettings settings) {

    /** About half a minute of a processor for each thousand nodes. */
    private static final long WORK_PER_NODE = 30_000;

    private static final long LEAST_WORK = 10_000_000;

    /** The order in which kube-scheduler tries pods. */
    static final Comparator<PodFacts> QUEUE =
            Comparator.comparingInt((PodFacts pod) -> -pod.priority().value()).thenComparing(PodFacts.BY_AGE);

    /**
     * All nodes as they are now.
     *
     * @param evicted the UIDs of the pods that are ended in the rehearsal, which the caller adds
     */
    TentativeCluster tentative(Set<String> evicted) {
        List<NodeUse> uses = state.uses(EvaluationBudget.NONE);
        EvaluationBudget budget = new EvaluationBudget(LEAST_WORK + WORK_PER_NODE * uses.size());
        ClaimsAfterEviction claims = new ClaimsAfterEviction(state.claims(), evicted::contains);
        return new TentativeCluster(
                uses.stream().map(use -> use.within(budget).withClaims(claims)).toList());
    }

    /** The pods without a node that a scheduler tries, in its order. */
    List<PodFacts> pending() {
        return state.pods().unbound().stream()
                .filter(pod -> !pod.ended()
                        && !pod.terminating()
                        && (pod.group().gates().isEmpty() || pod.group().awaitsPlan()))
                .sorted(QUEUE)
                .toList();
    }

    PodOrigin origin(PodFacts pod) {
        return origins.getOrDefault(pod.key(), PodOrigin.UNKNOWN);
    }

    /** Pods in the order in which a kubelet that starts looks at them (kubelet.go, HandlePodAdditions). */
    List<PodFacts> inKubeletOrder(List<PodFacts> pods) {
        return pods.stream()
                .sorted(Comparator.comparing(this::created).thenComparing(PodFacts::key))
                .toList();
    }

    /** Whether another pod that needs alignment was created in the same second. */
    boolean isTied(PodFacts pod, List<PodFacts> pods) {
        return pod.needsAlignment()
                && pods.stream()
                                .filter(other ->
                                        other.needsAlignment() && created(other).equals(created(pod)))
                                .count()
                        > 1;
    }

    private Instant created(PodFacts pod) {
        return origin(pod).created().or(pod::startedAt).orElse(Instant.MIN);
    }

    /** What a drain does to a pod: it stays, or nobody makes another one, or another one is pending. */
    RehearsedPod drained(PodFacts pod, String node) {
        if (origin(pod).isOfDaemonSet()) {
            return RehearsedPod.stays(pod, node, "it belongs to a DaemonSet");
        }
        if (pod.isStatic()) {
            return RehearsedPod.stays(pod, node, "it is a static pod");
        }
        Optional<DisruptionBudget> full = budgets.all().stream()
                .filter(budget -> budget.allowed() <= 0 && budget.selects(pod))
                .findFirst();
        return full.isPresent()
                ? RehearsedPod.of(
                        pod,
                        node,
                        Fate.BLOCKED,
                        "disruption budget %s allows no eviction"
                                .formatted(full.get().name()))
                : ended(pod, node, "");
    }

    /** What becomes of a pod that ends, before another node is looked for. */
    RehearsedPod ended(PodFacts pod, String node, String why) {
        return origin(pod).controller().isPresent()
                ? RehearsedPod.of(pod, node, Fate.PENDING, why)
                : RehearsedPod.of(
                        pod, node, Fate.LOST, why.isEmpty() ? "it has no controller" : why + "; it has no controller");
    }
}
