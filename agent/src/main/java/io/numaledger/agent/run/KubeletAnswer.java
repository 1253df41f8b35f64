package io.numaledger.agent.run;

import io.numaledger.agent.exclude.Exclusions;
import io.numaledger.placement.AllocatableResources;
import io.numaledger.placement.PodResourcesSnapshot;

import java.util.Optional;

/**
 * The relevant part of the kubelet's answers at one instant.
 *
 * @param allocatable under the published names; absent: the kubelet does not report it
 * @param listed the pods that count, as the kubelet lists them
 * @param held the same pods in the same order, with what is published of them
 * @param initContainers true: {@code held} has what plain init containers hold, too
 * @param exclusions what was left out
 */
public record KubeletAnswer(
        Optional<AllocatableResources> allocatable,
        PodResourcesSnapshot listed,
        PodResourcesSnapshot held,
        boolean initContainers,
        Exclusions exclusions) {

    /** Of podresources alone. */
    public static KubeletAnswer of(
            Optional<AllocatableResources> allocatable, PodResourcesSnapshot listed, Exclusions exclusions) {
        return of(allocatable, exclusions.withoutPods(listed), Optional.empty(), exclusions);
    }

    /** @param all the listed pods with their plain init containers; absent: those are not known */
    static KubeletAnswer of(
            Optional<AllocatableResources> allocatable,
            PodResourcesSnapshot listed,
            Optional<PodResourcesSnapshot> all,
            Exclusions exclusions) {
        return new KubeletAnswer(
                allocatable.map(exclusions::apply),
                listed,
                exclusions.apply(all.orElse(listed)),
                all.isPresent(),
                exclusions);
    }
}
