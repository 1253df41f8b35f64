package io.numaledger.simulator.cri;

import java.util.Map;

/**
 * Whose container it is, from the labels by which the kubelet marks containers (pkg/kubelet/types/labels.go).
 *
 * @param podUid tells pods of one name apart
 */
public record ContainerKey(String namespace, String pod, String podUid, String container) {

    static ContainerKey ofLabels(Map<String, String> labels) {
        return new ContainerKey(
                labels.getOrDefault("io.kubernetes.pod.namespace", ""),
                labels.getOrDefault("io.kubernetes.pod.name", ""),
                labels.getOrDefault("io.kubernetes.pod.uid", ""),
                labels.getOrDefault("io.kubernetes.container.name", ""));
    }
}
