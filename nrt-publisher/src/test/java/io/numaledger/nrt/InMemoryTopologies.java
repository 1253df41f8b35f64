package io.numaledger.nrt;

import java.util.Arrays;
import java.util.List;
import java.util.Optional;
import java.util.TreeSet;

/** One object and its managers, as the API server would keep them. */
final class InMemoryTopologies implements TopologyStore {

    static final String OURS = "numaledger-agent";

    private Optional<StoredTopology> object = Optional.empty();
    int writes;

    @Override
    public Optional<StoredTopology> stored(String node) {
        return object;
    }

    @Override
    public void apply(NodeTopology topology) {
        writes++;
        NodeTopology kept = new NodeTopology(
                topology.node(),
                topology.owner(),
                topology.annotations(),
                topology.attributes(),
                topology.topologyPolicies().isEmpty()
                        ? object.map(stored -> stored.topology().topologyPolicies())
                                .orElse(List.of())
                        : topology.topologyPolicies(),
                topology.zones());
        put(kept, OURS);
    }

    @Override
    public void dropTopologyPolicies(String node) {
        writes++;
        NodeTopology had = object.orElseThrow().topology();
        put(new NodeTopology(node, had.owner(), had.annotations(), had.attributes(), List.of(), had.zones()), OURS);
    }

    void put(NodeTopology topology, String... managers) {
        object = Optional.of(new StoredTopology(
                topology, topology.owner().stream().toList(), new TreeSet<>(Arrays.asList(managers)), "1"));
    }

    void delete() {
        object = Optional.empty();
    }
}
