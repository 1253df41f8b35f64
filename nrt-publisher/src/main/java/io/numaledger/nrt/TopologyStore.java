package io.numaledger.nrt;

import java.io.IOException;
import java.util.Optional;

/** Port: where NodeResourceTopology objects are kept. */
public interface TopologyStore {

    /** What is stored for this node at present. */
    Optional<StoredTopology> stored(String node) throws IOException;

    /** Makes the stored object say this, whether or not there was one; content that others wrote is taken over. */
    void apply(NodeTopology topology) throws IOException;

    /** Takes the deprecated {@code topologyPolicies} away, which another publisher left. */
    void dropTopologyPolicies(String node) throws IOException;
}
