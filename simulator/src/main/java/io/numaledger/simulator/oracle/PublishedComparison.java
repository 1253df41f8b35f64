package io.numaledger.simulator.oracle;

import io.fabric8.kubernetes.api.model.Pod;
import io.fabric8.kubernetes.client.utils.Serialization;
import io.numaledger.annotation.Annotations;
import io.numaledger.annotation.ObservedPlacementText;
import io.numaledger.nrt.NodeTopology;
import io.numaledger.nrt.NodeTopologyJson;
import io.numaledger.placement.DeviceAllocation;
import io.numaledger.placement.MemoryBlock;
import io.numaledger.placement.Placement;
import io.numaledger.simulator.cluster.SimCluster;
import io.numaledger.simulator.cluster.SimNode;
import io.numaledger.simulator.hardware.KubeletSpec;
import io.numaledger.topology.CpuSet;
import io.numaledger.topology.NumaNode;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.Set;
import java.util.SortedMap;
import java.util.SortedSet;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.function.ToLongFunction;

/** Compares what the agents of a cluster have published with what the state files of its kubelets say. */
public final class PublishedComparison {

    private final SimCluster cluster;
    private final Set<String> unhealthy = new HashSet<>();
    private final SortedSet<String> leftOut = new TreeSet<>();

    public PublishedComparison(SimCluster cluster) {
        this.cluster = cluster;
    }

    /** From now on these devices, each as {@code node/id}, are expected to be unhealthy. */
    public void expectUnhealthy(Set<String> devices) {
        unhealthy.clear();
        unhealthy.addAll(devices);
    }

    /** What could not be compared so far, one sentence each. */
    public SortedSet<String> leftOut() {
        return leftOut;
    }

    /** The differences on all nodes, one sentence each; empty if all is equal. */
    public List<String> differences() {
        List<Pod> all = cluster.client().pods().inAnyNamespace().list().getItems();
        List<String> differences = new ArrayList<>();
        for (SimNode node : cluster.nodes()) {
            List<Pod> pods = all.stream()
                    .filter(pod -> node.name().equals(pod.getSpec().getNodeName()))
                    .filter(pod -> !Set.of("Succeeded", "Failed")
                            .contains(pod.getStatus().getPhase()))
                    .toList();
            NodeOracle truth = NodeOracle.read(node, pods);
            leftOut.addAll(truth.leftOut());
            pods.forEach(pod -> compareAnnotation(truth, pod, differences));
            compareTopology(truth, differences);
        }
        return differences;
    }

    private static void compareAnnotation(NodeOracle truth, Pod pod, List<String> differences) {
        String uid = pod.getMetadata().getUid();
        String where = "node=%s pod=%s"
                .formatted(truth.node().name(), pod.getMetadata().getName());
        Placement observed = Optional.ofNullable(pod.getMetadata().getAnnotations())
                .map(annotations -> annotations.get(Annotations.OBSERVED))
                .map(ObservedPlacementText::read)
                .orElse(Placement.EMPTY);
        SortedMap<String, SortedMap<Integer, Long>> expected = NodeOracle.countByNumaNode(truth.devices(uid));
        expected.put("cpu", truth.cpus(uid));
        List<MemoryBlock> memory = truth.memory(uid);
        TreeSet<String> types =
                new TreeSet<>(memory.stream().map(MemoryBlock::type).toList());
        Set<String> resources = new TreeSet<>(expected.keySet());
        observed.zones()
                .values()
                .forEach(amounts -> resources.addAll(amounts.byResource().keySet()));
        resources.removeAll(types);
        for (String resource : resources) {
            same(
                    where + " " + resource,
                    expected.getOrDefault(resource, new TreeMap<>()),
                    perZone(observed, resource),
                    differences);
        }
        for (String type : types) {
            Map<SortedSet<Integer>, Long> groups = NodeOracle.byGroup(type, memory);
            groups.forEach((zones, bytes) -> same(
                    where + " " + type + "@" + zones,
                    bytes,
                    zones.stream()
                            .mapToLong(zone -> observed.on(zone).get(type))
                            .sum(),
                    differences));
            same(
                    where + " all " + type,
                    groups.values().stream().mapToLong(Long::longValue).sum(),
                    perZone(observed, type).values().stream()
                            .mapToLong(Long::longValue)
                            .sum(),
                    differences);
        }
    }

    private static SortedMap<Integer, Long> perZone(Placement placement, String resource) {
        SortedMap<Integer, Long> amounts = new TreeMap<>();
        placement.zones().forEach((zone, held) -> {
            if (held.get(resource) != 0) {
                amounts.put(zone, held.get(resource));
            }
        });
        return amounts;
    }

    private void compareTopology(NodeOracle truth, List<String> differences) {
        String name = truth.node().name();
        Optional<NodeTopology> published = published(name);
        if (published.isEmpty()) {
            differences.add("node=%s has no NodeResourceTopology".formatted(name));
            return;
        }
        SortedMap<Integer, NodeTopology.Zone> zones = published.get().numaZones();
        List<NumaNode> numaNodes = truth.node().spec().machine().numaNodes();
        same(
                "node=" + name + " zones",
                numaNodes.stream().map(NumaNode::id).toList(),
                List.copyOf(zones.keySet()),
                differences);
        KubeletSpec kubelet = truth.node().spec().kubelet();
        same(
                "node=" + name + " policy",
                kubelet.topologyManager().policy().toString(),
                published.get().attributes().getOrDefault("topologyManagerPolicy", "-"),
                differences);
        same(
                "node=" + name + " scope",
                kubelet.topologyManager().scope().toString(),
                published.get().attributes().getOrDefault("topologyManagerScope", "-"),
                differences);
        Expected expected = new Expected();
        if (kubelet.staticCpus()) {
            expectCpus(truth, expected);
        }
        expectDevices(truth, expected);
        Set<String> memoryTypes = new TreeSet<>();
        truth.state().memory().values().forEach(types -> memoryTypes.addAll(types.keySet()));
        zones.forEach((id, zone) -> {
            TreeMap<String, NodeTopology.ZoneResource> rest = new TreeMap<>(zone.resources());
            rest.keySet().removeAll(memoryTypes);
            same("node=%s zone=%d".formatted(name, id), expected.of(id), rest, differences);
        });
        compareMemory(truth, zones, memoryTypes, differences);
    }

