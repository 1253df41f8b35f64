package io.numaledger.evaluation.snapshot;

import io.numaledger.evaluation.facts.PodFacts;
import io.numaledger.nrt.NodeTopology;
import io.numaledger.nrt.NodeTopology.Zone;
import io.numaledger.placement.Amounts;
import io.numaledger.placement.Placement;
import io.numaledger.resource.ResourceKind;

import java.util.Collection;
import java.util.Comparator;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.SortedMap;
import java.util.TreeSet;

/**
 * Compares the records of a node's pods with the amounts that the agent publishes for its zones. The owner of a pod can write the
 * pod's record, but not the agent's NodeResourceTopology.
 *
 * <p>Amounts are compared only while the published fingerprint is that of the pods known here: the agent publishes records and zones
 * one after the other. Memory is not compared: what pods hold of several zones is not published by zone.
 */
public final class RecordCheck {

    private RecordCheck() {}

    /**
     * Finds the pods whose records add up to more than the agent shows as held. One pod is blamed if the others' records agree with
     * the zones without it: the one with the smallest amount there, then the youngest. Otherwise all that name those zones are blamed.
     *
     * @param pods those bound to the node, ended ones left out
     * @param claims pod key → what its observed record names
     * @param holders the keys of all pods that hold something, with or without a record
     * @param twice what the claims count more than once
     * @return pod keys; absent while records and zones cannot be compared
     */
    public static Optional<Set<String>> contradicting(
            NodeTopology topology,
            Collection<PodFacts> pods,
            SortedMap<String, Placement> claims,
            Set<String> holders,
            Placement twice) {
        if (!isComparable(topology, pods, claims.keySet(), holders)) {
            return Optional.empty();
        }
        Placement excess = excess(topology, claims.values(), twice);
        if (excess.isEmpty()) {
            return Optional.of(Set.of());
        }
        Optional<PodFacts> one = pods.stream()
                .filter(pod -> contains(claims.getOrDefault(pod.key(), Placement.EMPTY), excess))
                .min(Comparator.<PodFacts>comparingLong(
                                pod -> within(claims.getOrDefault(pod.key(), Placement.EMPTY), excess))
                        .thenComparing(PodFacts.BY_AGE.reversed()));
        if (one.isPresent()) {
            return Optional.of(Set.of(one.get().key()));
        }
        Set<String> all = new TreeSet<>(claims.keySet());
        all.removeIf(pod -> within(claims.getOrDefault(pod, Placement.EMPTY), excess) == 0);
        return Optional.of(all);
    }

    private static boolean isComparable(
            NodeTopology topology, Collection<PodFacts> pods, Set<String> recorded, Set<String> holders) {
        List<String> all = pods.stream().map(PodFacts::key).toList();
        return PublishedPods.are(topology, all, holders)
                || (!recorded.equals(holders) && PublishedPods.are(topology, all, recorded));
    }

    private static Placement excess(NodeTopology topology, Collection<Placement> claims, Placement twice) {
        Placement.Builder sum = new Placement.Builder();
        claims.forEach(sum::add);
        Placement.Builder excess = new Placement.Builder();
        SortedMap<Integer, Zone> zones = topology.numaZones();
        sum.build()
                .zones()
                .forEach((id, amounts) -> Optional.ofNullable(zones.get(id))
                        .ifPresent(zone -> zone.resources().forEach((resource, published) -> {
                            long more = amounts.get(resource)
                                    - twice.on(id).get(resource)
                                    - HeldDevices.amount(topology, resource, published);
                            if (isCounted(resource) && published.isReadable() && more > 0) {
                                excess.add(id, resource, more);
                            }
                        })));
        return excess.build();
    }

    private static boolean isCounted(String resource) {
        return resource.equals(Amounts.CPU) || ResourceKind.of(resource) == ResourceKind.DEVICE;
    }

    private static boolean contains(Placement claim, Placement excess) {
        return excess.zones().entrySet().stream()
                .allMatch(zone -> zone.getValue().byResource().entrySet().stream()
                        .allMatch(amount -> claim.on(zone.getKey()).get(amount.getKey()) >= amount.getValue()));
    }

    /** How much the claim has of what is too much: milli-CPU and devices added up, only to compare pods. */
    private static long within(Placement claim, Placement excess) {
        return excess.zones().entrySet().stream()
                .flatMapToLong(zone -> zone.getValue().byResource().keySet().stream()
                        .mapToLong(resource -> claim.on(zone.getKey()).get(resource)))
                .sum();
    }
}
