package io.numaledger.evaluation.facts;

import java.util.List;
import java.util.OptionalInt;
import java.util.SortedMap;

import static io.numaledger.topology.Sorted.sorted;

/**
 * What matters of a PodGroup object, of whichever API.
 *
 * @param apiVersion such as {@code scheduling.k8s.io/v1beta1}
 * @param minMember how many of its pods have to run together; absent: they need not
 * @param topology its topology constraint of KAI-Scheduler, as the annotations of a workload; empty: it has none
 * @param subGroups name → how many of its pods have to run, 1 or more; empty: the group is not divided
 * @param sameValues labels that have the same value on all nodes of its pods, as {@code scheduling.k8s.io} demands
 */
public record PodGroup(
        PodGroupName name,
        String apiVersion,
        String uid,
        OptionalInt minMember,
        SortedMap<String, String> topology,
        SortedMap<String, Integer> subGroups,
        List<String> sameValues) {

    public PodGroup {
        topology = sorted(topology);
        subGroups = sorted(subGroups);
        sameValues = List.copyOf(sameValues);
    }
}
