package io.numaledger.scheduling.stranded;

import io.numaledger.evaluation.fit.TentativeNode;
import io.numaledger.scheduling.state.NodeUse;

import java.util.HashMap;
import java.util.List;
import java.util.Map;

/** How many more pods of the reference sizes nodes would take in a rehearsal. For one thread. */
public final class RoomCounts {

    private final ReferencePods references;
    private final Map<ReferencePod, ReferenceCounter> counters = new HashMap<>();

    /**
     * The room for pods of one size.
     *
     * @param bySums by what pods request of the node as a whole
     */
    public record Room(int byZones, int bySums) {}

    public RoomCounts(ReferencePods references) {
        this.references = references;
    }

    /** The sizes by which a node is counted; none where nothing is known of its zones. */
    public List<ReferencePod> sizes(NodeUse use) {
        return use.isModelled() ? references.on(use) : List.of();
    }

    /** @param state the node in a rehearsal */
    public Room count(ReferencePod size, NodeUse use, TentativeNode state) {
        return new Room(
                counters.computeIfAbsent(size, ReferenceCounter::new)
                        .byZones(state, use.snapshots().likeliest().nodeClass()),
                state.roomFor(size.pod(), ReferenceCounter.MOST));
    }
}
