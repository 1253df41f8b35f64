package io.numaledger.bridge.stranded;

import io.numaledger.bridge.evaluation.ClassCopies;
import io.numaledger.bridge.evaluation.FullModel;
import io.numaledger.bridge.evaluation.NodeEquivalenceClass;
import io.numaledger.bridge.evaluation.NodeFit;
import io.numaledger.bridge.evaluation.TentativeNode;
import io.numaledger.bridge.group.GroupNode;
import io.numaledger.bridge.group.GroupNode.SharedZones;
import io.numaledger.bridge.objects.PodFacts;
import io.numaledger.kubelet.KubeletModel;

import java.util.Map;
import java.util.Optional;
import java.util.SortedMap;
import java.util.WeakHashMap;

/** How many more pods of one size a node takes, by zones and by node-level requests. Equal nodes are counted once. For one thread. */
final class ReferenceCounter {

    /** More pods of one size are not counted on one node. */
    static final int MOST = 500;

    private final ReferencePod reference;
    private final PodFacts pod;
    private final SortedMap<String, Long> request;
    private final Optional<ClassCopies> byClass;
    private final Map<NodeEquivalenceClass, StrandedReason> reasons = new WeakHashMap<>();
    private final Map<KubeletModel, Boolean> fitsEmpty = new WeakHashMap<>();

    ReferenceCounter(ReferencePod reference) {
        this.reference = reference;
        this.pod = reference.pod();
        this.request = NodeFit.requested(pod.nodeLevel());
        this.byClass = FullModel.isConditional(pod) ? Optional.empty() : Optional.of(new ClassCopies(pod));
    }

    /** Counts on a node as it is now. */
    NodeCount count(GroupNode node) {
        int bySums = node.use().roomFor(request, MOST);
        if (bySums == 0) {
            return new NodeCount(reference, 0, 0, Optional.empty());
        }
        Optional<SharedZones> zones = node.zones().filter(any -> byClass.isPresent());
        if (zones.isEmpty()) {
            return oneByOne(node.start(), bySums);
        }
        int byZones = Math.min(
                bySums, byClass.get().on(zones.get().nodes(), zones.get().now(), bySums));
        return new NodeCount(
                reference,
                byZones,
                bySums,
                byZones == bySums
                        ? Optional.empty()
                        : Optional.of(reasons.computeIfAbsent(
                                zones.get().nodes(), any -> reason(byClass.get(), zones.get(), byZones))));
    }

    /** @param copies the node takes no more */
    private StrandedReason reason(ClassCopies counts, SharedZones zones, int copies) {
        KubeletModel kubelet = counts.filled(zones.nodes(), zones.now(), 0).kubelet();
        boolean possible = fitsEmpty.computeIfAbsent(
                kubelet,
                any -> kubelet.admit(kubelet.empty(), pod.request()).admission().isAdmitted());
        return possible
                ? counts.shortResource(zones.nodes())
                        .map(StrandedReason::ofShort)
                        .orElseGet(() ->
                                StrandedReason.of(counts.filled(zones.nodes(), zones.now(), copies), pod.request()))
                : StrandedReason.POLICY;
    }

    /** Counts on any state of a node. */
    NodeCount count(TentativeNode node) {
        return oneByOne(node, node.roomFor(pod, MOST));
    }

    private NodeCount oneByOne(TentativeNode node, int bySums) {
        TentativeNode filled = node;
        for (int copies = 0; copies < bySums; copies++) {
            PodFacts copy = pod.requesting(pod.request().named("%s-%d".formatted(pod.key(), copies)));
            Optional<TentativeNode> next = filled.with(copy);
            if (next.isEmpty()) {
                return new NodeCount(reference, copies, bySums, Optional.of(StrandedReason.of(filled, copy)));
            }
            filled = next.get();
        }
        return new NodeCount(reference, bySums, bySums, Optional.empty());
    }
}
