package io.numaledger.nrt.profile;

import io.numaledger.nrt.KubeletSettings;

import java.util.List;

/** The deprecated {@code topologyPolicies}: policy and scope of the Topology Manager in one word. */
final class PolicyWord {

    private PolicyWord() {}

    /** One word, or none where the policy is not known. */
    static List<String> of(KubeletSettings kubelet) {
        String level = kubelet.topologyManagerScope().filter("pod"::equals).isPresent() ? "PodLevel" : "ContainerLevel";
        return kubelet
                .topologyManagerPolicy()
                .map(policy -> switch (policy) {
                    case "single-numa-node" -> "SingleNUMANode" + level;
                    case "restricted" -> "Restricted" + level;
                    case "best-effort" -> "BestEffort" + level;
                    default -> "None";
                })
                .stream()
                .toList();
    }
}
