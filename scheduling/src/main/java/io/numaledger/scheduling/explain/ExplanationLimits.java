package io.numaledger.scheduling.explain;

import io.numaledger.evaluation.budget.EvaluationBudget;
import io.numaledger.evaluation.claim.ResourceClaim;
import io.numaledger.evaluation.facts.PodFacts;
import io.numaledger.scheduling.state.ClusterState;
import io.numaledger.scheduling.state.NodeUse;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.function.Predicate;

/** Explains a pod to a caller that may ask for anything: within limits of containers, of pods taken away, and of time. */
public final class ExplanationLimits {

    /** The most containers of a pod: more than any pod of a real cluster has, and few enough that one answer takes no more than seconds. */
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
     * @param older whether a node that takes the pod is reserved for older pods; not asked if some pods are taken to have ended
     * @throws IllegalArgumentException if the pod, or the number of pods taken away, is beyond the limits
     * @throws TimeUpException if it takes too long
     */
    public static List<Explanation> explain(
            ClusterState cluster,
            List<String> ended,
            PodFacts pod,
            List<ResourceClaim> described,
            Predicate<String> older) {
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
            Explanation explanation = Explanation.of(cluster.claims(), node, ended, pod, described);
            boolean reserved = ended.isEmpty()
                    && explanation.schedulable()
                    && older.test(node.node().name());
            explanations.add(reserved ? explanation.reservedForOlder() : explanation);
        }
        return explanations;
    }
}
