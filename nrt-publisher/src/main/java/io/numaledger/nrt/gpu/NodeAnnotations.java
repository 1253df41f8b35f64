package io.numaledger.nrt.gpu;

import java.io.IOException;
import java.util.Optional;
import java.util.SortedMap;

/** Port: our annotations on this node's own Node object. */
public interface NodeAnnotations {

    /** Every key of ours begins so; no other key is read or written. */
    String PREFIX = "numaledger.io/";

    /** The text of {@link io.numaledger.gpu.PciNumaNodes}, by which devices are found that a driver names by their PCI address. */
    String PCI_NUMA_NODES = PREFIX + "pci-numa-nodes";

    /**
     * What is stored now, by key.
     *
     * @throws IOException if the API server is unreachable or rejects the request
     */
    SortedMap<String, String> own() throws IOException;

    /**
     * Sets, or with an empty value removes, these keys and no others.
     *
     * @throws IOException if the API server is unreachable or rejects the request; it is unknown whether something was written
     */
    void patch(SortedMap<String, Optional<String>> changes) throws IOException;
}
