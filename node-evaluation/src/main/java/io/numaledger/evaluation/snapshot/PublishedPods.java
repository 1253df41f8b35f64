package io.numaledger.evaluation.snapshot;

import io.numaledger.nrt.NodeTopology;
import io.numaledger.nrt.TopologyAttributes;
import io.numaledger.nrt.fingerprint.FingerprintMethod;
import io.numaledger.nrt.fingerprint.PodName;
import io.numaledger.nrt.fingerprint.PodsFingerprint;

import java.util.Collection;
import java.util.Map;

/**
 * Which pods the agent's zones were published for, by their fingerprint. The API server may show a pod some time before or after its
 * agent has published what it holds.
 */
public final class PublishedPods {

    private PublishedPods() {}

    /**
     * Whether the zones were published for these pods. False if another exporter has published them, or without a fingerprint.
     *
     * @param all keys of the node's pods, ended ones left out
     * @param holders those that hold CPUs, memory or devices of a zone
     */
    public static boolean are(NodeTopology topology, Collection<String> all, Collection<String> holders) {
        Map<String, String> attributes = topology.attributes();
        String published = attributes.get(TopologyAttributes.FINGERPRINT);
        String method = attributes.get(TopologyAttributes.FINGERPRINT_METHOD);
        if (!topology.isFromAgent() || published == null || method == null) {
            return false;
        }
        Collection<String> counted = method.equals(FingerprintMethod.ALL.spelling()) ? all : holders;
        return published.equals(
                PodsFingerprint.of(counted.stream().map(PublishedPods::name).toList()));
    }

    /** A key without a namespace stands for unknown pods: no agent has published such a name. */
    private static PodName name(String key) {
        int slash = key.indexOf('/');
        return new PodName(key.substring(0, Math.max(0, slash)), key.substring(slash + 1));
    }
}
