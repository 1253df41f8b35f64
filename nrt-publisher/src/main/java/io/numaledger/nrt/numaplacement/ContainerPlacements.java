package io.numaledger.nrt.numaplacement;

import io.numaledger.nrt.fingerprint.PodsFingerprint;
import io.numaledger.placement.ContainerAllocation;
import io.numaledger.placement.PodAllocation;
import io.numaledger.topology.MachineTopology;
import io.numaledger.topology.NumaNode;

import java.util.Collection;
import java.util.Comparator;
import java.util.Map;
import java.util.SortedMap;
import java.util.TreeMap;
import java.util.TreeSet;

/**
 * The NUMA node of each container, in the form "numaplacement" version 1: containers are known by the hash of their names
 * and numbered by its order; each NUMA node but the busiest has the list of its containers' numbers. A container on several NUMA
 * nodes has no place in this form: it is left out, and the others stay.
 *
 * @param metadata the attribute of the object
 * @param vectors NUMA node → the attribute of its zone; the busiest NUMA node has none
 */
public record ContainerPlacements(String metadata, SortedMap<Integer, String> vectors) {

    public static ContainerPlacements of(MachineTopology machine, Collection<PodAllocation> pods) {
        SortedMap<Long, Integer> nodeByHash = new TreeMap<>(Long::compareUnsigned);
        for (PodAllocation pod : pods) {
            for (ContainerAllocation container : pod.containers()) {
                TreeSet<Integer> numaNodes = numaNodes(machine, container);
                if (numaNodes.size() == 1) {
                    String identity = String.join("\0", pod.namespace(), pod.name(), container.name());
                    nodeByHash.put(PodsFingerprint.hash(identity), numaNodes.first());
                }
            }
        }
        return of(machine, nodeByHash);
    }

    private static TreeSet<Integer> numaNodes(MachineTopology machine, ContainerAllocation container) {
        TreeSet<Integer> numaNodes = new TreeSet<>();
        for (NumaNode node : machine.numaNodes()) {
            if (!node.cpus().intersect(container.cpus()).isEmpty()) {
                numaNodes.add(node.id());
            }
        }
        container.memory().forEach(block -> numaNodes.addAll(block.numaNodes()));
        container.devices().forEach(device -> numaNodes.addAll(device.numaNodes()));
        return numaNodes;
    }

    private static ContainerPlacements of(MachineTopology machine, SortedMap<Long, Integer> nodeByHash) {
        SortedMap<Integer, StringBuilder> lists = new TreeMap<>();
        SortedMap<Integer, Integer> last = new TreeMap<>();
        SortedMap<Integer, Integer> counts = new TreeMap<>();
        int index = 0;
        for (int node : nodeByHash.values()) {
            int delta = index - last.getOrDefault(node, 0);
            lists.computeIfAbsent(node, any -> new StringBuilder()).append(Leb89.write(delta));
            last.put(node, index++);
            counts.merge(node, 1, Integer::sum);
        }
        int busiest = counts.entrySet().stream()
                .max(Map.Entry.<Integer, Integer>comparingByValue()
                        .thenComparing(Map.Entry.comparingByKey(Comparator.reverseOrder())))
                .map(Map.Entry::getKey)
                .orElse(0);
        lists.remove(busiest);
        TreeMap<Integer, String> vectors = new TreeMap<>();
        lists.forEach((node, list) -> vectors.put(node, list.toString()));
        return new ContainerPlacements(
                "npv0v001::ve=leb89::cc=%d::nn=%d::bn=%d"
                        .formatted(nodeByHash.size(), machine.numaNodes().size(), busiest),
                vectors);
    }
}
