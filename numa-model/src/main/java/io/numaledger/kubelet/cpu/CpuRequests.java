package io.numaledger.kubelet.cpu;

import io.numaledger.kubelet.config.KubeletRules;
import io.numaledger.pod.ContainerRequest;
import io.numaledger.pod.ContainerRequest.Kind;
import io.numaledger.pod.PodRequest;
import io.numaledger.pod.RequestedAmount;
import io.numaledger.topology.CpuSet;

/** How many CPUs of its own a container or pod gets (cm/cpumanager/policy_static.go, guaranteedCPUs, podGuaranteedCPUs). */
final class CpuRequests {

    private static final String CPU = "cpu";

    private final KubeletRules rules;

    CpuRequests(KubeletRules rules) {
        this.rules = rules;
    }

    boolean leavesAlone(PodRequest pod) {
        return rules.leavesAlone(pod);
    }

    boolean managesAsAWhole(PodRequest pod) {
        return rules.managesAsAWhole(pod);
    }

    /** The CPUs that a pod as a whole had before a restart, if this kubelet looks at them; empty: it has none. */
    CpuSet remembered(CpuState state, PodRequest pod) {
        return rules.version().keepsCpusOfPods() && managesAsAWhole(pod)
                ? state.podCpus().getOrDefault(pod.name(), CpuSet.EMPTY)
                : CpuSet.EMPTY;
    }

    boolean returnsCpusOfFailedDivision() {
        return rules.version().returnsCpusOfFailedDivision();
    }

    /** 0: the container runs in the shared pool. */
    int of(PodRequest pod, ContainerRequest container) {
        if (!pod.isGuaranteed()
                || (managesAsAWhole(pod) && !container.resources().isGuaranteedByItself())) {
            return 0;
        }
        return whole(container.resources().requests().getOrDefault(CPU, RequestedAmount.ZERO));
    }

    private static int whole(RequestedAmount cpu) {
        long millis = cpu.millis();
        return millis % 1000 == 0 ? (int) Math.min(Integer.MAX_VALUE, millis / 1000) : 0;
    }

    /** What all containers of the pod need at once. */
    int ofPod(PodRequest pod) {
        if (managesAsAWhole(pod)) {
            RequestedAmount cpu = pod.podLevel().orElseThrow().requests().getOrDefault(CPU, RequestedAmount.ZERO);
            return pod.isGuaranteed() ? whole(cpu) : 0;
        }
        int sidecars = 0;
        int largestInit = 0;
        for (ContainerRequest init : pod.initContainers()) {
            if (keeps(init)) {
                sidecars += of(pod, init);
            } else {
                largestInit = Math.max(largestInit, sidecars + of(pod, init));
            }
        }
        int apps = pod.containers().stream().mapToInt(app -> of(pod, app)).sum();
        return Math.max(largestInit, sidecars + apps);
    }

    /** A sidecar in a kubelet that knows them; older ones take it for a plain init container. */
    boolean keeps(ContainerRequest container) {
        return container.kind() == Kind.SIDECAR && rules.version().sidecarsKeepWhatTheyHold();
    }

    boolean isReusable(ContainerRequest container) {
        return container.kind() != Kind.APP && !keeps(container);
    }
}
