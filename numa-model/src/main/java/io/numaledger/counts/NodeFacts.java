package io.numaledger.counts;

import io.numaledger.kubelet.config.CpuPolicy;
import io.numaledger.kubelet.config.MemoryPolicy;
import io.numaledger.kubelet.config.TopologyPolicyName;
import io.numaledger.kubelet.config.TopologyScope;
import io.numaledger.topology.Sorted;

import java.util.Collections;
import java.util.EnumSet;
import java.util.Optional;
import java.util.Set;
import java.util.SortedMap;
import java.util.SortedSet;
import java.util.TreeMap;
import java.util.TreeSet;

/**
 * All that is known of a node.
 *
 * @param zones NUMA node id (0–63) → resource → counts
 * @param cpuPolicy absent: not known
 * @param memoryPolicy absent: not known
 * @param ignored resources that the operator takes out of alignment on this node
 */
public record NodeFacts(
        TopologyPolicyName policy,
        TopologyScope scope,
        Optional<CpuPolicy> cpuPolicy,
        Optional<MemoryPolicy> memoryPolicy,
        SortedSet<String> ignored,
        SortedMap<Integer, SortedMap<String, ZoneCounts>> zones) {

    public NodeFacts {
        ignored = Collections.unmodifiableSortedSet(new TreeSet<>(ignored));
        SortedMap<Integer, SortedMap<String, ZoneCounts>> copy = new TreeMap<>();
        zones.forEach((id, resources) -> copy.put(id, Sorted.sorted(resources)));
        zones = Collections.unmodifiableSortedMap(copy);
        if (zones.isEmpty() || zones.firstKey() < 0 || zones.lastKey() > 63) {
            throw new IllegalArgumentException(
                    "a node has zones with NUMA node ids 0-63: numaNodes=%s; leave this node to the default scheduler"
                            .formatted(zones.keySet()));
        }
    }

    /** A node with policies that are not known but for the Topology Manager's. */
    public static NodeFacts of(
            TopologyPolicyName policy, TopologyScope scope, SortedMap<Integer, SortedMap<String, ZoneCounts>> zones) {
        return new NodeFacts(policy, scope, Optional.empty(), Optional.empty(), new TreeSet<>(), zones);
    }

    /** The resources that some zone lists. */
    SortedSet<String> listed() {
        SortedSet<String> names = new TreeSet<>();
        zones.values().forEach(zone -> names.addAll(zone.keySet()));
        return names;
    }

    /** The kubelet aligns it, as far as is known: its manager is on or not known, and nobody ignores it. */
    boolean aligns(String resource) {
        boolean managed = switch (ResourceKind.of(resource)) {
            case CPU -> cpuPolicy.orElse(CpuPolicy.STATIC) == CpuPolicy.STATIC;
            case MEMORY -> memoryPolicy.orElse(MemoryPolicy.STATIC) == MemoryPolicy.STATIC;
            case DEVICE -> true;
        };
        return managed && !ignored.contains(resource);
    }

    /** What answers about this node take for granted. */
    Set<Assumption> assumptions() {
        Set<Assumption> named = EnumSet.of(Assumption.NO_POLICY_OPTIONS);
        SortedSet<String> listed = listed();
        if (cpuPolicy.isEmpty() && listed.contains("cpu") && !ignored.contains("cpu")) {
            named.add(Assumption.CPU_MANAGER_STATIC);
        }
        boolean memory = listed.stream()
                .anyMatch(name -> ResourceKind.of(name) == ResourceKind.MEMORY && !ignored.contains(name));
        if (memory && memoryPolicy.isEmpty()) {
            named.add(Assumption.MEMORY_MANAGER_STATIC);
        }
        if (memory && memoryPolicy.orElse(MemoryPolicy.STATIC) == MemoryPolicy.STATIC) {
            named.add(Assumption.NO_MEMORY_GROUPS);
        }
        if (listed.stream().anyMatch(name -> ResourceKind.of(name) == ResourceKind.DEVICE)) {
            named.add(Assumption.DEVICES_ON_ONE_ZONE);
        }
        boolean noCapacity = zones.values().stream()
                .flatMap(zone -> zone.values().stream())
                .anyMatch(counts -> counts.capacity().isEmpty());
        if (noCapacity) {
            named.add(Assumption.CAPACITY_IS_ALLOCATABLE);
        }
        return named;
    }
}
