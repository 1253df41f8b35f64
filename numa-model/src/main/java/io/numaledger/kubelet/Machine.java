package io.numaledger.kubelet;

import io.numaledger.kubelet.device.Device;
import io.numaledger.kubelet.device.DevicePreference;
import io.numaledger.topology.LogicalCpu;
import io.numaledger.topology.MachineTopology;
import io.numaledger.topology.NumaNode;
import io.numaledger.topology.Sorted;

import java.util.Collections;
import java.util.List;
import java.util.OptionalInt;
import java.util.SortedMap;
import java.util.TreeMap;
import java.util.stream.Collectors;

/**
 * One machine with the devices of its device plugins, as device plugins report them to the kubelet.
 *
 * @param devices resource → its devices
 * @param preferences resource → how its plugin prefers them, where that is known
 */
public record Machine(
        MachineTopology topology,
        SortedMap<String, List<Device>> devices,
        SortedMap<String, DevicePreference> preferences) {

    public Machine {
        SortedMap<String, List<Device>> copy = new TreeMap<>();
        devices.forEach((resource, list) -> copy.put(resource, List.copyOf(list)));
        devices = Collections.unmodifiableSortedMap(copy);
        preferences = Sorted.sorted(preferences);
    }

    /** A machine whose device plugins have no preference that is known. */
    public Machine(MachineTopology topology, SortedMap<String, List<Device>> devices) {
        this(topology, devices, Collections.emptySortedMap());
    }

    public Machine withPreferences(SortedMap<String, DevicePreference> known) {
        return new Machine(topology, devices, known);
    }

    /** A machine without device plugins. */
    public static Machine of(MachineTopology topology) {
        return new Machine(topology, Collections.emptySortedMap());
    }

    /**
     * The machine as the kubelet sees it, from what was probed: an L3 cache that covers exactly one NUMA node is
     * reported with the node and not with its cores, so that the kubelet takes the socket instead (cadvisor,
     * addCacheInfo).
     */
    public static Machine probed(MachineTopology topology, SortedMap<String, List<Device>> devices) {
        var cpusByCache = topology.cpus().stream()
                .filter(cpu -> cpu.l3Cache().isPresent())
                .collect(Collectors.groupingBy(
                        cpu -> cpu.l3Cache().getAsInt(), Collectors.mapping(LogicalCpu::id, Collectors.toSet())));
        var wholeNodes = topology.numaNodes().stream()
                .map(NumaNode::cpus)
                .map(cpus -> cpus.ids().boxed().collect(Collectors.toSet()))
                .toList();
        List<LogicalCpu> cpus = topology.cpus().stream()
                .map(cpu -> cpu.l3Cache().isPresent()
                                && wholeNodes.contains(
                                        cpusByCache.get(cpu.l3Cache().getAsInt()))
                        ? new LogicalCpu(cpu.id(), cpu.socket(), cpu.core(), OptionalInt.empty())
                        : cpu)
                .toList();
        return new Machine(new MachineTopology(topology.onlineCpus(), topology.numaNodes(), cpus), devices);
    }
}
