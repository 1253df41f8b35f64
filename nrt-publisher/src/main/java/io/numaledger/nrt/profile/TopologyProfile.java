package io.numaledger.nrt.profile;

import io.numaledger.nrt.NodeTopology;

/** A format of NodeResourceTopology: attributes and their order, annotations, zones. */
public interface TopologyProfile {

    /**
     * The object to publish.
     *
     * @param plain every zone with its amounts and attributes, and the kubelet's settings as attributes
     */
    NodeTopology shape(NodeTopology plain, ProfileFacts facts);

    /** A shaped object while the kubelet restarts; the same in formats that have no word for it. */
    default NodeTopology whileKubeletRestarts(NodeTopology shaped) {
        return shaped;
    }
}
