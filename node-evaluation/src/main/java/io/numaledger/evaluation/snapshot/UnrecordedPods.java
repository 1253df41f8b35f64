package io.numaledger.evaluation.snapshot;

import io.numaledger.evaluation.facts.PodFacts;
import io.numaledger.evaluation.holder.Holder;
import io.numaledger.evaluation.snapshot.Assumption.Kind;
import io.numaledger.kubelet.Admission.Admitted;
import io.numaledger.kubelet.Decision;
import io.numaledger.kubelet.KubeletModel;
import io.numaledger.nrt.NodeTopology;
import io.numaledger.placement.Placement;
import io.numaledger.placement.PodAllocation;

import java.util.ArrayList;
import java.util.List;

/**
 * Adds pods without any record to what the others hold: a pod that does not run yet as the model predicts, running ones together from what is
 * missing from the zones' available amounts.
 */
final class UnrecordedPods {

    private final KubeletModel kubelet;
    private final NodeTopology topology;
    private final PublishedUse published;
    private final AddedAllocations added;

    UnrecordedPods(KubeletModel kubelet, NodeTopology topology, PublishedUse published, AddedAllocations added) {
        this.kubelet = kubelet;
        this.topology = topology;
        this.published = published;
        this.added = added;
    }

    /** @param all the keys of all pods of the node */
    void add(List<PodFacts> unrecorded, List<String> all) {
        List<PodFacts> unknown = new ArrayList<>();
        for (PodFacts pod : unrecorded) {
            if (pod.needsAlignment() && !addByModel(pod)) {
                unknown.add(pod);
            }
        }
        unknown.forEach(pod -> added.assume(Kind.NO_RECORD, pod));
        if (unknown.isEmpty() && published.showsCpusCountedTwice(added.state(), all, added.pods())) {
            addMissing(Holder.UNKNOWN, false);
        }
        if (!unknown.isEmpty()) {
            if (!published.shows(unknown, added.state(), all, added.pods())) {
                unknown.forEach(added::addExpected);
            }
            addMissing(
                    unknown.size() == 1 ? unknown.get(0).key() : Holder.UNKNOWN,
                    unknown.stream().allMatch(PodFacts::terminating));
        }
    }

    /** Returns whether it is known what the pod holds: nothing, or what the model predicts. */
    private boolean addByModel(PodFacts pod) {
        Decision decision = kubelet.admit(added.state(), pod.request());
        if (!(decision.admission() instanceof Admitted admitted)) {
            return false;
        }
        PodAllocation running = kubelet.listed(pod.request(), admitted);
        boolean expected = !pod.running() || sharesMemoryOnly(running);
        if (!running.isEmpty() && expected) {
            added.assume(pod.running() ? Kind.MEMORY_GROUPS : Kind.NOT_YET_SEEN, pod);
            added.take(pod, PlacementSource.EXPECTED, running, kubelet.started(decision.state(), pod.request()));
        }
        return running.isEmpty() || expected;
    }

    /** KAI's exporter writes no record for such a pod. */
    private static boolean sharesMemoryOnly(PodAllocation running) {
        return running.allCpus().isEmpty()
                && running.containers().stream()
                        .allMatch(container -> container.devices().isEmpty())
                && running.allMemory().stream()
                        .allMatch(block -> block.numaNodes().size() > 1);
    }

    /**
     * Adds what is missing from the available amounts beyond the known allocations.
     *
     * @param terminating whether all pods terminate that hold it together
     */
    void addMissing(String key, boolean terminating) {
        Placement unassigned = published.unexplained(added.state(), added.pods());
        if (!unassigned.isEmpty()) {
            added.addUnassigned(key, terminating, unassigned, topology.isFromAgent());
        }
    }
}
