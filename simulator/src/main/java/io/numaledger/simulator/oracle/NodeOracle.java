package io.numaledger.simulator.oracle;

import io.fabric8.kubernetes.api.model.Pod;
import io.numaledger.placement.ContainerAllocation;
import io.numaledger.placement.DeviceAllocation;
import io.numaledger.placement.MemoryBlock;
import io.numaledger.simulator.cluster.KubeletState;
import io.numaledger.simulator.cluster.SimNode;
import io.numaledger.topology.CpuSet;

import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.SortedMap;
import java.util.SortedSet;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.stream.Collectors;

import static java.util.Objects.requireNonNull;

/**
 * What the state files of one kubelet say now, as far as the podresources API can show it: what the pods that have not ended
 * hold, without their plain init containers. The sums are computed from the files, not by code of the agent.
 *
 * @param held pod UID → what its listed containers hold
 * @param leftOut what the podresources API does not show, one sentence each
 */
record NodeOracle(
        SimNode node,
        KubeletState state,
        SortedMap<String, List<ContainerAllocation>> held,
        SortedSet<String> leftOut) {

    static NodeOracle read(SimNode node, List<Pod> pods) {
        KubeletState state = KubeletState.read(node.kubeletRoot());
        SortedMap<String, List<ContainerAllocation>> held = new TreeMap<>();
        SortedSet<String> leftOut = new TreeSet<>();
        for (Pod pod : pods) {
            String uid = pod.getMetadata().getUid();
            Set<String> plainInit = plainInit(pod);
            held.put(uid, new ArrayList<>());
            state.ofPod(uidOnItsKubelet(pod)).forEach((name, allocation) -> {
                if (plainInit.contains(name)) {
                    leftOut.add("node=%s pod=%s init container %s holds cpus=%s memory=%s"
                            .formatted(
                                    node.name(),
                                    pod.getMetadata().getName(),
                                    name,
                                    allocation.cpus(),
                                    allocation.memory()));
                } else {
                    held.get(uid).add(allocation);
                }
            });
        }
        return new NodeOracle(node, state, held, leftOut);
    }

    /** The kubelet's UID of a static pod is in an annotation of its mirror pod. */
    private static String uidOnItsKubelet(Pod pod) {
        return Optional.ofNullable(pod.getMetadata().getAnnotations())
                .map(annotations -> annotations.get("kubernetes.io/config.mirror"))
                .orElse(pod.getMetadata().getUid());
    }

    private static Set<String> plainInit(Pod pod) {
        return pod.getSpec().getInitContainers().stream()
                .filter(container -> !"Always".equals(container.getRestartPolicy()))
                .map(container -> container.getName())
                .collect(Collectors.toSet());
    }

    /** Milli-CPUs by NUMA node. */
    SortedMap<Integer, Long> cpus(String uid) {
        CpuSet all = requireNonNull(held.get(uid)).stream()
                .map(ContainerAllocation::cpus)
                .reduce(CpuSet.EMPTY, CpuSet::union);
        return byNumaNode(all);
    }

    SortedMap<Integer, Long> byNumaNode(CpuSet cpus) {
        SortedMap<Integer, Long> counts = new TreeMap<>();
        node.spec().machine().numaNodes().forEach(numaNode -> {
            int count = numaNode.cpus().intersect(cpus).size();
            if (count > 0) {
                counts.put(numaNode.id(), count * 1000L);
            }
        });
        return counts;
    }

    CpuSet cpusOfAll() {
        return held.values().stream()
                .flatMap(List::stream)
                .map(ContainerAllocation::cpus)
                .reduce(CpuSet.EMPTY, CpuSet::union);
    }

    List<MemoryBlock> memory(String uid) {
        return requireNonNull(held.get(uid)).stream()
                .flatMap(container -> container.memory().stream())
                .toList();
    }

    List<MemoryBlock> memoryOfAll() {
        return held.keySet().stream().flatMap(uid -> memory(uid).stream()).toList();
    }

    List<DeviceAllocation> devices(String uid) {
        return requireNonNull(held.get(uid)).stream()
                .flatMap(container -> container.devices().stream())
                .toList();
    }

    Set<DeviceAllocation> devicesOfAll() {
        return held.keySet().stream().flatMap(uid -> devices(uid).stream()).collect(Collectors.toSet());
    }

    /** Resource → NUMA node → number of devices that are attached to it. */
    static SortedMap<String, SortedMap<Integer, Long>> countByNumaNode(Iterable<DeviceAllocation> devices) {
        SortedMap<String, SortedMap<Integer, Long>> counts = new TreeMap<>();
        for (DeviceAllocation device : devices) {
            for (int numaNode : device.numaNodes()) {
                counts.computeIfAbsent(device.resource(), resource -> new TreeMap<>())
                        .merge(numaNode, 1L, Long::sum);
            }
        }
        return counts;
    }

    /** Bytes of one type by group of NUMA nodes. Blocks that share a NUMA node belong to one group. */
    static Map<SortedSet<Integer>, Long> byGroup(String type, List<MemoryBlock> blocks) {
        Map<SortedSet<Integer>, Long> groups = new LinkedHashMap<>();
        for (MemoryBlock block : blocks) {
            if (!block.type().equals(type)) {
                continue;
            }
            TreeSet<Integer> numaNodes = new TreeSet<>(block.numaNodes());
            long bytes = block.sizeBytes();
            for (SortedSet<Integer> other : List.copyOf(groups.keySet())) {
                if (other.stream().anyMatch(id -> block.numaNodes().contains(id))) {
                    numaNodes.addAll(other);
                    bytes += groups.remove(other);
                }
            }
            groups.put(numaNodes, bytes);
        }
        return groups;
    }
}
