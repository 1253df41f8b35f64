package io.numaledger.kubelet.cpu;

import io.numaledger.pod.ContainerRequest;
import io.numaledger.pod.PodRequest;
import io.numaledger.topology.CpuSet;
import io.numaledger.topology.Sorted;

import java.util.Collections;
import java.util.List;
import java.util.Set;
import java.util.SortedMap;

/**
 * What the CPU Manager remembers (cm/cpumanager/state).
 *
 * @param shared the shared pool, {@code defaultCpuSet}: reserved CPUs included, unless {@code strict-cpu-reservation}
 * @param byPod pod → container → its own CPUs
 * @param podCpus pod → CPUs of the pod as a whole, for pods with resources of their own that are placed as a whole
 * @param reusable CPUs of plain init containers that later containers of the pod in admission may take; empty otherwise
 */
public record CpuState(
        CpuSet shared,
        SortedMap<String, SortedMap<String, CpuSet>> byPod,
        SortedMap<String, CpuSet> podCpus,
        CpuSet reusable) {

    /** Who holds CPUs that no pod holds and that are not shared; no pod has this name. */
    public static final String FILE = "the kubelet's state file";

    public CpuState {
        byPod = Sorted.sorted(byPod, Sorted::sorted);
        podCpus = Sorted.sorted(podCpus);
    }

    static CpuState empty(CpuSet shared) {
        return new CpuState(shared, Collections.emptySortedMap(), Collections.emptySortedMap(), CpuSet.EMPTY);
    }

    /** Everything that the containers of a pod hold. */
    public CpuSet heldBy(String pod) {
        return byPod.getOrDefault(pod, Collections.emptySortedMap()).values().stream()
                .reduce(podCpus.getOrDefault(pod, CpuSet.EMPTY), CpuSet::union);
    }

    /** A container's own CPUs; empty: it runs in the shared pool. */
    public CpuSet heldBy(String pod, String container) {
        SortedMap<String, CpuSet> containers = byPod.get(pod);
        return containers == null ? CpuSet.EMPTY : containers.getOrDefault(container, CpuSet.EMPTY);
    }

    /** This state without the names of the holders; see {@link io.numaledger.kubelet.NodeState#anonymous}. */
    public CpuState anonymous() {
        return empty(shared);
    }

    /** This state without what pods hold as a whole, beside what their containers do. */
    public CpuState ofContainers() {
        return new CpuState(shared, byPod, Collections.emptySortedMap(), reusable);
    }

    boolean holds(String pod, String container) {
        return byPod.containsKey(pod) && byPod.get(pod).containsKey(container);
    }

    CpuState with(String pod, String container, CpuSet cpus) {
        SortedMap<String, CpuSet> containers =
                Sorted.with(byPod.getOrDefault(pod, Collections.emptySortedMap()), container, cpus);
        return new CpuState(shared.minus(cpus), Sorted.with(byPod, pod, containers), podCpus, reusable);
    }

    /** Inside a pod that is placed as a whole: the shared pool stays as it is, even where the container's CPUs are not all the pod's. */
    CpuState withPart(String pod, String container, CpuSet cpus) {
        return new CpuState(shared, with(pod, container, cpus).byPod, podCpus, reusable);
    }

    CpuState withPodCpus(String pod, CpuSet cpus) {
        return new CpuState(shared.minus(cpus), byPod, Sorted.with(podCpus, pod, cpus), reusable);
    }

    CpuState withReusable(CpuSet cpus) {
        return cpus.equals(reusable) ? this : new CpuState(shared, byPod, podCpus, cpus);
    }

    /**
     * The CPUs of a pod as a whole can be kept: none is shared, and the containers that have their CPUs are the first of the pod. Others
     * are left over from a removal that was interrupted (podAllocationStaleness).
     */
    boolean canKeep(PodRequest pod) {
        Set<String> holders =
                byPod.getOrDefault(pod.name(), Collections.emptySortedMap()).keySet();
        List<String> first = pod.inAllocationOrder().stream()
                .map(ContainerRequest::name)
                .limit(holders.size())
                .toList();
        return podCpus.getOrDefault(pod.name(), CpuSet.EMPTY).intersect(shared).isEmpty()
                && holders.equals(Set.copyOf(first));
    }

    /** This state after everything of a pod that is placed as a whole was given back at once (releasePodAllocation). */
    CpuState released(String pod) {
        return new CpuState(
                shared.union(podCpus.getOrDefault(pod, CpuSet.EMPTY)),
                Sorted.without(byPod, pod),
                Sorted.without(podCpus, pod),
                reusable);
    }

    /**
     * After the pod's containers were removed one by one: everything is shared again. What a pod got as a whole whose
     * division failed belongs to no container and is never released before 1.38.
     */
    CpuState without(String pod) {
        if (!byPod.containsKey(pod)) {
            return this;
        }
        return new CpuState(
                shared.union(heldBy(pod)), Sorted.without(byPod, pod), Sorted.without(podCpus, pod), reusable);
    }
}
