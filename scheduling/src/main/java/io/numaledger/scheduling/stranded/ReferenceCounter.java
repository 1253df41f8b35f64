package io.numaledger.scheduling.stranded;

import io.numaledger.evaluation.facts.PodFacts;
import io.numaledger.evaluation.fit.ClassCopies;
import io.numaledger.evaluation.fit.FilledNode;
import io.numaledger.evaluation.fit.FullModel;
import io.numaledger.evaluation.fit.NodeEquivalenceClass;
import io.numaledger.evaluation.fit.NodeFit;
import io.numaledger.evaluation.fit.TentativeNode;
import io.numaledger.evaluation.fit.TentativeNode.Filled;
import io.numaledger.fastpath.FastPathModel.Copies;
import io.numaledger.kubelet.KubeletModel;
import io.numaledger.kubelet.NodeState;
import io.numaledger.kubelet.admission.ResourceFit;
import io.numaledger.resource.ResourceKind;
import io.numaledger.scheduling.group.GroupNode;
import io.numaledger.scheduling.group.GroupNode.SharedZones;

import java.util.EnumMap;
import java.util.Map;
import java.util.Optional;
import java.util.SortedMap;
import java.util.WeakHashMap;
import java.util.function.Supplier;

import static java.util.Objects.requireNonNull;

/** How many more pods of one size a node takes, by zones and by node-level requests. Equal nodes are counted once. For one thread. */
final class ReferenceCounter {

    /** More pods of one size are not counted on one node. */
    static final int MOST = 500;

    private final ReferencePod reference;
    private final PodFacts pod;
    private final SortedMap<String, Long> request;
    private final Optional<ClassCopies> byClass;
    /** The pod without the resources of a kind. */
    private final Map<ResourceKind, ClassCopies> without = new EnumMap<>(ResourceKind.class);

    private final Map<NodeEquivalenceClass, Count> counts = new WeakHashMap<>();
    private final Map<KubeletModel, Boolean> fitsEmpty = new WeakHashMap<>();

    /**
     * How many copies fit by zones alone.
     *
     * @param reason why the next one is refused; absent: counting was stopped
     */
    private record Count(int copies, Optional<StrandedReason> reason) {

        boolean isEnoughFor(int wanted) {
            return reason.isPresent() || wanted <= copies;
        }
    }

    ReferenceCounter(ReferencePod reference) {
        this.reference = reference;
        this.pod = reference.pod();
        this.request = NodeFit.requested(pod.nodeLevel());
        this.byClass = FullModel.isConditional(pod) ? Optional.empty() : Optional.of(new ClassCopies(pod));
        StrandedReason.CONFLICTING.forEach(
                kind -> without.put(kind, new ClassCopies(StrandedReason.without(pod, kind))));
    }

    /** Counts on a node as it is now. */
    NodeCount count(GroupNode node) {
        int bySums = node.use().roomFor(request, MOST);
        if (bySums == 0) {
            return new NodeCount(reference, 0, 0, Optional.empty());
        }
        Optional<SharedZones> zones = node.zones().filter(any -> byClass.isPresent());
        return zones.isPresent()
                ? byZones(zones.get().nodes(), zones.get().now(), bySums)
                : oneByOne(node.start(), bySums);
    }

    /**
     * Counts by zones, and by what the node as a whole has left, on any state of a node.
     *
     * @param nodes the class of the node as it is now
     */
    int byZones(TentativeNode node, Optional<NodeEquivalenceClass> nodes) {
        int bySums = node.roomFor(pod, MOST);
        Optional<NodeState> state = node.decisiveState().filter(any -> byClass.isPresent() && nodes.isPresent());
        return state.isPresent() && bySums > 0
                ? Math.min(bySums, byClass.get().on(nodes.get().inState(state.get()), state.get(), bySums))
                : node.filled(bySums, any -> pod).copies();
    }

    private NodeCount byZones(NodeEquivalenceClass nodes, NodeState now, int bySums) {
        Count known = counts.get(nodes);
        if (known == null || !known.isEnoughFor(bySums)) {
            known = counted(byClass.orElseThrow(), nodes, now, bySums);
            counts.put(nodes, known);
        }
        int byZones = Math.min(bySums, known.copies());
        return new NodeCount(reference, byZones, bySums, byZones == bySums ? Optional.empty() : known.reason());
    }

    private Count counted(ClassCopies copies, NodeEquivalenceClass nodes, NodeState now, int most) {
        Optional<Copies> byCounts = copies.byCounts(nodes, most);
        if (byCounts.isPresent()) {
            int count = byCounts.get().count();
            return new Count(
                    count,
                    count == most
                            ? Optional.empty()
                            : Optional.of(reason(nodes, byCounts.get(), () -> copies.filled(nodes, now, count))));
        }
        FilledNode filled = copies.filled(nodes, now, most);
        return new Count(
                filled.copies(),
                filled.copies() == most ? Optional.empty() : Optional.of(reason(nodes.kubelet(), filled)));
    }

    private StrandedReason reason(NodeEquivalenceClass nodes, Copies copies, Supplier<FilledNode> filled) {
        return fitsEmpty(nodes.kubelet())
                ? copies.refused().stream()
                        .filter(ResourceFit::isShort)
                        .map(fit -> StrandedReason.ofShort(fit.resource()))
                        .findFirst()
                        .or(() -> StrandedReason.conflictIfKnown(
                                kind -> requireNonNull(without.get(kind)).admits(nodes, copies.left())))
                        .orElseGet(() -> StrandedReason.of(filled.get(), pod))
                : StrandedReason.POLICY;
    }

    private StrandedReason reason(KubeletModel kubelet, FilledNode filled) {
        return fitsEmpty(kubelet) ? StrandedReason.of(filled, pod) : StrandedReason.POLICY;
    }

    private boolean fitsEmpty(KubeletModel kubelet) {
        return fitsEmpty.computeIfAbsent(
                kubelet,
                any -> kubelet.admit(kubelet.empty(), pod.request()).admission().isAdmitted());
    }

    private NodeCount oneByOne(TentativeNode node, int bySums) {
        Filled filled = node.filled(bySums, any -> pod);
        return new NodeCount(
                reference,
                filled.copies(),
                bySums,
                filled.copies() == bySums
                        ? Optional.empty()
                        : Optional.of(StrandedReason.of(filled.node(), filled.next(pod))));
    }
}
