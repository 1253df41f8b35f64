package io.numaledger.placement;

import io.numaledger.topology.CpuSet;

import java.util.Comparator;
import java.util.List;
import java.util.Optional;

import static io.numaledger.topology.Sorted.sortedList;

/**
 * The allocations of one pod as the kubelet reports them. The report has no UID: the name may belong to another instance by now.
 *
 * @param cpus exclusive CPUs of the pod as a whole (kubelet 1.37+); they overlap with those of its containers
 * @param memory memory of the pod as a whole (kubelet 1.37+)
 * @param reported the report itself, where it is kept
 */
public record PodAllocation(
        String namespace,
        String name,
        List<ContainerAllocation> containers,
        CpuSet cpus,
        List<MemoryBlock> memory,
        Optional<ReportedEntries> reported)
        implements Comparable<PodAllocation> {

    /** Stands for the containers that only share in what the pod has as a whole: no container has such a name. */
    public static final String SHARING = "(sharing)";

    private static final Comparator<PodAllocation> ORDER =
            Comparator.comparing(PodAllocation::namespace).thenComparing(PodAllocation::name);

    public PodAllocation {
        if (containers.size() > 1) {
            containers = containers.stream()
                    .sorted(Comparator.comparing(ContainerAllocation::name))
                    .toList();
        }
        containers = List.copyOf(containers);
        memory = sortedList(memory);
    }

    /** An allocation without the report. */
    public PodAllocation(
            String namespace,
            String name,
            List<ContainerAllocation> containers,
            CpuSet cpus,
            List<MemoryBlock> memory) {
        this(namespace, name, containers, cpus, memory, Optional.empty());
    }

    /** The usual form: all that the pod holds, its containers hold. */
    public PodAllocation(String namespace, String name, List<ContainerAllocation> containers) {
        this(namespace, name, containers, CpuSet.EMPTY, List.of());
    }

    /** These allocations, of a pod that is called otherwise. */
    public PodAllocation of(String otherNamespace, String otherName) {
        return namespace.equals(otherNamespace) && name.equals(otherName)
                ? this
                : new PodAllocation(otherNamespace, otherName, containers, cpus, memory, reported);
    }

    /** {@code namespace/name}. */
    public String key() {
        return namespace + "/" + name;
    }

    /** The exclusive CPUs of the pod and its containers. */
    public CpuSet allCpus() {
        CpuSet all = cpus;
        for (ContainerAllocation container : containers) {
            all = all.union(container.cpus());
        }
        return all;
    }

    /** The memory of the pod as a whole where there is some, else that of its containers. */
    public List<MemoryBlock> allMemory() {
        return memory.isEmpty()
                ? containers.stream()
                        .flatMap(container -> container.memory().stream())
                        .toList()
                : memory;
    }

    public boolean isEmpty() {
        return cpus.isEmpty() && memory.isEmpty() && containers.stream().allMatch(ContainerAllocation::isEmpty);
    }

    @Override
    public int compareTo(PodAllocation other) {
        return ORDER.compare(this, other);
    }
}
