package io.numaledger.placement;

import io.numaledger.resource.Saturating;
import io.numaledger.topology.CpuSet;
import io.numaledger.topology.MachineTopology;
import io.numaledger.topology.NumaNode;

import java.util.ArrayList;
import java.util.IdentityHashMap;
import java.util.Iterator;
import java.util.List;
import java.util.Map;
import java.util.SortedMap;
import java.util.SortedSet;
import java.util.TreeMap;
import java.util.TreeSet;

/**
 * Computes placements by NUMA node from the allocations that the kubelet reports. CPUs count where they are; a device counts
 * once on each of its NUMA nodes; a memory block of several nodes is split (see {@link MemorySplit}). {@link KaiPlacement} counts
 * as KAI's exporter does.
 */
public final class PlacementObserver {

    private final MachineTopology machine;
    private final List<MemoryBlock> allocatableMemory;
    private final TreeSet<String> warnings = new TreeSet<>();
    /** The placements of the last observation that follow from the pod and the machine alone. */
    private IdentityHashMap<PodAllocation, Placement> known = new IdentityHashMap<>();

    /**
     * @param allocatableMemory one block per NUMA node and type, from which splits are filled
     */
    public PlacementObserver(MachineTopology machine, List<MemoryBlock> allocatableMemory) {
        this.machine = machine;
        this.allocatableMemory = allocatableMemory;
    }

    /**
     * The placement of each pod, in the order of the list. A pod that is the same object as at the last call is not looked at again.
     *
     * @param earlier pod key → what was recorded for that pod before; its split of memory is kept while it holds
     */
    public List<Placement> observe(List<PodAllocation> pods, Map<String, Placement> earlier) {
        warnings.clear();
        IdentityHashMap<PodAllocation, Placement> before = known;
        known = new IdentityHashMap<>();
        if (pods.stream().anyMatch(PlacementObserver::sharesMemory)) {
            return withSplit(pods, earlier);
        }
        List<PodAllocation> changed =
                pods.stream().filter(pod -> !before.containsKey(pod)).toList();
        Iterator<Placement> ofChanged = withSplit(changed, earlier).iterator();
        List<Placement> placements = new ArrayList<>();
        for (PodAllocation pod : pods) {
            Placement same = before.get(pod);
            placements.add(same == null ? ofChanged.next() : same);
            if (warnings.isEmpty()) {
                known.put(pod, placements.get(placements.size() - 1));
            }
        }
        return placements;
    }

    /** Whether a pod shares memory. Its placement may then depend on that of other pods. */
    private static boolean sharesMemory(PodAllocation pod) {
        return sharesMemory(pod.memory())
                || pod.containers().stream().anyMatch(container -> sharesMemory(container.memory()));
    }

    private static boolean sharesMemory(List<MemoryBlock> blocks) {
        return blocks.stream().anyMatch(block -> block.numaNodes().size() > 1);
    }

    private List<Placement> withSplit(List<PodAllocation> pods, Map<String, Placement> earlier) {
        MemorySplit split = new MemorySplit(allocatableMemory);
        List<Placement.Builder> placements = new ArrayList<>();
        List<Map<String, List<MemoryBlock>>> unsplit = new ArrayList<>();
        for (PodAllocation pod : pods) {
            Placement.Builder placement = new Placement.Builder();
            placements.add(placement);
            addCpus(pod, placement);
            addDevices(pod, placement);
            unsplit.add(addMemory(pod, earlier.getOrDefault(pod.key(), Placement.EMPTY), split, placement));
        }
        for (int i = 0; i < unsplit.size(); i++) {
            for (Map.Entry<String, List<MemoryBlock>> type : unsplit.get(i).entrySet()) {
                for (MemoryBlock block : type.getValue()) {
                    add(
                            type.getKey(),
                            split.fill(type.getKey(), block.numaNodes(), block.sizeBytes()),
                            placements.get(i));
                }
            }
        }
        return placements.stream().map(Placement.Builder::build).toList();
    }

