package io.numaledger.nrt;

import java.io.IOException;
import java.util.Optional;

/** Port: where NodeResourceTopology objects are kept. */
public interface TopologyStore {

    /** What is stored for this node at present. */
    Optional<NodeTopology> stored(String node) throws IOException;

    /** Makes the stored object say this, whether or not there was one. */
    void apply(NodeTopology topology) throws IOException;
}
