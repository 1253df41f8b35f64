package io.numaledger.simulator.workload;

import io.fabric8.kubernetes.api.model.Quantity;
import io.fabric8.kubernetes.client.KubernetesClient;

import java.util.Collection;
import java.util.SortedMap;
import java.util.TreeMap;

/**
 * The allocatable resources of one node as a whole. The kubelet refuses pods that exceed them, whatever the zones hold.
 *
 * @param allocatable resource → milli-CPU, MiB or devices
 */
public record NodeAllocatable(SortedMap<String, Long> allocatable) {

    public static NodeAllocatable read(KubernetesClient client, String node) {
        SortedMap<String, Long> allocatable = new TreeMap<>();
        client.nodes()
                .withName(node)
                .get()
                .getStatus()
                .getAllocatable()
                .forEach((resource, quantity) -> allocatable.put(resource, amount(resource, quantity)));
        return new NodeAllocatable(allocatable);
    }

    private static long amount(String resource, Quantity quantity) {
        long whole = Quantity.getAmountInBytes(quantity).longValue();
        if (resource.equals("cpu")) {
            return whole * 1000;
        }
        return SeededPods.inMebibytes(resource) ? whole >> 20 : whole;
    }

    /** Whether a request fits beside the requests of other pods. */
    public boolean fits(SortedMap<String, Long> request, Collection<SortedMap<String, Long>> others) {
        return request.entrySet().stream().allMatch(wanted -> {
            long taken = others.stream()
                    .mapToLong(pod -> pod.getOrDefault(wanted.getKey(), 0L))
                    .sum();
            return wanted.getValue() + taken <= allocatable.getOrDefault(wanted.getKey(), 0L);
        });
    }
}
