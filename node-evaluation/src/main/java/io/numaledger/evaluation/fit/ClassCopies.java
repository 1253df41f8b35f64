package io.numaledger.evaluation.fit;

import io.numaledger.evaluation.facts.PodFacts;
import io.numaledger.fastpath.CompiledPod;
import io.numaledger.fastpath.FastPathEvaluator;
import io.numaledger.fastpath.FastPathModel.Copies;
import io.numaledger.fastpath.NodeCounts;
import io.numaledger.fastpath.Verdict;
import io.numaledger.kubelet.Decision;
import io.numaledger.kubelet.KubeletModel;
import io.numaledger.kubelet.NodeState;

import java.util.Collections;
import java.util.Map;
import java.util.Optional;
import java.util.WeakHashMap;

/**
 * How many copies of one pod nodes take by their zones, one after the other until the kubelet refuses one. Counted once for each class of
 * nodes, while there are such nodes. Thread-safe.
 */
public final class ClassCopies {

    private final PodFacts pod;
    private final FastPathEvaluator evaluator = new FastPathEvaluator();
    private final Map<NodeEquivalenceClass, Count> counts = Collections.synchronizedMap(new WeakHashMap<>());
    private Optional<CompiledPod> compiled = Optional.empty();

    /** @param most the counting was stopped here */
    private record Count(int copies, int most) {

        boolean isEnoughFor(int wanted) {
            return copies < most || wanted <= most;
        }
    }

    public ClassCopies(PodFacts pod) {
        this.pod = pod;
    }

    /** Whether it was counted before. */
    public boolean isKnown(NodeEquivalenceClass nodes, int most) {
        Count known = counts.get(nodes);
        return known != null && known.isEnoughFor(most);
    }

    /**
     * Counts.
     *
     * @param now the state of any node of the class
     * @param most stop counting here
     * @return may be higher than {@code most}
     */
    public int on(NodeEquivalenceClass nodes, NodeState now, int most) {
        Count known = counts.get(nodes);
        if (known != null && known.isEnoughFor(most)) {
            return known.copies();
        }
        int copies = byCounts(nodes, most)
                .map(Copies::count)
                .orElseGet(() -> filled(nodes, now, most).copies());
        counts.put(nodes, new Count(copies, most));
        return copies;
    }

    /** The copies by counts alone, which are not remembered; absent where counts do not decide. */
    public synchronized Optional<Copies> byCounts(NodeEquivalenceClass nodes, int most) {
        return nodes.counts().isEmpty()
                ? Optional.empty()
                : nodes.type()
                        .fastPath()
                        .orElseThrow()
                        .model()
                        .copies(evaluator, nodes.counts().get(), compiled(nodes.type()), most);
    }

    /**
     * Whether a node takes one.
     *
     * @param nodes any class of its type
     * @param counts of the node
     * @return absent where they do not decide
     */
    public synchronized Optional<Boolean> admits(NodeEquivalenceClass nodes, NodeCounts counts) {
        Verdict verdict =
                nodes.type().fastPath().orElseThrow().model().evaluate(evaluator, counts, compiled(nodes.type()));
        return verdict == Verdict.UNDECIDED ? Optional.empty() : Optional.of(!verdict.isRefused());
    }

    /** All types of a cluster's nodes share the numbers of resources. */
    private synchronized CompiledPod compiled(NodeType type) {
        if (compiled.isEmpty()) {
            compiled = Optional.of(type.compiled(pod.request()));
        }
        return compiled.get();
    }

    /**
     * A node of the class after copies of the pod, each of which is forgotten once it holds what it gets: nothing depends on names.
     *
     * @param now the state of any node of the class
     * @param most fewer if its kubelet refuses one of them
     */
    public FilledNode filled(NodeEquivalenceClass nodes, NodeState now, int most) {
        KubeletModel kubelet = nodes.type().kubelet();
        NodeState state = nodes.anonymous(now);
        for (int copies = 0; copies < most; copies++) {
            Decision decision = kubelet.admit(state, pod.request());
            if (!decision.admission().isAdmitted()) {
                return new FilledNode(kubelet, state, copies);
            }
            state = kubelet.started(decision.state(), pod.request()).anonymous();
        }
        return new FilledNode(kubelet, state, most);
    }
}
