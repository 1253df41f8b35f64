package io.numaledger.agent.metrics;

import io.numaledger.annotation.PodAnnotator;
import io.numaledger.annotation.PodView;
import io.numaledger.nrt.NodeTopology;
import io.numaledger.nrt.TopologyPublisher;

import java.time.Duration;
import java.util.List;
import java.util.OptionalInt;

/** Port: the events of a reconciliation. */
public interface ReconciliationEvents {

    /** Ignores all events. */
    ReconciliationEvents NONE = new ReconciliationEvents() {
        @Override
        public void pods(List<PodView> pods) {}

        @Override
        public void polled() {}

        @Override
        public void saw(int inconsistencies, OptionalInt devicesWithoutZone) {}

        @Override
        public void placements(PodAnnotator.Result written, int annotated) {}

        @Override
        public void topology(TopologyPublisher.Outcome outcome, NodeTopology topology) {}

        @Override
        public void repaired(Repaired what, int count) {}

        @Override
        public void ended(Duration took, boolean kubeletAnswered, boolean published) {}
    };

    /** What someone else had changed. */
    enum Repaired {
        POD,
        NRT
    }

    /** The node has these pods, as the API server shows them. */
    void pods(List<PodView> pods);

    /** The kubelet was polled between two reconciliations, and answered. */
    void polled();

    /**
     * The node was looked at.
     *
     * @param inconsistencies invalid values of hardware and kubelet that were left out
     * @param devicesWithoutZone allocatable devices that are in no zone; empty: the kubelet does not report allocatable devices
     */
    void saw(int inconsistencies, OptionalInt devicesWithoutZone);

    /** The pods were written; {@code annotated} of this node's pods have a placement now. */
    void placements(PodAnnotator.Result written, int annotated);

    /** This NodeResourceTopology was to be published. */
    void topology(TopologyPublisher.Outcome outcome, NodeTopology topology);

    /** This many objects differed from what the agent last wrote, although the kubelet had changed nothing. */
    void repaired(Repaired what, int count);

    /**
     * The reconciliation has ended.
     *
     * @param kubeletAnswered the kubelet answered
     * @param published nothing failed
     */
    void ended(Duration took, boolean kubeletAnswered, boolean published);
}
