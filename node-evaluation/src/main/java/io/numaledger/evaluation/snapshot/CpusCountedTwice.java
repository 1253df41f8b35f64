package io.numaledger.evaluation.snapshot;

import io.numaledger.kubelet.KubeletModel;
import io.numaledger.kubelet.NodeState;
import io.numaledger.kubelet.cpu.CpuAllocator;
import io.numaledger.kubelet.cpu.CpuState;
import io.numaledger.placement.Amounts;
import io.numaledger.placement.Placement;
import io.numaledger.topology.CpuSet;
import io.numaledger.topology.NumaNode;

/** CPUs that several pods hold, or that a pod holds although they are reserved, see {@link CpuAllocator#maybeGivenTwice}. */
final class CpusCountedTwice {

    private CpusCountedTwice() {}

    /** Zone → how much more the CPUs of all pods add up to than the kubelet has taken from the allocatable ones. */
    static Placement of(KubeletModel kubelet, NodeState state) {
        if (state.cpus().isEmpty() || mayGiveNoneTwice(kubelet)) {
            return Placement.EMPTY;
        }
        CpuState held = state.cpus().get();
        Placement.Builder more = new Placement.Builder();
        for (NumaNode numaNode : kubelet.machine().topology().numaNodes()) {
            long sum = held.byPod().keySet().stream()
                    .mapToLong(
                            pod -> held.heldBy(pod).intersect(numaNode.cpus()).size())
                    .sum();
            CpuSet taken = held(held)
                    .intersect(numaNode.cpus())
                    .minus(kubelet.cpus().orElseThrow().reserved());
            if (sum > taken.size()) {
                more.add(numaNode.id(), Amounts.CPU, (sum - taken.size()) * 1000L);
            }
        }
        return more.build();
    }

    /** Whether pods hold CPUs that the kubelet may give to others as well, or take for free when one of two holders ends. */
    static boolean mayHappen(KubeletModel kubelet, NodeState state) {
        return !mayGiveNoneTwice(kubelet)
                && state.cpus()
                        .filter(held -> !held(held)
                                .intersect(kubelet.cpus().orElseThrow().maybeGivenTwice())
                                .isEmpty())
                        .isPresent();
    }

    static boolean mayGiveNoneTwice(KubeletModel kubelet) {
        return kubelet.cpus().stream().allMatch(cpus -> cpus.maybeGivenTwice().isEmpty());
    }

    private static CpuSet held(CpuState state) {
        return state.byPod().keySet().stream().map(state::heldBy).reduce(CpuSet.EMPTY, CpuSet::union);
    }
}
