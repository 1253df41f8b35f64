package io.numaledger.e2e;

import io.fabric8.kubernetes.api.model.Quantity;
import io.fabric8.kubernetes.client.KubernetesClient;

import java.util.Collection;
import java.util.SortedMap;
import java.util.TreeMap;

/**
 * What one node may give out by its sums: the kubelet refuses what these do not hold, after and apart from all zones.
 *
 * @param allocatable resource → milli-CPU, MiB or devices
 */
record NodeRoom(SortedMap<String, Long> allocatable) {

    static NodeRoom read(KubernetesClient client, String node) {
        SortedMap<String, Long> allocatable = new TreeMap<>();
        client.nodes()
                .withName(node)
                .get()
                .getStatus()
                .getAllocatable()
                .forEach((resource, quantity) -> allocatable.put(resource, amount(resource, quantity)));
        return new NodeRoom(allocatable);
    }

    private static long amount(String resource, Quantity quantity) {
        long whole = Quantity.getAmountInBytes(quantity).longValue();
        if (resource.equals("cpu")) {
            return whole * 1000;
        }
        return SeededPods.inMebibytes(resource) ? whole >> 20 : whole;
    }

    /** True if that is there beside all of these. */
    boolean holds(SortedMap<String, Long> wanted, Collection<SortedMap<String, Long>> beside) {
        return wanted.entrySet().stream().allMatch(want -> {
            long taken = beside.stream()
                    .mapToLong(pod -> pod.getOrDefault(want.getKey(), 0L))
                    .sum();
            return want.getValue() + taken <= allocatable.getOrDefault(want.getKey(), 0L);
        });
    }
}
