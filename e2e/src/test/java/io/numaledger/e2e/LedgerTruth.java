package io.numaledger.e2e;

import io.fabric8.kubernetes.api.model.Pod;
import io.numaledger.bridge.explain.NodeJson;
import io.numaledger.bridge.ledger.Ledger;
import io.numaledger.bridge.node.NodePicture;
import io.numaledger.placement.ContainerAllocation;
import io.numaledger.placement.DeviceAllocation;
import io.numaledger.placement.MemoryBlock;
import io.numaledger.simulator.cluster.SimCluster;
import io.numaledger.simulator.cluster.SimNode;
import io.numaledger.topology.CpuSet;
import io.numaledger.topology.NumaNode;

import java.util.ArrayList;
import java.util.List;
import java.util.SortedMap;
import java.util.TreeMap;
import java.util.stream.Stream;

/**
 * The bridge's ledger beside the kubelets' state files: what is free in each zone, of CPUs, memory, huge pages and devices.
 *
 * @param compared how many amounts of a zone
 * @param wrong where they differ, a sentence each
 * @param hidden where they differ by no more than what finished init containers keep, which podresources never show
 */
record LedgerTruth(int compared, List<String> wrong, List<String> hidden) {

    static LedgerTruth of(SimCluster cluster, Ledger ledger, List<Pod> pods) {
        LedgerTruth all = new LedgerTruth(0, new ArrayList<>(), new ArrayList<>());
        for (SimNode node : cluster.nodes()) {
            List<Pod> held = pods.stream()
                    .filter(pod -> node.name().equals(pod.getSpec().getNodeName()))
                    .filter(pod -> pod.getStatus().getPhase().equals("Running"))
                    .toList();
            NodePicture picture = ledger.picture(node.name()).orElseThrow();
            all = all.with(of(NodeTruth.read(node, held), held, picture));
        }
        return all;
    }

    private LedgerTruth with(LedgerTruth other) {
        return new LedgerTruth(
                compared + other.compared,
                Stream.concat(wrong.stream(), other.wrong.stream()).toList(),
                Stream.concat(hidden.stream(), other.hidden.stream()).toList());
    }

    private static LedgerTruth of(NodeTruth shown, List<Pod> pods, NodePicture picture) {
        List<ContainerAllocation> all = pods.stream()
                .flatMap(pod -> shown.state().ofPod(pod.getMetadata().getUid()).values().stream())
                .toList();
        SortedMap<Integer, SortedMap<String, Long>> truth = free(shown, all);
        SortedMap<Integer, SortedMap<String, Long>> asShown =
                free(shown, shown.held().values().stream().flatMap(List::stream).toList());
        List<String> wrong = new ArrayList<>();
        List<String> hidden = new ArrayList<>();
        int compared = 0;
        var kubelet = picture.model().kubelet().orElseThrow();
        for (NumaNode numaNode : kubelet.machine().topology().numaNodes()) {
            SortedMap<String, Long> ledger =
                    NodeJson.free(kubelet, picture.now().orElseThrow(), numaNode);
            for (var free : truth.get(numaNode.id()).entrySet()) {
                String resource = free.getKey();
                long said = ledger.getOrDefault(resource, 0L);
                compared++;
                if (said != free.getValue()) {
                    String sentence = "node=%s zone=%s resource=%s kubelet=%d ledger=%d"
                            .formatted(picture.name(), numaNode.zoneName(), resource, free.getValue(), said);
                    boolean mayHide = Math.abs(said - free.getValue()) <= kept(resource, truth, asShown);
                    (mayHide ? hidden : wrong).add(sentence);
                }
            }
        }
        return new LedgerTruth(compared, wrong, hidden);
    }

    /** What finished init containers keep of it on the node. */
    private static long kept(
            String resource,
            SortedMap<Integer, SortedMap<String, Long>> truth,
            SortedMap<Integer, SortedMap<String, Long>> shown) {
        return truth.entrySet().stream()
                .mapToLong(zone ->
                        shown.get(zone.getKey()).get(resource) - zone.getValue().get(resource))
                .sum();
    }

    /** NUMA node → resource → what these containers leave: milli-CPUs, bytes, devices. */
    private static SortedMap<Integer, SortedMap<String, Long>> free(NodeTruth node, List<ContainerAllocation> held) {
        SortedMap<Integer, SortedMap<String, Long>> free = new TreeMap<>();
        node.node().spec().machine().numaNodes().forEach(numaNode -> free.put(numaNode.id(), new TreeMap<>()));
        addCpus(node, held, free);
        addMemory(node, held, free);
        addDevices(node, held, free);
        return free;
    }

    private static void addCpus(
            NodeTruth node, List<ContainerAllocation> held, SortedMap<Integer, SortedMap<String, Long>> free) {
        CpuSet taken = held.stream().map(ContainerAllocation::cpus).reduce(CpuSet.EMPTY, CpuSet::union);
        CpuSet reserved = node.node().spec().kubelet().reservedSystemCpus();
        node.node()
                .spec()
                .machine()
                .numaNodes()
                .forEach(numaNode -> free.get(numaNode.id())
                        .put("cpu", numaNode.cpus().minus(reserved).minus(taken).size() * 1000L));
    }

    /** A block of several NUMA nodes fills the lowest first (pkg/kubelet/cm/memorymanager/policy_static.go). */
    private static void addMemory(
            NodeTruth node, List<ContainerAllocation> held, SortedMap<Integer, SortedMap<String, Long>> free) {
        node.state()
                .memory()
                .forEach((id, types) -> types.forEach((type, table) -> {
                    if (table.allocatable() > 0 || type.equals("memory")) {
                        free.get(id).put(type, table.allocatable());
                    }
                }));
        for (ContainerAllocation container : held) {
            for (MemoryBlock block : container.memory()) {
                long rest = block.sizeBytes();
                for (int id : block.numaNodes()) {
                    long part = Math.min(rest, free.get(id).getOrDefault(block.type(), 0L));
                    free.get(id).merge(block.type(), -part, Long::sum);
                    rest -= part;
                }
            }
        }
    }

    private static void addDevices(
            NodeTruth node, List<ContainerAllocation> held, SortedMap<Integer, SortedMap<String, Long>> free) {
        node.node().spec().devices().forEach(plugin -> plugin.devices().forEach(device -> count(device, 1, free)));
        held.forEach(container -> container.devices().forEach(device -> count(device, -1, free)));
    }

    private static void count(DeviceAllocation device, long by, SortedMap<Integer, SortedMap<String, Long>> free) {
        device.numaNodes().forEach(id -> free.get(id).merge(device.resource(), by, Long::sum));
    }
}
