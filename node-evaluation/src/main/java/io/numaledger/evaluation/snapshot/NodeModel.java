package io.numaledger.evaluation.snapshot;

import io.numaledger.evaluation.facts.NodeFacts;
import io.numaledger.evaluation.snapshot.Assumption.Kind;
import io.numaledger.kubelet.KubeletModel;
import io.numaledger.kubelet.config.CpuManagerConfig;
import io.numaledger.kubelet.config.CpuPolicy;
import io.numaledger.kubelet.config.KubeletConfig;
import io.numaledger.kubelet.config.KubeletVersion;
import io.numaledger.kubelet.config.MemoryManagerConfig;
import io.numaledger.kubelet.config.MemoryPolicy;
import io.numaledger.kubelet.config.StartupRefusedException;
import io.numaledger.kubelet.config.TopologyManagerConfig;
import io.numaledger.kubelet.config.TopologyPolicyName;
import io.numaledger.kubelet.config.TopologyScope;
import io.numaledger.nrt.KubeletSettings;
import io.numaledger.nrt.NodeTopology;
import io.numaledger.nrt.NodeTopology.Zone;
import io.numaledger.nrt.NodeTopology.ZoneResource;
import io.numaledger.nrt.TopologyAttributes;
import io.numaledger.nrt.ZoneAttributes;
import io.numaledger.resource.Hugepages;
import io.numaledger.resource.ResourceKind;
import io.numaledger.topology.CpuSet;
import io.numaledger.topology.NumaNode;
import io.numaledger.topology.Sorted;

import java.time.Instant;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.Set;
import java.util.SortedMap;
import java.util.SortedSet;
import java.util.TreeMap;
import java.util.TreeSet;

import static java.util.Objects.requireNonNull;

/**
 * The kubelet model of one node, built from its Node and NodeResourceTopology objects.
 *
 * @param kubelet absent if nothing is known of the node's zones, or the node is not modelled
 * @param unmodelled why there is no kubelet model; absent where there is one
 * @param assumptions what is assumed because it is not published
 */
