package io.numaledger.evaluation.budget;

import io.numaledger.evaluation.facts.PodFacts;

import java.util.Map;
import java.util.Optional;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.AtomicLong;

/**
 * How much work one call may cause, in all its searches together. Each pod that is evaluated on the way has a part of the budget: a pod that
 * is costly to evaluate uses up its own part, not that of others. Work beyond the budget is not done, and what it would have decided is not
 * evaluated. One unit is about a microsecond. Thread-safe.
 */
public final class EvaluationBudget {

    /** The units for placing a pod with one container on a node tentatively, as its kubelet would. */
    public static final int PLACEMENT = 20;

    /** What a call may cause for the pod that it is about: a fixed amount and more for each node, up to a most. */
    private static final long OF_CALLER = 20_000;

    private static final long OF_CALLER_PER_NODE = 100;

    private static final long MOST_OF_CALLER = 200_000;

    /** What a call may cause for each other pod, and for all others together. */
    private static final long OF_EACH_OTHER = 5_000;

    private static final long OF_OTHERS = 30_000;

    /** What a search for pods to evict may cause for the pod that it is about: about a second. */
    private static final long OF_SEARCH = 1_000_000;

    /** So many nodes are passed over at the cost of one unit. */
    private static final int NODES_PASSED_OVER = 16;

    /** The budget of whoever evaluates nothing: every use is an error. */
    public static final EvaluationBudget NONE = new EvaluationBudget(0);

    private final long units;
    private final long eachPod;
    private final Optional<CostlyPods> costly;
    private final AtomicLong left;
    private final Map<String, Part> parts = new ConcurrentHashMap<>();

    private EvaluationBudget(long units, long eachPod, Optional<CostlyPods> costly) {
        this.units = units;
        this.eachPod = eachPod;
        this.costly = costly;
        this.left = new AtomicLong(units);
    }

    /** A budget that any pod may use up. */
    public EvaluationBudget(long units) {
        this(units, units, Optional.empty());
    }

    /**
     * The budget of a call that is about one pod on some nodes.
     *
     * @param costly nothing is spent on these; further ones are added
     */
    public static EvaluationBudget ofCall(PodFacts pod, int nodes, CostlyPods costly) {
        return of(pod, Math.min(MOST_OF_CALLER, OF_CALLER + OF_CALLER_PER_NODE * nodes), costly);
    }

    /** The budget of a call that looks for pods to evict for one pod. */
    public static EvaluationBudget ofSearch(PodFacts pod, CostlyPods costly) {
        return of(pod, OF_SEARCH, costly);
    }

    private static EvaluationBudget of(PodFacts pod, long own, CostlyPods costly) {
        EvaluationBudget budget = new EvaluationBudget(own + OF_OTHERS, OF_EACH_OTHER, Optional.of(costly));
        String id = id(pod);
        budget.parts.put(id, budget.part(id, own));
        return budget;
    }

    /** What is spent on one pod. */
    public final class Part {

        private final String pod;
        private final AtomicLong left;

        private Part(String pod, long units) {
            this.pod = pod;
            this.left = new AtomicLong(units);
        }

        /** Takes what some work costs. Returns false once the pod's part, or the whole budget, is used up. */
        public boolean take(long cost) {
            boolean isLeft = EvaluationBudget.take(left, cost);
            if (!isLeft) {
                costly.ifPresent(pods -> pods.add(pod));
            }
            return isLeft && EvaluationBudget.this.take(cost);
        }

        /** Uses up the part: the pod cannot be evaluated. */
        public void end() {
            var unused = take(left.get() + 1);
        }

        /** Whether the pod is no longer evaluated. */
        public boolean isUsedUp() {
            return isPartUsedUp() || EvaluationBudget.this.isUsedUp();
        }

        /** Whether that is due to the pod alone. */
        public boolean isPartUsedUp() {
            return left.get() < 0;
        }
    }

    /** The part of a pod. */
    public Part of(PodFacts pod) {
        return ofPod(id(pod));
    }

    /** The part of a pod with this UID. */
    public Part ofPod(String uid) {
        check();
        return parts.computeIfAbsent(uid, id -> part(id, eachPod));
    }

    private Part part(String id, long most) {
        return new Part(id, costly.filter(pods -> pods.contains(id)).isPresent() ? -1 : most);
    }

    private static String id(PodFacts pod) {
        return pod.uid().orElseGet(pod::key);
    }

    /** Takes what some work costs. Returns false once the budget is used up: then the search ends without a result. */
    public boolean take(long cost) {
        check();
        return take(left, cost);
    }

    private void check() {
        if (this == NONE) {
            throw new IllegalStateException("a pod is evaluated without the budget of a call");
        }
    }

    private static boolean take(AtomicLong left, long cost) {
        return left.updateAndGet(before -> before - Math.min(before + 1, cost)) >= 0;
    }

    /** Takes what it costs to read a list of nodes. */
    public boolean takeNodes(int nodes) {
        return take(1 + nodes / NODES_PASSED_OVER);
    }

    public boolean isUsedUp() {
        return left.get() < 0;
    }

    public long left() {
        return Math.max(0, left.get());
    }

    public long used() {
        return units - left();
    }
}
