package io.numaledger.bridge.verdict;

import io.numaledger.bridge.node.Assumption;
import io.numaledger.bridge.node.Confidence;
import io.numaledger.kubelet.answer.Refusal;
import io.numaledger.kubelet.answer.Why;
import io.numaledger.placement.Placement;
import io.numaledger.placement.PodAllocation;
import io.numaledger.topology.AffinityMask;

import java.util.Collections;
import java.util.List;
import java.util.Optional;
import java.util.SortedSet;
import java.util.TreeSet;

/**
 * What would become of one pod on one node, as far as NUMA decides.
 *
 * @param code why not; absent: it fits
 * @param sentence why not, for people; empty: it fits
 * @param mask the NUMA nodes that the kubelet aligns it to; none: it aligns nothing
 * @param placement where everything would lie; empty where it does not fit
 * @param allocation the same to the id, for a reservation
 * @param why what stands in the way, in numbers
 * @param draws the kubelet draws some devices by chance: counts by zone are one of several outcomes
 */
public record Verdict(
        String node,
        Optional<Code> code,
        String sentence,
        AffinityMask mask,
        Placement placement,
        Optional<PodAllocation> allocation,
        List<Why> why,
        boolean draws,
        Confidence confidence,
        SortedSet<Assumption> assumptions) {

    public Verdict {
        why = List.copyOf(why);
        assumptions = Collections.unmodifiableSortedSet(new TreeSet<>(assumptions));
    }

    public boolean fits() {
        return code.isEmpty();
    }

    /** Why a pod does not fit. The first ones are the kubelet's reasons, the others ours. */
    public enum Code {
        TOPOLOGY_AFFINITY_ERROR("TopologyAffinityError"),
        UNEXPECTED_ADMISSION_ERROR("UnexpectedAdmissionError"),
        SMT_ALIGNMENT_ERROR("SMTAlignmentError"),
        EMPTY_POD_SHARED_POOL_ERROR("EmptyPodSharedPoolError"),
        KUBELET_BREAKS("KubeletBreaks"),
        SPAN_EXCEEDED("NumaSpreadExceeded"),
        SPAN_INVALID("NumaSpreadInvalid"),
        HELD("HeldForOlderPod");

        private final String text;

        Code(String text) {
            this.text = text;
        }

        static Code of(Refusal.Reason reason) {
            return switch (reason) {
                case TOPOLOGY_AFFINITY -> TOPOLOGY_AFFINITY_ERROR;
                case UNEXPECTED_ADMISSION -> UNEXPECTED_ADMISSION_ERROR;
                case SMT_ALIGNMENT -> SMT_ALIGNMENT_ERROR;
                case EMPTY_POD_SHARED_POOL -> EMPTY_POD_SHARED_POOL_ERROR;
            };
        }

        @Override
        public String toString() {
            return text;
        }
    }
}