public record NodeModel(
        Optional<KubeletModel> kubelet, Optional<Unmodelled> unmodelled, SortedSet<Assumption> assumptions) {

    private static final String MEMORY = "memory";
    private static final String RESOURCE = "resource=";
    private static final int DEFAULT_MAX_NUMA_NODES = 8;

    /** The first minor release of kube-scheduler that tries devices in a known order. */
    private static final int FIRST_ORDERED = 36;

    /** Five times as many as those of 64 zones with 1024 CPUs have. Equal nodes share models, which are kept by their topology. */
    private static final int MAX_CHARACTERS = 512 << 10;

    /** How many device resources are tried to be left out one by one; each costs a model. */
    private static final int MAX_SINGLE_DEVICES = 16;

    public NodeModel {
        assumptions = Sorted.sortedSet(assumptions);
    }

    /** Whether kube-scheduler tries pools and slices in the order of their names. No kubelet is newer than its control plane. */
    public boolean allocatesInOrder() {
        return kubelet.filter(known -> known.rules().version().minor() >= FIRST_ORDERED)
                .isPresent();
    }

    /** A node without a model. */
    public static NodeModel unknown(Unmodelled.Kind kind, String why) {
        return new NodeModel(Optional.empty(), Optional.of(new Unmodelled(kind, why)), Collections.emptySortedSet());
    }

    /** A node whose NodeResourceTopology is too old. */
    public static NodeModel outdated(Instant updatedAt) {
        return unknown(
                Unmodelled.Kind.OUTDATED,
                "the NodeResourceTopology is older than --foreign-topology-max-age: it was last written at %s; check the exporter on this node"
                        .formatted(updatedAt));
    }

    /**
     * Builds the model, or returns the reason why there is none. Never throws, whatever the objects contain. If the amounts of a
     * resource other than CPUs make no sense, the model leaves it out and tells only about the rest.
     */
    public static NodeModel of(NodeFacts node, Optional<NodeTopology> topology, SnapshotSettings settings) {
        if (topology.isEmpty() || topology.get().zones().isEmpty()) {
            return unknown(Unmodelled.Kind.NO_ZONES, "no zones are published; check that the agent runs on this node");
        }
        long characters = topology.get().characters();
        if (characters > MAX_CHARACTERS) {
            return unknown(
                    Unmodelled.Kind.INCONSISTENT,
                    "the NodeResourceTopology is too large: characters=%d, expected at most %d; check the exporter"
                            .formatted(characters, MAX_CHARACTERS));
        }
        if (topology.get().numaZones().isEmpty()) {
            return unknown(
                    Unmodelled.Kind.INCONSISTENT,
                    "the published zones are not named node-0, node-1, and so on: zone=%s; check the exporter"
                            .formatted(topology.get().zones().get(0).name()));
        }
        NodeModel all = of(node, topology.get(), settings, Collections.emptySortedSet());
        if (all.kubelet().isPresent() || all.isUnsupported()) {
            return all;
        }
        return setsToLeaveOut(topology.get()).stream()
                .map(left -> of(node, topology.get(), settings, left))
                .filter(partial -> partial.kubelet().isPresent())
                .findFirst()
                .orElse(all);
    }

    /** The sets of resources that may be left out so that the rest makes sense, the least first; never CPUs. */
    private static List<SortedSet<String>> setsToLeaveOut(NodeTopology topology) {
        SortedSet<String> hugepages = new TreeSet<>();
        SortedSet<String> devices = new TreeSet<>();
        SortedSet<String> unreadable = new TreeSet<>();
        topology.numaZones().values().forEach(zone -> {
            hugepages.addAll(zone.resources().keySet());
            hugepages.addAll(zone.attributes().keySet());
            devices.addAll(zone.resources().keySet());
            zone.resources().forEach((name, amounts) -> {
                if (!amounts.isReadable()) {
                    unreadable.add(name);
                }
            });
        });
        hugepages.removeIf(name -> !Hugepages.isResource(name));
        devices.removeIf(name -> ResourceKind.of(name) != ResourceKind.DEVICE);
        SortedSet<String> memory = new TreeSet<>(hugepages);
        memory.add(MEMORY);
        List<SortedSet<String>> sets = new ArrayList<>();
        sets.add(unreadable);
        devices.stream().limit(MAX_SINGLE_DEVICES).forEach(device -> sets.add(new TreeSet<>(Set.of(device))));
        sets.add(hugepages);
        sets.add(memory);
        sets.add(new TreeSet<>(devices));
        SortedSet<String> allButCpus = new TreeSet<>(memory);
        allButCpus.addAll(devices);
        sets.add(allButCpus);
        sets.forEach(set -> set.addAll(unreadable));
        sets.removeIf(set -> set.contains("cpu"));
        return sets;
    }

    private static NodeModel of(
            NodeFacts node, NodeTopology topology, SnapshotSettings settings, SortedSet<String> leftOut) {
        try {
            return started(node, topology, settings, leftOut, false);
        } catch (IllegalArgumentException | ArithmeticException | StartupRefusedException e) {
            return unknown(
                    Unmodelled.Kind.INCONSISTENT,
                    "the published topology is inconsistent: %s; check the exporter".formatted(e.getMessage()));
        }
    }

    /**
     * The model of a kubelet that is to start with another configuration than it runs with.
     *
     * @param node as its kubelet would report it then
     * @param topology as its agent would publish it then
     * @param leftOut the resources that the model of the running kubelet leaves out
     * @throws StartupRefusedException with the kubelet's message, when it would not start
     * @throws IllegalArgumentException if amounts make no sense
     */
    public static NodeModel changed(
            NodeFacts node, NodeTopology topology, SnapshotSettings settings, SortedSet<String> leftOut) {
        return started(node, topology, settings, leftOut, true);
    }

    private static NodeModel started(
            NodeFacts node,
            NodeTopology topology,
            SnapshotSettings settings,
            SortedSet<String> leftOut,
            boolean changed) {
        TreeSet<Assumption> assumptions = new TreeSet<>();
        leftOut.forEach(resource -> assumptions.add(Assumption.of(Kind.RESOURCE_LEFT_OUT, RESOURCE + resource)));
        KubeletModel model = start(node, without(topology, leftOut), settings, leftOut, assumptions, changed);
        if (model.unsupported().isPresent()) {
            return unknown(
                    Unmodelled.Kind.UNSUPPORTED,
                    "the machine is not modelled: %s"
                            .formatted(model.unsupported().get()));
        }
        leftOut.forEach(resource -> assumptions.remove(Assumption.of(Kind.NO_DEVICE_PLUGIN, RESOURCE + resource)));
        return new NodeModel(Optional.of(model), Optional.empty(), assumptions);
    }

    private boolean isUnsupported() {
        return unmodelled
                .filter(why -> why.kind() == Unmodelled.Kind.UNSUPPORTED)
                .isPresent();
    }

    /** The resources that the model leaves out, because their published amounts make no sense. */
    public SortedSet<String> leftOut() {
        SortedSet<String> resources = new TreeSet<>();
        assumptions.stream()
                .filter(each -> each.kind() == Kind.RESOURCE_LEFT_OUT)
                .flatMap(each -> each.about().stream())
                .forEach(about -> resources.add(about.substring(RESOURCE.length())));
        return resources;
    }

    private static NodeTopology without(NodeTopology topology, SortedSet<String> leftOut) {
        return leftOut.isEmpty()
                ? topology
                : topology.withZones(topology.zones().stream()
                        .map(zone -> without(zone, leftOut))
                        .toList());
    }

    private static Zone without(Zone zone, SortedSet<String> leftOut) {
        SortedMap<String, ZoneResource> resources = new TreeMap<>(zone.resources());
        resources.keySet().removeAll(leftOut);
        SortedMap<String, String> attributes = new TreeMap<>(zone.attributes());
        attributes.keySet().removeAll(leftOut);
        if (leftOut.contains(MEMORY)) {
            attributes.remove(ZoneAttributes.MEMORY_BYTES);
        }
        return new Zone(zone.name(), zone.type(), zone.costs(), attributes, resources);
    }

    /** The parts of a topology that decide the model: without its name, available amounts and pods. */
    public static NodeTopology decisive(NodeTopology topology) {
        SortedMap<String, String> attributes = new TreeMap<>(topology.attributes());
        attributes.remove(TopologyAttributes.FINGERPRINT);
        return new NodeTopology(
                "",
                Optional.empty(),
                Collections.emptySortedMap(),
                attributes,
                topology.topologyPolicies(),
                topology.zones().stream().map(NodeModel::withoutAvailable).toList());
    }

    private static Zone withoutAvailable(Zone zone) {
        SortedMap<String, ZoneResource> resources = new TreeMap<>();
        zone.resources()
                .forEach((name, amounts) ->
                        resources.put(name, new ZoneResource(amounts.capacity(), amounts.allocatable(), 0)));
        return new Zone(zone.name(), zone.type(), zone.costs(), zone.attributes(), resources);
    }

    private static KubeletModel start(
            NodeFacts node,
            NodeTopology topology,
            SnapshotSettings settings,
            SortedSet<String> leftOut,
            SortedSet<Assumption> assumptions,
            boolean changed) {
        topology.numaZones()
                .forEach((id, zone) -> zone.resources().forEach((name, amounts) -> {
                    if (!amounts.isReadable()) {
                        throw new IllegalArgumentException(
                                "an amount is no quantity, or is negative: zone=%s resource=%s"
                                        .formatted(zone.name(), name));
                    }
                }));
        KubeletSettings said = TopologyAttributes.read(topology.attributes());
        MachineReader.Read read = new MachineReader(topology, assumptions).read(node, settings.ignoreList());
        boolean cpuOn = managerOn(
                said.cpuManagerPolicy().map(CpuPolicy.STATIC::equals), topology, "cpu", settings, assumptions);
        boolean memoryOn = !leftOut.contains(MEMORY)
                && managerOn(
                        said.memoryManagerPolicy().map(MemoryPolicy.STATIC::equals),
                        topology,
                        MEMORY,
                        settings,
                        assumptions);
        if (said.cpuManagerPolicy().isEmpty()) {
            assumptions.add(Assumption.of(Kind.POLICY_OPTIONS));
        }
        CpuSet offline = CpuSet.parse(topology.attributes().getOrDefault(TopologyAttributes.OFFLINE_CPUS, ""));
        if (!offline.isEmpty()) {
            assumptions.add(Assumption.of(Kind.OFFLINE_CPUS, "cpus=" + offline));
        }
        KubeletModel model = KubeletModel.start(
                read.machine(),
                new KubeletConfig(
                        version(node, assumptions),
                        topologyManager(said, topology.numaZones().size(), assumptions),
                        cpuOn || changed
                                ? cpuManager(cpuOn, said, node, topology, read.reservedCpus())
                                : CpuManagerConfig.OFF,
                        memoryOn
                                ? memoryManager(
                                        topology, read.machine().topology().numaNodes())
                                : MemoryManagerConfig.OFF,
                        changed ? said.featureGates() : gates(said)));
        if (model.rules().losesCpusOfPods() && !TopologyAttributes.readsStateFiles(topology.attributes())) {
            assumptions.add(Assumption.of(Kind.UNHELD_CPUS));
        }
        return model.withoutCpus(CpuSet.parse(topology.attributes().getOrDefault(TopologyAttributes.UNHELD_CPUS, "")));
    }

    private static KubeletVersion version(NodeFacts node, SortedSet<Assumption> assumptions) {
        if (node.kubeletVersion().isEmpty()) {
            assumptions.add(Assumption.of(Kind.KUBELET_VERSION));
            return new KubeletVersion(KubeletVersion.NEWEST);
        }
        KubeletVersion version = KubeletVersion.parse(node.kubeletVersion().get());
        if (version.isLaterThanModelled()) {
            assumptions.add(Assumption.of(Kind.KUBELET_VERSION, "kubelet=" + version));
        }
        return version;
    }

    private static TopologyManagerConfig topologyManager(
            KubeletSettings said, int zones, SortedSet<Assumption> assumptions) {
        Optional<TopologyPolicyName> known = said.topologyManagerPolicy();
        if (known.isEmpty()) {
            assumptions.add(Assumption.of(Kind.TOPOLOGY_POLICY));
        }
        return new TopologyManagerConfig(
                known.orElse(TopologyPolicyName.NONE),
                said.topologyManagerScope().orElse(TopologyScope.CONTAINER),
                options(said, zones));
    }

    /** A kubelet that runs on more NUMA nodes than it allows by default was told to. */
    private static SortedMap<String, String> options(KubeletSettings said, int zones) {
        SortedMap<String, String> options = new TreeMap<>(said.topologyManagerPolicyOptions());
        if (said.cpuManagerPolicy().isEmpty() && zones > DEFAULT_MAX_NUMA_NODES) {
            options.putIfAbsent("max-allowable-numa-nodes", Integer.toString(zones));
        }
        return options;
    }

    private static boolean managerOn(
            Optional<Boolean> published,
            NodeTopology topology,
            String resource,
            SnapshotSettings settings,
            SortedSet<Assumption> assumptions) {
        if (published.isPresent()) {
            return published.get();
        }
        assumptions.add(Assumption.of(Kind.MANAGER_POLICIES));
        return !settings.ignoreList().contains(resource)
                && topology.numaZones().values().stream()
                        .map(zone -> zone.resources().get(resource))
                        .anyMatch(amounts -> amounts != null && amounts.allocatable() > 0);
    }

    /** Options of the policy none keep a kubelet from starting. */
    private static CpuManagerConfig cpuManager(
            boolean on, KubeletSettings said, NodeFacts node, NodeTopology topology, CpuSet reserved) {
        return new CpuManagerConfig(
                on ? CpuPolicy.STATIC : CpuPolicy.NONE,
                said.cpuManagerPolicyOptions(),
                on ? reserved : CpuSet.EMPTY,
                on && reserved.isEmpty() ? reservedMillis(node, topology) : OptionalLong.empty());
    }

    /** What the zones have more than the node has allocatable. */
    private static OptionalLong reservedMillis(NodeFacts node, NodeTopology topology) {
        long all = topology.numaZones().values().stream()
                .map(zone -> zone.resources().get("cpu"))
                .mapToLong(amounts -> amounts == null ? 0 : amounts.capacity())
                .sum();
        Long allocatable = node.constraints().allocatable().get("cpu");
        return allocatable == null || allocatable >= all ? OptionalLong.empty() : OptionalLong.of(all - allocatable);
    }

    /** The kubelet runs with these options, so the gates for them are on. */
    private static SortedMap<String, Boolean> gates(KubeletSettings said) {
        SortedMap<String, Boolean> gates = new TreeMap<>(said.featureGates());
        gates.put("CPUManagerPolicyAlphaOptions", true);
        gates.put("TopologyManagerPolicyAlphaOptions", true);
        return gates;
    }

    /** What the zones' memory lacks to be allocatable is reserved. */
    private static MemoryManagerConfig memoryManager(NodeTopology topology, Iterable<NumaNode> numaNodes) {
        SortedMap<Integer, SortedMap<String, Long>> reserved = new TreeMap<>();
        for (NumaNode numaNode : numaNodes) {
            var resources =
                    requireNonNull(topology.numaZones().get(numaNode.id())).resources();
            SortedMap<String, Long> ofNode = new TreeMap<>();
            long memory = numaNode.memoryBytes().orElse(0);
            if (allocatable(resources, MEMORY) > numaNode.memoryBytes().orElse(Long.MAX_VALUE)) {
                throw new IllegalArgumentException(
                        "more memory is allocatable than the NUMA node has: zone=%s; the kubelet's reservedMemory may be more than it has"
                                .formatted(numaNode.zoneName()));
            }
            for (var pages : numaNode.hugepages().entrySet()) {
                String type = Hugepages.resource(pages.getKey());
                long bytes = pages.getKey() * pages.getValue();
                memory -= bytes;
                ofNode.put(type, bytes - allocatable(resources, type));
            }
            ofNode.put("memory", Math.max(0, memory - allocatable(resources, "memory")));
            reserved.put(numaNode.id(), ofNode);
        }
        return new MemoryManagerConfig(MemoryPolicy.STATIC, reserved, Optional.empty());
    }

    private static long allocatable(SortedMap<String, ZoneResource> resources, String type) {
        ZoneResource resource = resources.get(type);
        return resource == null ? 0 : resource.allocatable();
    }
}
