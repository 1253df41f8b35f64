package io.numaledger.nrt.profile;

import io.numaledger.nrt.LegacyPolicy;
import io.numaledger.nrt.NodeTopology;
import io.numaledger.nrt.TopologyAttributes;
import io.numaledger.nrt.fingerprint.FingerprintMethod;

import java.util.List;
import java.util.TreeMap;

/** Publishes as nfd-topology-updater does; its object belongs to a namespace and not to the node. */
final class NfdProfile implements TopologyProfile {

    private static final AttributeOrder ORDER = new AttributeOrder(
            List.of(TopologyAttributes.TOPOLOGY_POLICY, TopologyAttributes.TOPOLOGY_SCOPE),
            List.of(TopologyAttributes.FINGERPRINT));

    @Override
    public NodeTopology shape(NodeTopology plain, ProfileFacts facts) {
        TreeMap<String, String> attributes = new TreeMap<>(ORDER);
        facts.kubelet()
                .topologyManagerPolicy()
                .ifPresent(policy -> attributes.put(TopologyAttributes.TOPOLOGY_POLICY, policy.toString()));
        facts.kubelet()
                .topologyManagerScope()
                .ifPresent(scope -> attributes.put(TopologyAttributes.TOPOLOGY_SCOPE, scope.toString()));
        attributes.putAll(facts.coreKinds());
        if (!facts.pods().isEmpty() || !facts.unlisted().isEmpty()) {
            attributes.put(TopologyAttributes.FINGERPRINT, facts.fingerprint(FingerprintMethod.ALL));
        }
        return new NodeTopology(
                plain.node(),
                plain.owner(),
                plain.annotations(),
                attributes,
                LegacyPolicy.words(facts.kubelet()),
                plain.zones().stream()
                        .map(zone -> PlainZone.of(zone, facts.machine(), new TreeMap<>()))
                        .toList());
    }
}
