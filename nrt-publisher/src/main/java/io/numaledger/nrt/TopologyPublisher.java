package io.numaledger.nrt;

import java.io.IOException;
import java.util.Optional;

/** Keeps a node's stored NodeResourceTopology equal to the present one, and writes only where they differ. */
public final class TopologyPublisher {

    /** What one publication came to. */
    public enum Outcome {
        WRITTEN,
        UNCHANGED
    }

    private final TopologyStore store;

    public TopologyPublisher(TopologyStore store) {
        this.store = store;
    }

    public Outcome publish(NodeTopology topology) throws IOException {
        Optional<NodeTopology> stored = store.stored(topology.node());
        if (stored.isPresent() && sameToReaders(stored.get(), topology)) {
            return Outcome.UNCHANGED;
        }
        store.apply(topology);
        return Outcome.WRITTEN;
    }

    /** An owner that we could not learn is no difference. */
    private static boolean sameToReaders(NodeTopology stored, NodeTopology topology) {
        return stored.attributes().equals(topology.attributes())
                && stored.zones().equals(topology.zones())
                && (topology.owner().isEmpty() || topology.owner().equals(stored.owner()));
    }
}
