package io.numaledger.bridge.evaluation;

import io.numaledger.bridge.objects.PodFacts;
import io.numaledger.fastpath.CompiledPod;
import io.numaledger.fastpath.FastPathEvaluator;
import io.numaledger.fastpath.FastPathModel.Copies;
import io.numaledger.kubelet.Decision;
import io.numaledger.kubelet.KubeletModel;
import io.numaledger.kubelet.NodeState;
import io.numaledger.kubelet.admission.ResourceFit;
import io.numaledger.pod.PodRequest;

import java.util.Collections;
import java.util.List;
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

    /**
     * How many there are.
     *
     * @param most the counting was stopped here
     * @param refused how the next one fits, where counts decide
     */
    private record Count(int copies, int most, List<ResourceFit> refused) {

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
        Count count = byCounts(nodes, most)
                .map(found -> new Count(found.count(), most, found.refused()))
                .orElseGet(() -> new Count(filled(nodes, now, most).copies(), most, List.of()));
        counts.put(nodes, count);
        return count.copies();
    }

    /** The resource of which the copy after the last one lacks enough by itself; absent: none, or counts do not decide. */
    public Optional<String> shortResource(NodeEquivalenceClass nodes) {
        return Optional.ofNullable(counts.get(nodes)).stream()
                .flatMap(count -> count.refused().stream())
                .filter(ResourceFit::isShort)
                .map(ResourceFit::resource)
                .findFirst();
    }

    /** Absent where counts do not decide. */
    private synchronized Optional<Copies> byCounts(NodeEquivalenceClass nodes, int most) {
        return nodes.counts().isEmpty()
                ? Optional.empty()
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

    /**
     * A node of the class after copies of the pod.
     *
     * @param now the state of any node of the class
     * @param most fewer if its kubelet refuses one of them
     */
    public FilledNode filled(NodeEquivalenceClass nodes, NodeState now, int most) {
        KubeletModel kubelet = nodes.type().kubelet();
        NodeState state = nodes.anonymous(now);
        for (int copies = 0; copies < most; copies++) {
            PodRequest copy = pod.request().named(pod.key() + "-" + copies);
            Decision decision = kubelet.admit(state, copy);
            if (!decision.admission().isAdmitted()) {
                return new FilledNode(kubelet, state, copies);
            }
            state = kubelet.started(decision.state(), copy);
        }
        return new FilledNode(kubelet, state, most);
    }
}
