package io.numaledger.kubelet.cpu;

import io.numaledger.kubelet.answer.Attempt;
import io.numaledger.kubelet.answer.Refusal;
import io.numaledger.kubelet.answer.Why;
import io.numaledger.pod.ContainerRequest;
import io.numaledger.pod.ContainerRequest.Kind;
import io.numaledger.pod.PodRequest;
import io.numaledger.topology.CpuSet;

import java.util.List;
import java.util.Optional;
import java.util.SortedMap;
import java.util.TreeMap;

/** Divides the CPUs of a pod among its containers (cm/cpumanager/policy_static.go, AllocatePod, from step 5). */
final class PodPartition {

    private final CpuRequests requests;
    private final CpuPick pick;
    private final PodRequest pod;
    private final SortedMap<String, CpuSet> own = new TreeMap<>();

    PodPartition(CpuRequests requests, CpuPick pick, PodRequest pod) {
        this.requests = requests;
        this.pick = pick;
        this.pod = pod;
    }

    Attempt<CpuState> divide(CpuState state, CpuSet podCpus) {
        CpuSet open = podCpus;
        for (ContainerRequest container : pod.inAllocationOrder()) {
            int count = requests.of(pod, container);
            if (count > 0) {
                if (!(pick.pick(open, count) instanceof CpuPick.Result.Taken taken)) {
                    return new Attempt.Failed<>(tooSmall(podCpus, count), state);
                }
                own.put(container.name(), taken.cpus());
                open = container.kind() == Kind.PLAIN_INIT ? open : open.minus(taken.cpus());
            } else if (container.kind() == Kind.PLAIN_INIT) {
                own.put(container.name(), open);
            }
        }
        return new Attempt.Done<>(stored(state, open));
    }

    private CpuState stored(CpuState state, CpuSet rest) {
        CpuState after = state;
        for (ContainerRequest container : pod.inAllocationOrder()) {
            after = after.with(pod.name(), container.name(), own.getOrDefault(container.name(), rest));
        }
        return after;
    }

    private static Refusal tooSmall(CpuSet podCpus, int count) {
        return Refusal.unexpected(
                "not enough cpus available to satisfy request: requested=%d, available=%d"
                        .formatted(count, podCpus.size()),
                new Why("cpu", Optional.empty(), count, podCpus.size(), 0, List.of()));
    }
}
