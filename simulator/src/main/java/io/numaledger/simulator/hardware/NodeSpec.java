package io.numaledger.simulator.hardware;

import io.numaledger.topology.CpuSet;
import io.numaledger.topology.MachineTopology;

import java.util.Comparator;
import java.util.List;
import java.util.Optional;
import java.util.SortedMap;
import java.util.TreeMap;
import java.util.regex.Pattern;

import static io.numaledger.topology.Sorted.sorted;

/**
 * One node of a simulated cluster: its hardware, and how its kubelet is configured. {@link NodeSpecYaml} reads it.
 *
 * @param name a Kubernetes node name
 * @param kubeletVersion {@code major.minor}, such as {@code 1.36}; empty: that of the cluster
 * @param numaNodes one or more, by ascending id
 * @param distances NUMA node id → NUMA node id → distance, a full square; 10 is local
 */
public record NodeSpec(
        String name,
        KubeletSpec kubelet,
        Optional<String> kubeletVersion,
        List<NumaNodeSpec> numaNodes,
        SortedMap<Integer, SortedMap<Integer, Integer>> distances,
        List<DevicePluginSpec> devices,
        List<DraDriverSpec> draDrivers) {

    /** As many as Linux can be built for. Each has files in the simulated hardware. */
    static final int MAX_CPUS = 8192;

    /** Of all resources. */
    static final int MAX_DEVICES = 1 << 16;

    private static final Pattern NAME = Pattern.compile("[a-z0-9]([-a-z0-9.]{0,251}[a-z0-9])?");
    private static final Pattern VERSION = Pattern.compile("1\\.[0-9]{2}");

    private static final int LOCAL = 10;
    private static final int SAME_SOCKET = 12;
    private static final int OTHER_SOCKET = 21;

    public NodeSpec {
        require(NAME.matcher(name).matches(), "name", name, "a lower-case DNS name");
        kubeletVersion.ifPresent(
                version -> require(VERSION.matcher(version).matches(), "kubeletVersion", version, "such as 1.36"));
        numaNodes = numaNodes.stream()
                .sorted(Comparator.comparingInt(NumaNodeSpec::id))
                .toList();
        require(!numaNodes.isEmpty(), "numaNodes", "[]", "one NUMA node or more");
        require(numaNodes.stream().anyMatch(node -> node.cores() > 0), "cores", "0", "a CPU somewhere in the node");
        long cpus = numaNodes.stream().mapToLong(NumaNodeSpec::cpuCount).sum();
        require(cpus <= MAX_CPUS, "cpus", cpus, "at most %d in all NUMA nodes".formatted(MAX_CPUS));
        List<Integer> ids = numaNodes.stream().map(NumaNodeSpec::id).toList();
        require(ids.stream().distinct().count() == ids.size(), "numaNodes", ids, "each id once");
        require(
                numaNodes.stream().noneMatch(node -> node.layout().isPresent())
                        || numaNodes.stream().allMatch(node -> node.layout().isPresent() || node.cores() == 0),
                "coreCpus",
                "of some NUMA nodes",
                "it for each NUMA node with CPUs, or for none");
        List<CpuSet> layouts = numaNodes.stream()
                .flatMap(node -> node.layout().stream())
                .map(CpuLayout::cpus)
                .toList();
        require(
                layouts.stream().reduce(CpuSet.EMPTY, CpuSet::union).size()
                        == layouts.stream().mapToInt(CpuSet::size).sum(),
                "coreCpus",
                layouts,
                "each CPU in one NUMA node");
        distances = sorted(distances);
        for (int id : ids) {
            SortedMap<Integer, Integer> row = distances.getOrDefault(id, new TreeMap<>());
            require(
                    List.copyOf(row.keySet()).equals(ids),
                    "distances",
                    row.values(),
                    "one number for each of the NUMA nodes " + ids);
        }
        devices = devices.stream()
                .sorted(Comparator.comparing(DevicePluginSpec::resource))
                .toList();
        draDrivers = List.copyOf(draDrivers);
        List<String> drivers = draDrivers.stream().map(DraDriverSpec::driver).toList();
        require(drivers.stream().distinct().count() == drivers.size(), "draDrivers", drivers, "each driver once");
    }

    /** The topology that the hardware tree of this node shows, CPUs numbered as Linux numbers them. */
    public MachineTopology machine() {
        return CpuNumbering.machine(this);
    }

    /** The same node with its kubelet configured otherwise. */
    public NodeSpec withKubelet(KubeletSpec other) {
        return new NodeSpec(name, other, kubeletVersion, numaNodes, distances, devices, draDrivers);
    }

    /** The same node with another kubelet of this version. */
    public NodeSpec withKubelet(KubeletSpec other, String version) {
        return new NodeSpec(name, other, Optional.of(version), numaNodes, distances, devices, draDrivers);
    }

    /** The same node with a kubelet of this version, if it names none. */
    public NodeSpec orKubeletVersion(String version) {
        return new NodeSpec(
                name, kubelet, Optional.of(kubeletVersion.orElse(version)), numaNodes, distances, devices, draDrivers);
    }

    /** 10 to itself, 12 within a socket, 21 to another socket. */
    static SortedMap<Integer, SortedMap<Integer, Integer>> defaultDistances(List<NumaNodeSpec> numaNodes) {
        SortedMap<Integer, SortedMap<Integer, Integer>> rows = new TreeMap<>();
        for (NumaNodeSpec from : numaNodes) {
            SortedMap<Integer, Integer> row = new TreeMap<>();
            numaNodes.forEach(to -> row.put(to.id(), defaultDistance(from, to)));
            rows.put(from.id(), row);
        }
        return rows;
    }

    private static int defaultDistance(NumaNodeSpec from, NumaNodeSpec to) {
        if (from.id() == to.id()) {
            return LOCAL;
        }
        return from.socket() == to.socket() ? SAME_SOCKET : OTHER_SOCKET;
    }

    private static void require(boolean holds, String field, Object value, String expected) {
        if (!holds) {
            throw new IllegalArgumentException("not a node: %s=%s; expected %s".formatted(field, value, expected));
        }
    }
}
