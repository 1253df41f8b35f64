package io.numaledger.scheduling.rehearsal;

import io.numaledger.evaluation.facts.PodFacts;
import io.numaledger.evaluation.fit.ClassCopies;
import io.numaledger.evaluation.fit.NodeEquivalenceClass;
import io.numaledger.evaluation.fit.TentativeNode;
import io.numaledger.scheduling.state.NodeUse;

import java.util.ArrayList;
import java.util.Collection;
import java.util.Comparator;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.stream.Collectors;

/** One node in a rehearsal, at one instant. Not thread-safe. */
final class RehearsedNode {

    /** kube-scheduler prefers nodes of which more is free. */
    static final Comparator<RehearsedNode> EMPTIEST_FIRST =
            Comparator.comparingLong((RehearsedNode node) -> -node.freeShare).thenComparing(RehearsedNode::name);

    private final String name;
    private final NodeUse use;
    private final TentativeNode state;
    private final List<PodFacts> pods;
    private final long freeShare;

    /** Absent: not asked yet; empty: counts do not decide there. */
    private Optional<Optional<NodeEquivalenceClass>> counts = Optional.empty();

    private RehearsedNode(String name, NodeUse use, TentativeNode state, List<PodFacts> pods) {
        this.name = name;
        this.use = use;
        this.state = state;
        this.pods = List.copyOf(pods);
        this.freeShare = state.freeShare();
    }

    /** A node as it is when its terminating pods have ended. */
    static RehearsedNode of(NodeUse use) {
        return new RehearsedNode(
                use.node().name(),
                use,
                use.afterReleases(),
                use.pods().stream().filter(pod -> !pod.terminating()).toList());
    }

    /** A ready node like this one, without some of its pods. */
    RehearsedNode like(String other, Collection<PodFacts> gone) {
        RehearsedNode without = without(gone);
        return new RehearsedNode(other, use, without.state.uncordoned(), without.pods);
    }

    RehearsedNode without(Collection<PodFacts> gone) {
        Set<String> keys = gone.stream().map(PodFacts::key).collect(Collectors.toSet());
        return new RehearsedNode(
                name,
                use,
                state.without(gone),
                pods.stream().filter(pod -> !keys.contains(pod.key())).toList());
    }

    /**
     * This node with one pod more. Where its kubelet draws devices, it is known which ones before the next pod comes: they are taken to be the
     * likeliest ones.
     *
     * @param after the node with the pod
     */
    RehearsedNode with(PodFacts pod, TentativeNode after) {
        List<PodFacts> more = new ArrayList<>(pods);
        more.add(pod);
        return new RehearsedNode(name, use, state.decisiveState().isPresent() ? after.likeliest() : after, more);
    }

    String name() {
        return name;
    }

    /** What is used of it at the beginning, or since its kubelet was changed. */
    NodeUse use() {
        return use;
    }

    TentativeNode state() {
        return state;
    }

    List<PodFacts> pods() {
        return pods;
    }

    /** Whether the counts of its zones alone show that it takes no such pod. */
    boolean refusesByCounts(ClassCopies equalPods) {
        if (counts.isEmpty()) {
            counts = Optional.of(state.decisiveState()
                    .flatMap(now -> use.snapshots().likeliest().nodeClass().map(nodes -> nodes.inState(now))));
        }
        return counts.get()
                .flatMap(nodes -> equalPods.byCounts(nodes, 1))
                .filter(copies -> copies.count() == 0)
                .isPresent();
    }
}
