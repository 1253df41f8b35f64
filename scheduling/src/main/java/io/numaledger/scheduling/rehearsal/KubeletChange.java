package io.numaledger.scheduling.rehearsal;

import io.numaledger.evaluation.facts.NodeFacts;
import io.numaledger.kubelet.config.CpuPolicy;
import io.numaledger.kubelet.config.KubeletVersion;
import io.numaledger.kubelet.config.MemoryPolicy;
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
import io.numaledger.topology.CpuSet;
import io.numaledger.topology.ZoneName;

import java.util.Optional;
import java.util.SortedMap;
import java.util.TreeMap;

import static io.numaledger.topology.Sorted.sorted;

/**
 * What is to be changed of a kubelet. Absent settings stay as they are.
 *
 * @param version such as {@code 1.38}
 * @param policyOptions of the CPU Manager and the Topology Manager, by name; absent: the option is taken away
 * @param reservedCpus {@code reservedSystemCPUs}; what the node has allocatable follows
 * @param reservedMemory NUMA node id → {@code memory} or {@code hugepages-<size>} → bytes: all of it; empty: as it is. {@code kubeReserved}
 *     and {@code systemReserved} are taken to be changed with it, without which no kubelet starts
 */
public record KubeletChange(
        Optional<KubeletVersion> version,
        Optional<TopologyPolicyName> topologyPolicy,
        Optional<TopologyScope> topologyScope,
        Optional<CpuPolicy> cpuPolicy,
        Optional<MemoryPolicy> memoryPolicy,
        SortedMap<String, Optional<String>> policyOptions,
        Optional<CpuSet> reservedCpus,
        SortedMap<Integer, SortedMap<String, Long>> reservedMemory,
        SortedMap<String, Boolean> featureGates) {

    private static final String CPU = "cpu";
    private static final String MEMORY = "memory";

    /** Everything stays as it is: the kubelet is only started again. */
    public static final KubeletChange NONE = new KubeletChange(
            Optional.empty(),
            Optional.empty(),
            Optional.empty(),
            Optional.empty(),
            Optional.empty(),
            new TreeMap<>(),
            Optional.empty(),
            new TreeMap<>(),
            new TreeMap<>());

    public KubeletChange {
        policyOptions = sorted(policyOptions);
        reservedMemory = sorted(reservedMemory);
        featureGates = sorted(featureGates);
    }

    private KubeletSettings over(KubeletSettings before) {
        SortedMap<String, String> topologyOptions = new TreeMap<>(before.topologyManagerPolicyOptions());
        SortedMap<String, String> cpuOptions = new TreeMap<>(before.cpuManagerPolicyOptions());
        policyOptions.forEach((name, value) -> {
            SortedMap<String, String> options = TopologyManagerConfig.isOption(name) ? topologyOptions : cpuOptions;
            value.ifPresentOrElse(set -> options.put(name, set), () -> options.remove(name));
        });
        SortedMap<String, Boolean> gates = new TreeMap<>(before.featureGates());
        gates.putAll(featureGates);
        return new KubeletSettings(
                topologyPolicy.or(before::topologyManagerPolicy),
                topologyScope.or(before::topologyManagerScope),
                topologyOptions,
                cpuPolicy.or(before::cpuManagerPolicy),
                cpuOptions,
                memoryPolicy.or(before::memoryManagerPolicy),
                gates);
    }

    /**
     * A topology as the agent would publish it of the changed kubelet.
     *
     * @throws IllegalArgumentException if reserved CPUs or memory are to be changed and none are published, or if memory is to be aligned, and
     *     not known how much is reserved
     */
    NodeTopology over(NodeTopology before) {
        KubeletSettings published = TopologyAttributes.read(before.attributes());
        if (memoryPolicy.equals(Optional.of(MemoryPolicy.STATIC))
                && !published.memoryManagerPolicy().equals(memoryPolicy)
                && reservedMemory.isEmpty()) {
            throw new IllegalArgumentException(
                    "the Memory Manager policy Static needs reserved memory; give --reserved-memory for the NUMA nodes");
        }
        SortedMap<String, String> attributes = new TreeMap<>();
        attributes.putAll(before.attributes());
        attributes.keySet().removeAll(TopologyAttributes.of(published).keySet());
        attributes.putAll(TopologyAttributes.of(over(published)));
        return new NodeTopology(
                before.node(),
                before.owner(),
                before.annotations(),
                attributes,
                before.topologyPolicies(),
                before.zones().stream().map(this::over).toList());
    }

    private Zone over(Zone zone) {
        if (!zone.type().equals(Zone.TYPE_NODE)
                || ZoneName.numaNode(zone.name()).isEmpty()) {
            return zone;
        }
        SortedMap<String, String> attributes = new TreeMap<>(zone.attributes());
        SortedMap<String, ZoneResource> resources = new TreeMap<>(zone.resources());
        reservedCpus.ifPresent(reserved -> {
            CpuSet all = cpus(zone);
            CpuSet ofZone = all.intersect(reserved);
            attributes.put(ZoneAttributes.RESERVED_CPUS, ofZone.toString());
            resources.put(CPU, amounts(1000L * all.size(), 1000L * (all.size() - ofZone.size())));
        });
        if (!reservedMemory.isEmpty()) {
            reserveMemory(zone, attributes, resources);
        }
        return new Zone(zone.name(), zone.type(), zone.costs(), attributes, resources);
    }

    private static CpuSet cpus(Zone zone) {
        return Optional.ofNullable(zone.attributes().get(ZoneAttributes.CPUS))
                .map(CpuSet::parse)
                .orElseThrow(
                        () -> new IllegalArgumentException(
                                "the node's exporter publishes no CPUs, so that others cannot be reserved; install the agent there"));
    }

    /** What is not reserved is allocatable: hugepages by their size, the rest as memory. */
    private void reserveMemory(
            Zone zone, SortedMap<String, String> attributes, SortedMap<String, ZoneResource> resources) {
        String bytes = attributes.get(ZoneAttributes.MEMORY_BYTES);
        if (bytes == null) {
            throw new IllegalArgumentException(
                    "the node's exporter publishes no memory, so that more cannot be reserved; install the agent there");
        }
        SortedMap<String, Long> reserved =
                reservedMemory.getOrDefault(ZoneName.numaNode(zone.name()).orElseThrow(), new TreeMap<>());
        long plain = Long.parseLong(bytes);
        for (String name : attributes.keySet()) {
            if (Hugepages.isResource(name)) {
                long pages = Long.parseLong(String.valueOf(attributes.get(name)));
                plain -= pages;
                resources.put(name, amounts(pages, pages - reserved.getOrDefault(name, 0L)));
            }
        }
        resources.put(MEMORY, amounts(plain, plain - reserved.getOrDefault(MEMORY, 0L)));
    }

    private static ZoneResource amounts(long capacity, long allocatable) {
        return new ZoneResource(capacity, Math.max(0, allocatable), Math.max(0, allocatable));
    }

    /**
     * A node as the changed kubelet would report it.
     *
     * @param before the zones before
     * @param after the zones as {@link #over(NodeTopology)} has them
     */
    NodeFacts over(NodeFacts node, NodeTopology before, NodeTopology after) {
        SortedMap<String, Long> allocatable = new TreeMap<>(node.constraints().allocatable());
        if (reservedCpus.isPresent()) {
            allocatable.computeIfPresent(CPU, (name, any) -> sum(after, name));
        }
        if (!reservedMemory.isEmpty()) {
            allocatable.replaceAll((name, amount) -> name.equals(MEMORY) || Hugepages.isResource(name)
                    ? amount + sum(after, name) - sum(before, name)
                    : amount);
        }
        return node.running(version.map(KubeletVersion::toString), allocatable);
    }

    private static long sum(NodeTopology topology, String resource) {
        return topology.numaZones().values().stream()
                .map(zone -> zone.resources().get(resource))
                .mapToLong(amounts -> amounts == null ? 0 : amounts.allocatable())
                .sum();
    }
}
