package io.numaledger.bridge.objects;

import java.util.List;
import java.util.Optional;
import java.util.SortedMap;

import static io.numaledger.topology.Sorted.sorted;

/**
 * What decides, beside NUMA alignment, whether a node takes a pod.
 *
 * @param allocatable of the node as a whole: CPUs in milli-CPU, bytes, counts; empty: the kubelet has not reported it
 * @param unschedulable it is cordoned
 * @param ready its condition Ready; absent: it has none
 * @param taints those with effect NoSchedule or NoExecute
 */
public record NodeConstraints(
        SortedMap<String, Long> allocatable,
        boolean unschedulable,
        Optional<Boolean> ready,
        List<Taint> taints,
        SortedMap<String, String> labels) {

    /** A taint; its value may be empty. */
    public record Taint(String key, String value, String effect) {

        /** As kubectl writes it. */
        @Override
        public String toString() {
            return key + (value.isEmpty() ? "" : "=" + value) + ":" + effect;
        }
    }

    public NodeConstraints {
        allocatable = sorted(allocatable);
        taints = List.copyOf(taints);
        labels = sorted(labels);
    }
}
