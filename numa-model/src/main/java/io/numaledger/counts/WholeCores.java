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

/**
 * With {@code full-pcpus-only}, CPUs are as good as their number while whole cores are asked for and what is free beside whole cores is less
 * than one: then no zone or group of zones has room by number that it does not have in whole cores, and those are taken first.
 */
final class WholeCores {

    private final int threads;
    private final CpuSet reserved;
    private final CpuSet left;
    private final List<CpuSet> cores;

    /**
     * @param threads of each core; 0: they may differ; 1: single CPUs are given out
     * @param left of cores that are reserved in part
     */
    private WholeCores(int threads, CpuSet reserved, CpuSet left, List<CpuSet> cores) {
        this.threads = threads;
        this.reserved = reserved;
        this.left = left;
        this.cores = cores;
    }

    static WholeCores of(KubeletModel kubelet) {
        if (!kubelet.rules().has(CpuOption.FULL_PCPUS_ONLY) || kubelet.cpus().isEmpty()) {
            return new WholeCores(1, CpuSet.EMPTY, CpuSet.EMPTY, List.of());
        }
        Map<String, CpuSet> byCore = new TreeMap<>();
        for (LogicalCpu cpu : kubelet.machine().topology().cpus()) {
            byCore.merge(cpu.socket() + "/" + cpu.core(), CpuSet.of(cpu.id()), CpuSet::union);
        }
        List<Integer> sizes =
                byCore.values().stream().map(CpuSet::size).distinct().toList();
        CpuSet reserved = kubelet.cpus().get().reserved();
        CpuSet left = byCore.values().stream()
                .filter(core -> !core.intersect(reserved).isEmpty())
                .reduce(CpuSet.EMPTY, CpuSet::union)
                .minus(reserved);
        return new WholeCores(sizes.size() == 1 ? sizes.get(0) : 0, reserved, left, List.copyOf(byCore.values()));
    }

    /** Every core is free, or taken as a whole, or reserved; and what is left of those that are reserved in part is less than a core. */
    boolean decide(NodeState state) {
        if (threads == 1) {
            return true;
        }
        CpuSet free = state.cpus().orElseThrow().shared().minus(reserved);
        CpuSet whole = free.minus(left);
        return left.size() < threads
                && whole.size() + left.size() == free.size()
                && cores.stream().allMatch(core -> {
                    int size = whole.intersect(core).size();
                    return size == 0 || size == threads;
                });
    }

    /** They are given out whole only; the kubelet then does not count those that can be used again. */
    boolean areWhole() {
        return !cores.isEmpty();
    }

    /** CPUs that are free and never part of a whole core. */
    int left() {
        return left.size();
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
