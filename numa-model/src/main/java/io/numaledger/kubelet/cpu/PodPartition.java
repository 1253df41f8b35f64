package io.numaledger.kubelet.cpu;

import io.numaledger.kubelet.admission.Refusal;
import io.numaledger.kubelet.admission.ResourceFit;
import io.numaledger.kubelet.admission.StepResult;
import io.numaledger.pod.ContainerRequest;
import io.numaledger.pod.ContainerRequest.Kind;
import io.numaledger.pod.PodRequest;
import io.numaledger.topology.CpuSet;

import java.util.Collections;
import java.util.List;
import java.util.Optional;
import java.util.SortedMap;
import java.util.TreeMap;

import static java.util.Objects.requireNonNull;

/** Divides the CPUs of a pod among its containers (cm/cpumanager/policy_static.go, AllocatePod, from step 5). */
final class PodPartition {

    private final CpuRequests requests;
    private final CpuPicker pick;
    private final PodRequest pod;
    private final int hinted;
    private final SortedMap<String, CpuSet> own = new TreeMap<>();

    /** @param hinted how many NUMA nodes the pod's hint has */
    PodPartition(CpuRequests requests, CpuPicker pick, PodRequest pod, int hinted) {
        this.requests = requests;
        this.pick = pick;
        this.pod = pod;
        this.hinted = hinted;
    }

    StepResult<CpuState> divide(CpuState state, CpuSet podCpus) {
        return divide(state, podCpus, Collections.emptySortedMap());
    }

    /** Completes the partition after a restart: the containers that have CPUs keep them (restorePodAllocation). */
    StepResult<CpuState> complete(CpuState state, CpuSet podCpus) {
        SortedMap<String, CpuSet> kept = state.byPod().getOrDefault(pod.name(), Collections.emptySortedMap());
        return kept.size() == pod.inAllocationOrder().size()
                ? new StepResult.Done<>(state)
                : divide(state, podCpus, kept);
    }

    private StepResult<CpuState> divide(CpuState state, CpuSet podCpus, SortedMap<String, CpuSet> kept) {
        CpuSet open = podCpus;
        for (ContainerRequest container : pod.inAllocationOrder()) {
            int count = requests.of(pod, container);
            if (count > 0) {
                CpuPicker.Result picked = kept.containsKey(container.name())
                        ? new CpuPicker.Result.Taken(requireNonNull(kept.get(container.name())))
                        : pick.pick(open, count, hinted);
                if (picked instanceof CpuPicker.Result.Failed failed) {
                    return new StepResult.Failed<>(tooSmall(failed, open, count), undivided(state));
                }
                CpuSet cpus = ((CpuPicker.Result.Taken) picked).cpus();
                own.put(container.name(), cpus);
                open = container.kind() == Kind.PLAIN_INIT ? open : open.minus(cpus);
            } else if (container.kind() == Kind.PLAIN_INIT) {
                own.put(container.name(), kept.getOrDefault(container.name(), open));
            }
        }
        return new StepResult.Done<>(stored(state, open));
    }

    private CpuState undivided(CpuState state) {
        return requests.returnsCpusOfFailedDivision() ? state.released(pod.name()) : state;
    }

    private CpuState stored(CpuState state, CpuSet rest) {
        CpuState after = state;
        for (ContainerRequest container : pod.inAllocationOrder()) {
            after = after.withPart(pod.name(), container.name(), own.getOrDefault(container.name(), rest));
        }
        return after;
    }

    private static Refusal tooSmall(CpuPicker.Result.Failed failed, CpuSet open, int count) {
        return Refusal.unexpected(
                failed.message(), new ResourceFit("cpu", Optional.empty(), count, open.size(), 0, List.of()));
    }
}
