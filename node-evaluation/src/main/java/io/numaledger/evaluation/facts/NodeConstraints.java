package io.numaledger.evaluation.facts;

import java.util.List;
import java.util.Optional;
import java.util.SortedMap;
import java.util.SortedSet;

import static io.numaledger.topology.Sorted.sorted;
import static io.numaledger.topology.Sorted.sortedSet;

/**
 * What decides, beside NUMA alignment, whether a node takes a pod.
 *
 * @param allocatable of the node as a whole: CPUs in milli-CPU, bytes, counts; empty: the kubelet has not reported it
 * @param unschedulable it is cordoned
 * @param ready its condition Ready; absent: it has none
 * @param taints those with effect NoSchedule or NoExecute
 * @param draBacked extended resources that a DeviceClass serves and no device plugin of the node has: Dynamic Resource Allocation decides
 */
public record NodeConstraints(
        SortedMap<String, Long> allocatable,
        boolean unschedulable,
        Optional<Boolean> ready,
        List<Taint> taints,
        SortedMap<String, String> labels,
        SortedSet<String> draBacked) {

    /** A taint; its value may be empty. */
    public record Taint(String key, String value, String effect) {

        /** The taint as kubectl writes it. */
        @Override
        public String toString() {
            return key + (value.isEmpty() ? "" : "=" + value) + ":" + effect;
        }
    }

    public NodeConstraints {
        allocatable = sorted(allocatable);
        taints = List.copyOf(taints);
        labels = sorted(labels);
        draBacked = sortedSet(draBacked);
    }

    /** These constraints without a cordon. */
    NodeConstraints uncordoned() {
        return new NodeConstraints(allocatable, false, ready, taints, labels, draBacked);
    }

    NodeConstraints allocating(SortedMap<String, Long> amounts) {
        return new NodeConstraints(amounts, unschedulable, ready, taints, labels, draBacked);
    }

    /** These constraints with some extended resources backed by Dynamic Resource Allocation. */
    NodeConstraints backedByDra(SortedSet<String> resources) {
        return new NodeConstraints(
                NodeFacts.without(allocatable, resources), unschedulable, ready, taints, labels, resources);
    }
}