    /** What had to be left out of the last placements, a sentence each; empty after clean input. */
    public SortedSet<String> warnings() {
        return warnings;
    }

    private void addCpus(PodAllocation pod, Placement.Builder placement) {
        CpuSet cpus = pod.allCpus();
        if (cpus.isEmpty()) {
            return;
        }
        CpuSet unplaced = cpus;
        for (NumaNode node : machine.numaNodes()) {
            int count = node.cpus().intersect(cpus).size();
            if (count > 0) {
                placement.add(node.id(), Amounts.CPU, count * 1000L);
            }
            unplaced = unplaced.minus(node.cpus());
        }
        if (!unplaced.isEmpty()) {
            warnings.add(
                    "the kubelet names CPUs that no NUMA node of this machine has: pod=%s cpus=%s; they are left out"
                            .formatted(pod.key(), unplaced));
        }
    }

    private void addDevices(PodAllocation pod, Placement.Builder placement) {
        for (ContainerAllocation container : pod.containers()) {
            for (DeviceAllocation device : container.devices()) {
                if (device.resource().equals(Amounts.CPU)) {
                    warnings.add("a device plugin has the resource name cpu: pod=%s device=%s; the device is left out"
                            .formatted(pod.key(), device.deviceId()));
                    continue;
                }
                for (int node : device.numaNodes()) {
                    if (known(node, "pod=" + pod.key() + " device=" + device.resource() + "/" + device.deviceId())) {
                        placement.add(node, device.resource(), 1);
                    }
                }
            }
        }
    }

    private boolean known(int numaNode, String where) {
        boolean known = machine.numaNode(numaNode).isPresent();
        if (!known) {
            warnings.add("the kubelet names a NUMA node that this machine does not have: %s numaNode=%d; it is left out"
                    .formatted(where, numaNode));
        }
        return known;
    }

    /** Adds what needs no split or has one already; returns the blocks still to be split, by type. */
    private Map<String, List<MemoryBlock>> addMemory(
            PodAllocation pod, Placement earlier, MemorySplit split, Placement.Builder placement) {
        Map<String, TreeMap<Integer, Long>> single = new TreeMap<>();
        Map<String, List<MemoryBlock>> shared = new TreeMap<>();
        for (MemoryBlock block : memoryOf(pod)) {
            if (!block.numaNodes().stream()
                    .allMatch(node -> known(node, "pod=" + pod.key() + " memory=" + block.type()))) {
                continue;
            }
            if (block.numaNodes().size() == 1) {
                int node = block.numaNodes().first();
                split.take(block.type(), node, block.sizeBytes());
                placement.add(node, block.type(), block.sizeBytes());
                single.computeIfAbsent(block.type(), type -> new TreeMap<>())
                        .merge(node, block.sizeBytes(), Saturating::add);
            } else if (!block.numaNodes().isEmpty()) {
                shared.computeIfAbsent(block.type(), type -> new ArrayList<>()).add(block);
            }
        }
        shared.entrySet().removeIf(type -> {
            SortedMap<Integer, Long> parts = MemorySplit.kept(
                    earlier, type.getKey(), single.getOrDefault(type.getKey(), new TreeMap<>()), type.getValue());
            parts.forEach((node, part) -> split.take(type.getKey(), node, part));
            add(type.getKey(), parts, placement);
            return !parts.isEmpty();
        });
        return shared;
    }

    /** Memory of the pod as a whole, where the kubelet reports it, contains that of its containers. */
    private static List<MemoryBlock> memoryOf(PodAllocation pod) {
        if (!pod.memory().isEmpty()) {
            return pod.memory();
        }
        return pod.containers().stream()
                .flatMap(container -> container.memory().stream())
                .toList();
    }

    private static void add(String type, SortedMap<Integer, Long> parts, Placement.Builder placement) {
        parts.forEach((node, part) -> placement.add(node, type, part));
    }
}
