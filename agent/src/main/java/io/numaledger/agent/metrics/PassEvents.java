package io.numaledger.agent.metrics;

import io.numaledger.annotation.PodAnnotator;
import io.numaledger.annotation.PodView;
import io.numaledger.nrt.TopologyPublisher;

import java.time.Duration;
import java.util.List;
import java.util.OptionalInt;

/** Port: what a pass over the node came to, as it happens. */
public interface PassEvents {

    /** For a pass that nobody counts. */
    PassEvents NONE = new PassEvents() {
        @Override
        public void pods(List<PodView> pods) {}

        @Override
        public void polled() {}

        @Override
        public void saw(int inconsistencies, OptionalInt devicesWithoutZone) {}

        @Override
        public void placements(PodAnnotator.Pass written, int annotated) {}

        @Override
        public void topology(TopologyPublisher.Outcome outcome) {}

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

    /** These are the pods of the node, as the API server shows them. */
    void pods(List<PodView> pods);

    /** The kubelet was asked between two passes, and had an answer. */
    void polled();

    /**
     * The node was looked at.
     *
     * @param inconsistencies what hardware and kubelet said that had to be left out
     * @param devicesWithoutZone devices that may be given out and lie in no zone; empty: this kubelet does not tell
     */
    void saw(int inconsistencies, OptionalInt devicesWithoutZone);

    /** The pods were written; {@code annotated} of this node's pods have a placement now. */
    void placements(PodAnnotator.Pass written, int annotated);

    void topology(TopologyPublisher.Outcome outcome);

    /** So many of these said something else than what we last wrote, though the kubelet had changed nothing. */
    void repaired(Repaired what, int count);

    /**
     * The pass is over.
     *
     * @param kubeletAnswered the kubelet could be asked
     * @param published nothing failed
     */
    void ended(Duration took, boolean kubeletAnswered, boolean published);
}
