package io.numaledger.bridge.explain;

import io.numaledger.bridge.budget.EvaluationBudget;
import io.numaledger.bridge.claim.ResourceClaim;
import io.numaledger.bridge.objects.PodFacts;
import io.numaledger.bridge.state.ClusterState;
import io.numaledger.bridge.state.NodeUse;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.function.BiFunction;

/** Explains a pod to a caller that may ask for anything: within limits of containers, of pods taken away, and of time. */
public final class ExplanationLimits {

    /** More than any pod of a real cluster has, and few enough that one answer takes no more than seconds. */
    static final int MOST_CONTAINERS = 200;

    static final int MOST_ENDED = 100;
    private static final Duration MOST_TIME = Duration.ofSeconds(10);

    private ExplanationLimits() {}

    /** The explanations took too long. */
    public static final class TimeUpException extends RuntimeException {

        private static final long serialVersionUID = 1;

        TimeUpException(String message) {
            super(message);
        }
    }

    /**
     * Explains every node.
     *
     * @param described claims that would be made for the pod
     * @param older which nodes of several that take a pod are reserved for older pods; not asked if some are taken to have ended
     * @throws IllegalArgumentException if the pod, or the number of pods taken away, is beyond the limits
     * @throws TimeUpException if it takes too long
     */
    public static List<Explanation> explain(
            ClusterState cluster,
            List<String> ended,
            PodFacts pod,
            List<ResourceClaim> described,
            BiFunction<PodFacts, List<String>, Set<String>> older) {
        int containers = pod.request().inAllocationOrder().size();
        if (containers > MOST_CONTAINERS) {
            throw new IllegalArgumentException("too many containers: pod=%s containers=%d; at most %d are explained"
                    .formatted(pod.key(), containers, MOST_CONTAINERS));
        }
        if (ended.size() > MOST_ENDED) {
            throw new IllegalArgumentException(
                    "too many pods to evict: evict=%d; at most %d are considered".formatted(ended.size(), MOST_ENDED));
        }
        long begun = System.nanoTime();
        List<Explanation> explanations = new ArrayList<>();
        List<NodeUse> nodes = cluster.uses(EvaluationBudget.NONE);
        for (NodeUse node : nodes) {
            if (System.nanoTime() - begun > MOST_TIME.toNanos()) {
                throw new TimeUpException(
                        "the explanation takes too long: nodes=%d explained=%d; retry with a smaller pod"
                                .formatted(nodes.size(), explanations.size()));
            }
            explanations.add(Explanation.of(cluster.claims(), node, ended, pod, described));
        }
        return ended.isEmpty() ? besideOlder(explanations, pod, older) : explanations;
    }

    private static List<Explanation> besideOlder(
            List<Explanation> explanations, PodFacts pod, BiFunction<PodFacts, List<String>, Set<String>> older) {
        List<String> fitting = explanations.stream()
                .filter(Explanation::schedulable)
                .map(each -> each.node().name())
                .toList();
        Set<String> reserved = older.apply(pod, fitting);
        return explanations.stream()
                .map(each -> reserved.contains(each.node().name()) ? each.reservedForOlder() : each)
                .toList();
    }
}
