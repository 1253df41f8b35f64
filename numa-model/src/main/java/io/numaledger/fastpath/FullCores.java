package io.numaledger.fastpath;

import io.numaledger.fastpath.CompiledPod.Request;
import io.numaledger.kubelet.KubeletModel;
import io.numaledger.kubelet.NodeState;
import io.numaledger.kubelet.config.CpuOption;
import io.numaledger.topology.CpuSet;
import io.numaledger.topology.LogicalCpu;

import java.util.List;
import java.util.Map;
import java.util.TreeMap;

/**
 * Decides whether counts of CPUs are enough under {@code full-pcpus-only}. They are while pods request whole cores and fewer free
 * CPUs than one core lie outside wholly free cores: a zone with enough CPUs then has them in whole cores, which are taken first.
 */
final class FullCores {

    private final int threads;
    private final CpuSet reserved;
    private final CpuSet left;
    private final List<CpuSet> cores;

    /**
     * @param threads per core; 0: cores differ; 1: the option is off
     * @param left unreserved CPUs of partly reserved cores
     */
    private FullCores(int threads, CpuSet reserved, CpuSet left, List<CpuSet> cores) {
        this.threads = threads;
        this.reserved = reserved;
        this.left = left;
        this.cores = cores;
    }

    static FullCores of(KubeletModel kubelet) {
        if (!kubelet.rules().has(CpuOption.FULL_PCPUS_ONLY) || kubelet.cpus().isEmpty()) {
            return new FullCores(1, CpuSet.EMPTY, CpuSet.EMPTY, List.of());
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
        return new FullCores(sizes.size() == 1 ? sizes.get(0) : 0, reserved, left, List.copyOf(byCore.values()));
    }

    /** Every core is wholly free, wholly taken or reserved; and partly reserved cores leave fewer CPUs than one core. */
    boolean countsSuffice(NodeState state) {
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

    /** The option is on. The kubelet then does not count reusable CPUs. */
    boolean isOn() {
        return !cores.isEmpty();
    }

    /** The number of free CPUs that never belong to a wholly free core. */
    int left() {
        return left.size();
    }

    /** Every container requests whole cores. */
    boolean areRequested(CompiledPod pod) {
        if (threads == 1) {
            return true;
        }
        for (Request request : pod.containers) {
            for (int i = request.memoryTypes; i < request.resources.length; i++) {
                if (request.resources[i] == request.cpu() && request.needs[i] % threads != 0) {
                    return false;
                }
            }
        }
        return true;
    }
}
