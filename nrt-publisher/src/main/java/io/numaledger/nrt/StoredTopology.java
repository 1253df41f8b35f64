package io.numaledger.nrt;

import io.numaledger.nrt.NodeTopology.Owner;

import java.util.Collections;
import java.util.List;
import java.util.Set;
import java.util.SortedSet;
import java.util.TreeSet;

/**
 * An object as the API server has it.
 *
 * @param topology with the first of its owners and all its annotations
 * @param publishers the field managers that own parts of its content
 * @param resourceVersion of the object as it was read
 */
public record StoredTopology(
        NodeTopology topology, List<Owner> owners, SortedSet<String> publishers, String resourceVersion) {

    /** The fields of a {@code fieldsV1} entry that only a publisher of topologies writes. */
    static final Set<String> CONTENT = Set.of("f:zones", "f:attributes", "f:topologyPolicies");

    public StoredTopology {
        owners = List.copyOf(owners);
        publishers = Collections.unmodifiableSortedSet(new TreeSet<>(publishers));
    }

    /** This object, whatever its version. */
    public StoredTopology withoutVersion() {
        return new StoredTopology(topology, owners, publishers, "");
    }

    /** Readers see no difference between this and that. What we could not learn is no difference either. */
    boolean says(NodeTopology wanted) {
        return topology.attributes().equals(wanted.attributes())
                && topology.zones().equals(wanted.zones())
                && topology.topologyPolicies().equals(wanted.topologyPolicies())
                && topology.annotations()
                        .entrySet()
                        .containsAll(wanted.annotations().entrySet())
                && (wanted.owner().isEmpty() || owners.contains(wanted.owner().get()));
    }
}
