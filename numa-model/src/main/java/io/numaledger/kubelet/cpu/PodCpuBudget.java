package io.numaledger.kubelet.cpu;

import io.numaledger.pod.ContainerRequest;
import io.numaledger.pod.ContainerRequest.Kind;
import io.numaledger.pod.PodRequest;

import java.util.Optional;

/**
 * Whether the containers' own CPUs leave some of the pod's CPUs to the containers that share
 * (cm/cpumanager/policy_static.go, validatePodScopeResources; 1.36 with {@code PodLevelResourceManagers}).
 */
record PodCpuBudget(CpuRequests requests, PodRequest pod) {

    /** The kubelet's sentence; empty when all is well. */
    Optional<String> violation() {
        int total = requests.ofPod(pod);
        int exclusive = 0;
        boolean someShare = false;
        for (ContainerRequest init : pod.initContainers()) {
            int cpus = requests.of(pod, init);
            if (init.kind() == Kind.PLAIN_INIT) {
                if (cpus == 0 && exclusive >= total) {
                    return Optional.of("pod rejected, pod has shared init containers but no cpus available for them");
                }
            } else {
                someShare |= cpus == 0;
                exclusive += cpus;
            }
        }
        for (ContainerRequest app : pod.containers()) {
            int cpus = requests.of(pod, app);
            someShare |= cpus == 0;
            exclusive += cpus;
        }
        return someShare && exclusive >= total
                ? Optional.of(
                        "pod rejected, sum of exclusive container cpu requests equals pod budget, leaving no cpus for shared containers")
                : Optional.empty();
    }
}
