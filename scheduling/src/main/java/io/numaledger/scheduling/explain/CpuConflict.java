package io.numaledger.scheduling.explain;

import io.numaledger.evaluation.facts.PlacementRecord;
import io.numaledger.evaluation.facts.PodFacts;
import io.numaledger.evaluation.holder.Holder;
import io.numaledger.evaluation.holder.Sentence;
import io.numaledger.evaluation.snapshot.Assumption;
import io.numaledger.evaluation.snapshot.NodeModel;
import io.numaledger.kubelet.KubeletModel;
import io.numaledger.kubelet.config.CpuOption;
import io.numaledger.kubelet.cpu.CpuAllocator;
import io.numaledger.placement.PodAllocation;
import io.numaledger.placement.SharedCpus;
import io.numaledger.placement.SharedCpus.SharedCpu;
import io.numaledger.topology.CpuSet;

import java.util.ArrayList;
import java.util.Collection;
import java.util.List;
import java.util.Optional;
import java.util.SortedSet;

/**
 * CPUs that the kubelet of a node gave to two pods, or to one although they are reserved, as the observed records of the pods say. A
 * terminating pod may have been observed before its CPUs were given to the next one: it is left out.
 *
 * @param pods the keys of all holders
 * @param stopsKubelet a kubelet that restarts finds them missing in its shared pool, and ends
 */
public record CpuConflict(CpuSet cpus, SortedSet<String> pods, boolean reserved, boolean stopsKubelet) {

    /** @param pods those of the node */
    public static List<CpuConflict> of(NodeModel node, Collection<PodFacts> pods) {
        Optional<CpuAllocator> cpus = node.kubelet().flatMap(KubeletModel::cpus);
        boolean known = node.assumptions().stream().noneMatch(each -> each.kind() == Assumption.Kind.CORE_SHAPE);
        return cpus.isPresent() && known
                ? of(
                        SharedCpus.of(records(pods), cpus.get().reserved()),
                        !isStrict(node.kubelet().get()))
                : List.of();
    }

    private static boolean isStrict(KubeletModel kubelet) {
        return kubelet.rules().has(CpuOption.STRICT_CPU_RESERVATION);
    }

    private static List<CpuConflict> of(List<SharedCpu> shared, boolean stops) {
        List<CpuConflict> found = new ArrayList<>();
        for (SharedCpu each : shared) {
            CpuConflict one =
                    new CpuConflict(CpuSet.of(each.cpu()), each.pods(), each.reserved(), each.reserved() && stops);
            int last = found.size() - 1;
            if (last >= 0 && found.get(last).isLike(one)) {
                found.set(last, one.with(found.get(last).cpus()));
            } else {
                found.add(one);
            }
        }
        return found;
    }

    private static List<PodAllocation> records(Collection<PodFacts> pods) {
        return pods.stream()
                .filter(pod -> !pod.ended() && !pod.terminating())
                .flatMap(pod -> pod.records().placement().flatMap(PlacementRecord::believed).stream())
                .toList();
    }

    private boolean isLike(CpuConflict other) {
        return pods.equals(other.pods) && reserved == other.reserved;
    }

    private CpuConflict with(CpuSet more) {
        return new CpuConflict(cpus.union(more), pods, reserved, stopsKubelet);
    }

    /** A sentence for people, with what to do. */
    public Sentence sentence() {
        Sentence given = Sentence.of("the kubelet gave %s to ".formatted(name()))
                .plus(pods.stream().map(Holder::of).toList());
        if (stopsKubelet) {
            return given.plus(
                    "; end what holds reserved CPUs before you restart the kubelet, because it does not start again over this state");
        }
        return pods.size() > 1
                ? given.plus("; they slow each other down: delete one of them")
                : given.plus("; it disturbs the system's own processes: delete it");
    }

    private String name() {
        return "%sCPU%s %s".formatted(reserved ? "the reserved " : "", cpus.size() == 1 ? "" : "s", cpus);
    }
}