    /** The published topology of a node. */
    public Optional<NodeTopology> published(String node) {
        return Optional.ofNullable(cluster.client()
                        .genericKubernetesResources(NodeTopology.API_VERSION, NodeTopology.KIND)
                        .withName(node)
                        .get())
                .map(found -> {
                    try {
                        return NodeTopologyJson.read(Serialization.asJson(found));
                    } catch (IOException cause) {
                        throw new UncheckedIOException(cause);
                    }
                });
    }

    /** The CPUs and devices that each zone must have. */
    private static final class Expected {

        private final SortedMap<Integer, SortedMap<String, NodeTopology.ZoneResource>> zones = new TreeMap<>();

        void put(int zone, String resource, long capacity, long allocatable, long available) {
            if (capacity > 0) {
                of(zone).put(resource, new NodeTopology.ZoneResource(capacity, allocatable, available));
            }
        }

        SortedMap<String, NodeTopology.ZoneResource> of(int zone) {
            return zones.computeIfAbsent(zone, id -> new TreeMap<>());
        }
    }

    private static void expectCpus(NodeOracle truth, Expected expected) {
        CpuSet reserved = truth.node().spec().kubelet().reservedSystemCpus();
        SortedMap<Integer, Long> held = truth.byNumaNode(truth.cpusOfAll().minus(reserved));
        for (NumaNode numaNode : truth.node().spec().machine().numaNodes()) {
            long allocatable = 1000L * numaNode.cpus().minus(reserved).size();
            expected.put(
                    numaNode.id(),
                    "cpu",
                    1000L * numaNode.cpus().size(),
                    allocatable,
                    allocatable - held.getOrDefault(numaNode.id(), 0L));
        }
    }

    /** An unhealthy device counts as capacity only while a container holds it. */
    private void expectDevices(NodeOracle truth, Expected expected) {
        Set<DeviceAllocation> held = truth.devicesOfAll();
        List<DeviceAllocation> all = truth.node().spec().devices().stream()
                .flatMap(plugin -> plugin.devices().stream())
                .toList();
        List<DeviceAllocation> healthy = all.stream()
                .filter(device -> !unhealthy.contains(truth.node().name() + "/" + device.deviceId()))
                .toList();
        var capacity = NodeOracle.countByNumaNode(all.stream()
                .filter(device -> healthy.contains(device) || held.contains(device))
                .toList());
        var allocatable = NodeOracle.countByNumaNode(healthy);
        var available = NodeOracle.countByNumaNode(
                healthy.stream().filter(device -> !held.contains(device)).toList());
        capacity.forEach((resource, zones) -> zones.forEach((zone, count) -> expected.put(
                zone, resource, count, count(allocatable, resource, zone), count(available, resource, zone))));
    }

    private static long count(SortedMap<String, SortedMap<Integer, Long>> counts, String resource, int zone) {
        return counts.getOrDefault(resource, new TreeMap<>()).getOrDefault(zone, 0L);
    }

    private static void compareMemory(
            NodeOracle truth,
            SortedMap<Integer, NodeTopology.Zone> zones,
            Set<String> types,
            List<String> differences) {
        for (String type : types) {
            TreeMap<Integer, Long> allocatable = new TreeMap<>();
            truth.state().memory().forEach((id, tables) -> {
                if (tables.containsKey(type)) {
                    allocatable.put(id, tables.get(type).allocatable());
                }
            });
            Map<SortedSet<Integer>, Long> held = NodeOracle.byGroup(type, truth.memoryOfAll());
            allocatable.keySet().stream()
                    .filter(id -> held.keySet().stream().noneMatch(group -> group.contains(id)))
                    .forEach(id -> held.put(new TreeSet<>(Set.of(id)), 0L));
            held.forEach((group, bytes) -> {
                String where = "node=%s %s@%s".formatted(truth.node().name(), type, group);
                long all = group.stream().mapToLong(id -> allocatable.get(id)).sum();
                same(
                        where + " allocatable",
                        all,
                        sum(zones, group, type, NodeTopology.ZoneResource::allocatable),
                        differences);
                same(
                        where + " available",
                        all - bytes,
                        sum(zones, group, type, NodeTopology.ZoneResource::available),
                        differences);
            });
        }
    }

    private static long sum(
            SortedMap<Integer, NodeTopology.Zone> zones,
            SortedSet<Integer> group,
            String type,
            ToLongFunction<NodeTopology.ZoneResource> amount) {
        return group.stream()
                .map(id -> zones.get(id))
                .filter(Objects::nonNull)
                .map(zone -> zone.resources().get(type))
                .filter(Objects::nonNull)
                .mapToLong(amount)
                .sum();
    }

    private static void same(String what, Object truth, Object published, List<String> differences) {
        if (!truth.equals(published)) {
            differences.add("%s: the kubelet has %s, published is %s".formatted(what, truth, published));
        }
    }
}
