package io.numaledger.benchmarks.trace;

import io.numaledger.bridge.score.FreeAmounts;
import io.numaledger.bridge.score.PlacementChange;
import io.numaledger.bridge.score.Ranking;
import io.numaledger.fastpath.FastPathEvaluator;
import io.numaledger.fastpath.NodeCounts;
import io.numaledger.fastpath.Verdict;
import io.numaledger.kubelet.Admission;
import io.numaledger.kubelet.Decision;
import io.numaledger.kubelet.NodeState;

import java.util.Arrays;
import java.util.Optional;

/** A node of the trace whose kubelet is a model: it admits pods at once, and frees at once what an ended pod held. */
final class TraceNode {

    private final TraceNodeType type;
    private final FastPathEvaluator evaluator;
    private NodeState state;
    private long[] free;
    private FreeAmounts amounts;
    private Optional<NodeCounts> counts;

    /** A node without pods. */
    TraceNode(TraceNodeType type, FastPathEvaluator evaluator) {
        this.type = type;
        this.evaluator = evaluator;
        this.state = type.kubelet().empty();
        this.free = type.table().free(state);
        this.counts = type.fastPath().counts(state, free);
        this.amounts = new FreeAmounts(type.table(), free);
    }

    TraceNodeType type() {
        return type;
    }

    private void change(NodeState next) {
        state = next;
        free = type.table().free(state);
        counts = type.fastPath().counts(state, free);
        amounts = new FreeAmounts(type.table(), free);
    }

    /** Whether the kubelet would admit the pod. */
    boolean admits(TracePod pod) {
        Verdict verdict = evaluate(pod);
        return verdict == Verdict.UNDECIDED
                ? type.kubelet().admit(state, pod.request()).admission().isAdmitted()
                : !verdict.isRefused();
    }

    /** By the fast path. */
    private Verdict evaluate(TracePod pod) {
        return counts.map(each -> type.fastPath().evaluate(evaluator, each, pod.compiled()))
                .orElse(Verdict.UNDECIDED);
    }

    /** The bridge's rank of the node for a pod that it admits. */
    long rank(TracePod pod, Ranking ranking) {
        long[] taken = new long[free.length];
        if (evaluate(pod) == Verdict.ADMITTED) {
            evaluator.place(counts.orElseThrow(), pod.compiled(), taken);
        } else {
            long[] after = type.table().free(after(pod));
            Arrays.setAll(taken, at -> Math.max(0, free[at] - after[at]));
        }
        return ranking.rank(new PlacementChange(amounts, taken));
    }

    /** With a pod that the kubelet admits. */
    private NodeState after(TracePod pod) {
        return type.kubelet().started(type.kubelet().admit(state, pod.request()).state(), pod.request());
    }

    /** Starts the pod, if the kubelet admits it. */
    Admission start(TracePod pod) {
        Decision decision = type.kubelet().admit(state, pod.request());
        if (decision.admission().isAdmitted()) {
            change(type.kubelet().started(decision.state(), pod.request()));
        }
        return decision.admission();
    }

    void end(TracePod pod) {
        change(type.kubelet()
                .removeStaleState(type.kubelet().ended(state, pod.request().name())));
    }

    /** What is free of a resource in all zones together; 0 if the node has none of it. */
    long free(String resource) {
        return type.sum(resource, at -> free[at]);
    }

    /** The same of the node without pods. */
    long allocatable(String resource) {
        return type.allocatable(resource);
    }
}
