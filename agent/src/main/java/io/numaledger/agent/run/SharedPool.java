package io.numaledger.agent.run;

import io.numaledger.kubelet.config.CpuPolicy;
import io.numaledger.nrt.KubeletSettings;
import io.numaledger.placement.AllocatableResources;
import io.numaledger.placement.ContainerAllocation;
import io.numaledger.topology.CpuSet;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

import java.util.Optional;

/**
 * Tells when containers without CPUs of their own have none left. With {@code strict-cpu-reservation} they may not use the reserved CPUs
 * either (cm/cpumanager/policy_static.go), and the kubelet hands out the last CPU all the same (kubernetes/kubernetes#141196).
 */
final class SharedPool {

    private static final Logger log = LoggerFactory.getLogger(SharedPool.class);
    private static final String STRICT = "strict-cpu-reservation";

    private final String node;
    private boolean empty;

    SharedPool(String node) {
        this.node = node;
    }

    /** Logs a change. */
    void report(KubeletAnswer answer, KubeletSettings kubelet) {
        boolean now = isEmpty(answer, kubelet);
        if (now && !empty) {
            log.warn(
                    "event=cpus.shared_pool_empty node={} effect='containers without CPUs of their own have no CPU, and the kubelet may not start again with this state' advice='end a pod with exclusive CPUs, and keep a CPU free: strict-cpu-reservation gives shared containers no reserved CPUs'",
                    node);
        } else if (!now && empty) {
            log.info("event=cpus.shared_pool_filled node={}", node);
        }
        empty = now;
    }

    static boolean isEmpty(KubeletAnswer answer, KubeletSettings kubelet) {
        Optional<CpuSet> all = answer.allocatable().map(AllocatableResources::cpus);
        if (all.isEmpty()
                || all.get().isEmpty()
                || !kubelet.cpuManagerPolicy().equals(Optional.of(CpuPolicy.STATIC))
                || !"true".equals(kubelet.cpuManagerPolicyOptions().get(STRICT))) {
            return false;
        }
        CpuSet held = answer.held().pods().stream()
                .flatMap(pod -> pod.containers().stream())
                .map(ContainerAllocation::cpus)
                .reduce(CpuSet.EMPTY, CpuSet::union);
        return all.get().minus(held).isEmpty();
    }
}
