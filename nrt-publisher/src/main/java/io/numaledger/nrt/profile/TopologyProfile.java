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
}
