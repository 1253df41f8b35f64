package io.numaledger.counts;

import io.numaledger.counts.PodAsk.Wish;
import io.numaledger.kubelet.KubeletModel;
import io.numaledger.kubelet.NodeState;
import io.numaledger.kubelet.config.CpuOption;
import io.numaledger.topology.CpuSet;
import io.numaledger.topology.LogicalCpu;

import java.util.List;
import java.util.Map;
import java.util.TreeMap;

/** With {@code full-pcpus-only}, CPUs are as good as their number while only whole cores are free and only such are asked for. */
final class WholeCores {

    private final int threads;
    private final CpuSet reserved;
    private final List<CpuSet> cores;

    /** @param threads of each core; 0: they may differ; 1: single CPUs are given out */
    private WholeCores(int threads, CpuSet reserved, List<CpuSet> cores) {
        this.threads = threads;
        this.reserved = reserved;
        this.cores = cores;
    }

    static WholeCores of(KubeletModel kubelet) {
        if (!kubelet.rules().has(CpuOption.FULL_PCPUS_ONLY) || kubelet.cpus().isEmpty()) {
            return new WholeCores(1, CpuSet.EMPTY, List.of());
        }
        Map<String, CpuSet> byCore = new TreeMap<>();
        for (LogicalCpu cpu : kubelet.machine().topology().cpus()) {
            byCore.merge(cpu.socket() + "/" + cpu.core(), CpuSet.of(cpu.id()), CpuSet::union);
        }
        List<Integer> sizes =
                byCore.values().stream().map(CpuSet::size).distinct().toList();
        return new WholeCores(
                sizes.size() == 1 ? sizes.get(0) : 0, kubelet.cpus().get().reserved(), List.copyOf(byCore.values()));
    }

    /** Every core is free, or reserved, or taken as a whole. */
    boolean areWhole(NodeState state) {
        if (threads == 1) {
            return true;
        }
        CpuSet free = state.cpus().orElseThrow().shared().minus(reserved);
        return threads > 1
                && cores.stream().allMatch(core -> {
                    int size = free.intersect(core).size();
                    return size == 0 || size == threads;
                });
    }

    /** Every container asks for whole cores. */
    boolean areAskedFor(PodAsk ask) {
        if (threads == 1) {
            return true;
        }
        for (Wish wish : ask.containers) {
            for (int i = wish.memoryTypes; i < wish.resources.length; i++) {
                if (wish.resources[i] == wish.cpu() && wish.needs[i] % threads != 0) {
                    return false;
                }
            }
        }
        return true;
    }
}
