package io.numaledger.agent.run;

import io.numaledger.agent.sysfs.NodeProbe;
import io.numaledger.annotation.PodRecords;
import io.numaledger.placement.AllocatableResources;
import io.numaledger.placement.DeviceAllocation;
import io.numaledger.placement.KaiPlacement;
import io.numaledger.placement.MemoryBlock;
import io.numaledger.placement.Placement;
import io.numaledger.placement.PlacementObserver;
import io.numaledger.placement.PodAllocation;
import io.numaledger.topology.MachineTopology;
import io.numaledger.topology.NumaNode;

import java.util.ArrayList;
import java.util.IdentityHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.SortedMap;
import java.util.SortedSet;
import java.util.TreeMap;
import java.util.TreeSet;

/** Makes one observation after the other. What follows from a pod alone is kept while the pod is the same object. */
final class Observations {

    private final boolean kaiStrict;
    private Optional<Machine> last = Optional.empty();
    private IdentityHashMap<PodAllocation, Pod> known = new IdentityHashMap<>();

    private record Machine(MachineTopology machine, List<MemoryBlock> memory, PlacementObserver observer) {}

    private record Pod(Placement placement, Placement annotated, PodRecords records) {}

    Observations(boolean kaiStrict) {
        this.kaiStrict = kaiStrict;
    }

    /** @param earlier pod key → what was recorded of that pod before */
    Observation observe(NodeProbe.Reading reading, KubeletAnswer kubelet, Map<String, Placement> earlier) {
        MachineTopology machine = reading.machine();
        PlacementObserver observer = observer(
                machine, kubelet.allocatable().map(AllocatableResources::memory).orElseGet(() -> memoryOf(machine)));
        List<PodAllocation> pods = kubelet.held().pods();
        List<Placement> placements = observer.observe(pods, earlier);
        List<Placement> annotated = new ArrayList<>();
        SortedMap<String, List<PodRecords>> byPod = new TreeMap<>();
        IdentityHashMap<PodAllocation, Pod> now = new IdentityHashMap<>();
        for (int i = 0; i < pods.size(); i++) {
            PodAllocation pod = pods.get(i);
            Placement placement = placements.get(i);
            Pod same = known.get(pod);
            Pod current = same != null && same.placement().equals(placement) ? same : pod(machine, pod, placement);
            now.put(pod, current);
            annotated.add(current.annotated());
            byPod.computeIfAbsent(pod.key(), key -> new ArrayList<>()).add(current.records());
        }
        known = now;
        SortedSet<String> warnings = new TreeSet<>(observer.warnings());
        kubelet.allocatable().ifPresent(all -> warnings.addAll(impossibleDevices(machine, all.devices())));
        return new Observation(reading, kubelet, placements, annotated, byPod, kaiStrict, warnings);
    }

    private PlacementObserver observer(MachineTopology machine, List<MemoryBlock> memory) {
        if (last.filter(before ->
                        before.machine().equals(machine) && before.memory().equals(memory))
                .isEmpty()) {
            last = Optional.of(new Machine(machine, memory, new PlacementObserver(machine, memory)));
            known = new IdentityHashMap<>();
        }
        return last.orElseThrow().observer();
    }

    private Pod pod(MachineTopology machine, PodAllocation pod, Placement placement) {
        Placement annotated = kaiStrict ? kai(machine, pod) : placement;
        return new Pod(placement, annotated, Observation.records(annotated, pod, kaiStrict));
    }

    /** Tests may omit the report; KAI's placement is then empty. */
    private static Placement kai(MachineTopology machine, PodAllocation pod) {
        return pod.reported()
                .map(reported -> KaiPlacement.of(machine, reported))
                .orElse(Placement.EMPTY);
    }

    private static List<MemoryBlock> memoryOf(MachineTopology machine) {
        List<MemoryBlock> blocks = new ArrayList<>();
        for (NumaNode node : machine.numaNodes()) {
            node.memoryBytes().ifPresent(bytes -> blocks.add(new MemoryBlock("memory", bytes, List.of(node.id()))));
        }
        return blocks;
    }

    /** A sentence for each resource with devices that are only on NUMA nodes that the machine does not have. */
    private static List<String> impossibleDevices(MachineTopology machine, List<DeviceAllocation> devices) {
        SortedMap<String, SortedSet<Integer>> numaNodes = new TreeMap<>();
        SortedMap<String, Integer> counts = new TreeMap<>();
        devices.stream()
                .filter(device -> !device.numaNodes().isEmpty()
                        && device.numaNodes().stream()
                                .noneMatch(id -> machine.numaNode(id).isPresent()))
                .forEach(device -> {
                    counts.merge(device.resource(), 1, Integer::sum);
                    numaNodes
                            .computeIfAbsent(device.resource(), any -> new TreeSet<>())
                            .addAll(device.numaNodes());
                });
        return counts.entrySet().stream()
                .map(each ->
                        "a device plugin reports NUMA nodes that this machine does not have: resource=%s numaNodes=%s devices=%d; the kubelet refuses pods that request them under the policies restricted and single-numa-node: correct the plugin"
                                .formatted(each.getKey(), numaNodes.get(each.getKey()), each.getValue()))
                .toList();
    }
}
