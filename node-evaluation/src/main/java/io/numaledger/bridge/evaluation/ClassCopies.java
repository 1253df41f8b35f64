package io.numaledger.bridge.evaluation;

import io.numaledger.bridge.objects.PodFacts;
import io.numaledger.fastpath.CompiledPod;
import io.numaledger.fastpath.FastPathEvaluator;
import io.numaledger.kubelet.Decision;
import io.numaledger.kubelet.KubeletModel;
import io.numaledger.kubelet.NodeState;
import io.numaledger.pod.PodRequest;

import java.util.Collections;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalInt;
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
        int copies = byCounts(nodes, most).orElseGet(() -> oneByOne(nodes, now, most));
        counts.put(nodes, new Count(copies, most));
        return copies;
    }

    /** Absent where counts do not decide. */
    private synchronized OptionalInt byCounts(NodeEquivalenceClass nodes, int most) {
        return nodes.counts().isEmpty()
                ? OptionalInt.empty()
                : nodes.type()
                        .fastPath()
                        .orElseThrow()
                        .model()
                        .copies(evaluator, nodes.counts().get(), compiled(nodes.type()), most);
    }

    /** All types of a cluster's nodes share the numbers of resources. */
    private synchronized CompiledPod compiled(NodeType type) {
        if (compiled.isEmpty()) {
            compiled = Optional.of(type.compiled(pod.request()));
        }
        return compiled.get();
    }

    private int oneByOne(NodeEquivalenceClass nodes, NodeState now, int most) {
        KubeletModel kubelet = nodes.type().kubelet();
        NodeState state = nodes.anonymous(now);
        for (int copies = 0; copies < most; copies++) {
            PodRequest copy = pod.request().named("%s-%d".formatted(pod.key(), copies));
            Decision decision = kubelet.admit(state, copy);
            if (!decision.admission().isAdmitted()) {
                return copies;
            }
            state = kubelet.started(decision.state(), copy);
        }
        return most;
    }
}
