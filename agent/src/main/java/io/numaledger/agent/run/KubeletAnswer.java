package io.numaledger.agent.run;

import io.numaledger.agent.exclude.Exclusions;
import io.numaledger.placement.AllocatableResources;
import io.numaledger.placement.PodResourcesSnapshot;
import io.numaledger.topology.CpuSet;

import java.util.Optional;

/**
 * The relevant part of the kubelet's answers at one instant.
 *
 * @param allocatable under the published names; absent: the kubelet does not report it
 * @param listed the pods that count, as the kubelet lists them
 * @param held the same pods in the same order, with what is published of them
 * @param stateCpus those that its state files know, see {@link io.numaledger.agent.statefiles.KubeletStateFiles.State}; absent: they were not
 *     read, and {@code held} lacks what plain init containers hold
 * @param exclusions what was left out
 */
public record KubeletAnswer(
        Optional<AllocatableResources> allocatable,
        PodResourcesSnapshot listed,
        PodResourcesSnapshot held,
        Optional<CpuSet> stateCpus,
        Exclusions exclusions) {

    /** An answer of podresources alone. */
    public static KubeletAnswer of(
            Optional<AllocatableResources> allocatable, PodResourcesSnapshot listed, Exclusions exclusions) {
        return of(allocatable, exclusions.withoutPods(listed), Optional.empty(), exclusions);
    }

    /** @param all the listed pods as the state files complete them; absent: they were not read */
    static KubeletAnswer of(
            Optional<AllocatableResources> allocatable,
            PodResourcesSnapshot listed,
            Optional<InitContainers.Added> all,
            Exclusions exclusions) {
        return new KubeletAnswer(
                allocatable.map(exclusions::apply),
                listed,
                exclusions.apply(all.map(InitContainers.Added::pods).orElse(listed)),
                all.map(InitContainers.Added::cpus),
                exclusions);
    }

    /** The CPUs that the kubelet gives to nobody, and that no pod holds; see {@code TopologyAttributes.UNHELD_CPUS}. */
    CpuSet unheldCpus() {
        CpuSet known = stateCpus.orElse(CpuSet.EMPTY);
        return known.isEmpty()
                ? CpuSet.EMPTY
                : allocatable.map(all -> all.cpus().minus(known)).orElse(CpuSet.EMPTY);
    }
}
