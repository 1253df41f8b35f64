package io.numaledger.simulator.oracle;

import io.fabric8.kubernetes.api.model.Pod;
import io.numaledger.evaluation.snapshot.NodeSnapshot;
import io.numaledger.evaluation.snapshot.ZoneAmounts;
import io.numaledger.placement.ContainerAllocation;
import io.numaledger.placement.DeviceAllocation;
import io.numaledger.placement.MemoryBlock;
import io.numaledger.scheduling.state.ClusterState;
import io.numaledger.simulator.cluster.SimCluster;
import io.numaledger.simulator.cluster.SimNode;
import io.numaledger.topology.CpuSet;
import io.numaledger.topology.NumaNode;

import java.util.ArrayList;
import java.util.List;
import java.util.SortedMap;
import java.util.TreeMap;
import java.util.stream.Collectors;
import java.util.stream.Stream;

import static java.util.Objects.requireNonNull;

/**
 * Compares the bridge's cluster state with the kubelets' state files: what is free in each zone, of CPUs, memory, hugepages and
 * devices.
 *
 * @param compared the number of compared amounts
 * @param wrong the differences, one sentence each
 * @param hidden the differences that finished init containers explain: what they keep is not in the podresources API
 */
public record BridgeOracle(int compared, List<String> wrong, List<String> hidden) {

    public static BridgeOracle of(SimCluster cluster, ClusterState bridge, List<Pod> pods) {
        BridgeOracle all = new BridgeOracle(0, new ArrayList<>(), new ArrayList<>());
        for (SimNode node : cluster.nodes()) {
            List<Pod> held = pods.stream()
                    .filter(pod -> node.name().equals(pod.getSpec().getNodeName()))
                    .filter(pod -> pod.getStatus().getPhase().equals("Running"))
                    .toList();
            NodeSnapshot snapshot = bridge.snapshot(node.name()).orElseThrow();
            all = all.with(of(NodeOracle.read(node, held), held, snapshot));
        }
        return all;
    }

    /** For people: the counts, then one line for each hidden difference. */
    public String summary() {
        return Stream.concat(
                        Stream.of("measured: cluster state compared=%d wrong=%d hidden=%d"
                                .formatted(compared, wrong.size(), hidden.size())),
                        hidden.stream().map(sentence -> "measured: not shown by podresources: " + sentence))
                .collect(Collectors.joining("\n"));
    }

    private BridgeOracle with(BridgeOracle other) {
        return new BridgeOracle(
                compared + other.compared,
                Stream.concat(wrong.stream(), other.wrong.stream()).toList(),
                Stream.concat(hidden.stream(), other.hidden.stream()).toList());
    }

    private static BridgeOracle of(NodeOracle shown, List<Pod> pods, NodeSnapshot snapshot) {
        List<ContainerAllocation> all = pods.stream()
                .flatMap(pod -> shown.state().ofPod(pod.getMetadata().getUid()).values().stream())
                .toList();
        SortedMap<Integer, SortedMap<String, Long>> truth = free(shown, all);
        SortedMap<Integer, SortedMap<String, Long>> asShown =
                free(shown, shown.held().values().stream().flatMap(List::stream).toList());
        List<String> wrong = new ArrayList<>();
        List<String> hidden = new ArrayList<>();
        int compared = 0;
        var kubelet = snapshot.model().kubelet().orElseThrow();
        for (NumaNode numaNode : kubelet.machine().topology().numaNodes()) {
            SortedMap<String, Long> known =
                    ZoneAmounts.free(kubelet, snapshot.now().orElseThrow(), numaNode);
            for (var free : requireNonNull(truth.get(numaNode.id())).entrySet()) {
                String resource = free.getKey();
                long said = known.getOrDefault(resource, 0L);
                compared++;
                if (said != free.getValue()) {
                    String sentence = "node=%s zone=%s resource=%s kubelet=%d bridge=%d"
                            .formatted(snapshot.name(), numaNode.zoneName(), resource, free.getValue(), said);
                    boolean mayHide = Math.abs(said - free.getValue()) <= kept(resource, truth, asShown);
                    (mayHide ? hidden : wrong).add(sentence);
                }
            }
        }
        return new BridgeOracle(compared, wrong, hidden);
    }

    /** What finished init containers keep of a resource on the node, of which some zones may have none. */
    private static long kept(
            String resource,
            SortedMap<Integer, SortedMap<String, Long>> truth,
            SortedMap<Integer, SortedMap<String, Long>> shown) {
        return truth.entrySet().stream()
                .mapToLong(zone -> requireNonNull(shown.get(zone.getKey())).getOrDefault(resource, 0L)
                        - zone.getValue().getOrDefault(resource, 0L))
                .sum();
    }

    /** NUMA node → resource → what these containers leave free: milli-CPUs, bytes, devices. */
    private static SortedMap<Integer, SortedMap<String, Long>> free(NodeOracle node, List<ContainerAllocation> held) {
        SortedMap<Integer, SortedMap<String, Long>> free = new TreeMap<>();
        node.node().spec().machine().numaNodes().forEach(numaNode -> free.put(numaNode.id(), new TreeMap<>()));
        addCpus(node, held, free);
        addMemory(node, held, free);
        addDevices(node, held, free);
        return free;
    }

    private static void addCpus(
            NodeOracle node, List<ContainerAllocation> held, SortedMap<Integer, SortedMap<String, Long>> free) {
        CpuSet taken = held.stream().map(ContainerAllocation::cpus).reduce(CpuSet.EMPTY, CpuSet::union);
        CpuSet reserved = node.node().spec().kubelet().reservedSystemCpus();
        node.node()
                .spec()
                .machine()
                .numaNodes()
                .forEach(numaNode -> requireNonNull(free.get(numaNode.id()))
                        .put("cpu", numaNode.cpus().minus(reserved).minus(taken).size() * 1000L));
    }

    /** A block of several NUMA nodes fills the lowest first (pkg/kubelet/cm/memorymanager/policy_static.go). */
    private static void addMemory(
            NodeOracle node, List<ContainerAllocation> held, SortedMap<Integer, SortedMap<String, Long>> free) {
        node.state()
                .memory()
                .forEach((id, types) -> types.forEach((type, table) -> {
                    if (table.allocatable() > 0 || type.equals("memory")) {
                        requireNonNull(free.get(id)).put(type, table.allocatable());
                    }
                }));
        for (ContainerAllocation container : held) {
            for (MemoryBlock block : container.memory()) {
                long rest = block.sizeBytes();
                for (int id : block.numaNodes()) {
                    long part = Math.min(rest, requireNonNull(free.get(id)).getOrDefault(block.type(), 0L));
                    free.get(id).merge(block.type(), -part, Long::sum);
                    rest -= part;
                }
            }
        }
    }

    private static void addDevices(
            NodeOracle node, List<ContainerAllocation> held, SortedMap<Integer, SortedMap<String, Long>> free) {
        node.node().spec().devices().forEach(plugin -> plugin.devices().forEach(device -> count(device, 1, free)));
        held.forEach(container -> container.devices().forEach(device -> count(device, -1, free)));
    }

    private static void count(DeviceAllocation device, long by, SortedMap<Integer, SortedMap<String, Long>> free) {
        device.numaNodes().forEach(id -> requireNonNull(free.get(id)).merge(device.resource(), by, Long::sum));
    }
}
