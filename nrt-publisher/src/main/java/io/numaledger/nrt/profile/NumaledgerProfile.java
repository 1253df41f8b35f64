package io.numaledger.nrt.profile;

import io.numaledger.nrt.LegacyPolicy;
import io.numaledger.nrt.NodeTopology;
import io.numaledger.nrt.TopologyAttributes;
import io.numaledger.nrt.fingerprint.FingerprintMethod;

import java.util.TreeMap;

/** All known facts, including those that readers of the other profiles need. */
final class NumaledgerProfile implements TopologyProfile {

    @Override
    public NodeTopology shape(NodeTopology plain, ProfileFacts facts) {
        FingerprintMethod method =
                FingerprintMethod.readersAgreeOn(facts.kubelet().memoryManagerPolicy());
        TreeMap<String, String> attributes = new TreeMap<>(plain.attributes());
        attributes.putAll(facts.coreKinds());
        attributes.put(TopologyAttributes.FINGERPRINT, facts.fingerprint(method));
        attributes.put(TopologyAttributes.FINGERPRINT_METHOD, method.spelling());
        attributes.put(TopologyAttributes.INIT_CONTAINERS, facts.initContainers() ? "published" : "unknown");
        return new NodeTopology(
                plain.node(),
                plain.owner(),
                plain.annotations(),
                attributes,
                LegacyPolicy.words(facts.kubelet()),
                plain.zones());
    }

    @Override
    public NodeTopology whileKubeletRestarts(NodeTopology shaped) {
        TreeMap<String, String> attributes = new TreeMap<>(shaped.attributes());
        attributes.put(TopologyAttributes.KUBELET, TopologyAttributes.RESTARTING);
        return new NodeTopology(
                shaped.node(),
                shaped.owner(),
                shaped.annotations(),
                attributes,
                shaped.topologyPolicies(),
                shaped.zones());
    }
}
