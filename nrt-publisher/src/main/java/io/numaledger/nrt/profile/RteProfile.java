package io.numaledger.nrt.profile;

import io.numaledger.kubelet.config.TopologyPolicyName;
import io.numaledger.nrt.NodeTopology;
import io.numaledger.nrt.NodeTopology.Zone;
import io.numaledger.nrt.TopologyAttributes;
import io.numaledger.nrt.fingerprint.FingerprintMethod;
import io.numaledger.nrt.numaplacement.ContainerPlacements;
import io.numaledger.topology.ZoneName;

import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.SortedMap;
import java.util.TreeMap;

/**
 * Publishes as resource-topology-exporter does. Its annotations about its own timing are left out but for the cause of an update, which
 * is always a change: a value that differs from time to time is a write each time.
 */
final class RteProfile implements TopologyProfile {

    static final String FINGERPRINT_ANNOTATION = "topology.node.k8s.io/fingerprint";
    static final String UPDATE_ANNOTATION = "k8stopoawareschedwg/rte-update";
    static final String PLACEMENT_METADATA = "topology.node.k8s.io/numaplacement-metadata";
    static final String PLACEMENT_VECTOR = "topology.node.k8s.io/numaplacement-vector";

    private static final AttributeOrder ORDER = new AttributeOrder(
            List.of(
                    TopologyAttributes.FINGERPRINT,
                    TopologyAttributes.FINGERPRINT_METHOD,
                    PLACEMENT_METADATA,
                    TopologyAttributes.TOPOLOGY_SCOPE,
                    TopologyAttributes.TOPOLOGY_POLICY),
            List.of());

    private final boolean containerPlacements;

    /** @param containerPlacements also the attributes of {@link ContainerPlacements}, under policy single-numa-node */
    RteProfile(boolean containerPlacements) {
        this.containerPlacements = containerPlacements;
    }

    @Override
    public NodeTopology shape(NodeTopology plain, ProfileFacts facts) {
        FingerprintMethod method =
                FingerprintMethod.readersAgreeOn(facts.kubelet().memoryManagerPolicy());
        String fingerprint = facts.fingerprint(method);
        TreeMap<String, String> attributes = new TreeMap<>(ORDER);
        attributes.put(TopologyAttributes.FINGERPRINT, fingerprint);
        attributes.put(TopologyAttributes.FINGERPRINT_METHOD, method.spelling());
        facts.kubelet()
                .topologyManagerScope()
                .ifPresent(scope -> attributes.put(TopologyAttributes.TOPOLOGY_SCOPE, scope.toString()));
        facts.kubelet()
                .topologyManagerPolicy()
                .ifPresent(policy -> attributes.put(TopologyAttributes.TOPOLOGY_POLICY, policy.toString()));
        Optional<ContainerPlacements> placements = placements(facts);
        placements.ifPresent(found -> attributes.put(PLACEMENT_METADATA, found.metadata()));
        TreeMap<String, String> annotations = new TreeMap<>(plain.annotations());
        annotations.put(FINGERPRINT_ANNOTATION, fingerprint);
        annotations.put(UPDATE_ANNOTATION, "reactive");
        return new NodeTopology(
                plain.node(), plain.owner(), annotations, attributes, List.of(), zones(plain, facts, placements));
    }

    private Optional<ContainerPlacements> placements(ProfileFacts facts) {
        boolean reported = containerPlacements
                && facts.kubelet()
                        .topologyManagerPolicy()
                        .filter(TopologyPolicyName.SINGLE_NUMA_NODE::equals)
                        .isPresent();
        return reported ? Optional.of(ContainerPlacements.of(facts.machine(), facts.pods())) : Optional.empty();
    }

    private static List<Zone> zones(NodeTopology plain, ProfileFacts facts, Optional<ContainerPlacements> placements) {
        List<Zone> zones = new ArrayList<>();
        for (Zone zone : plain.zones()) {
            zones.add(PlainZone.of(zone, facts.machine(), vector(zone, placements)));
        }
        return zones;
    }

    private static SortedMap<String, String> vector(Zone zone, Optional<ContainerPlacements> placements) {
        TreeMap<String, String> attributes = new TreeMap<>();
        placements
                .flatMap(found ->
                        ZoneName.numaNode(zone.name()).map(id -> found.vectors().get(id)))
                .ifPresent(vector -> attributes.put(PLACEMENT_VECTOR, vector));
        return attributes;
    }
}
