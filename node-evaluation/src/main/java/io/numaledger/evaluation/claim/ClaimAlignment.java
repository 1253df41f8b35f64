package io.numaledger.evaluation.claim;

import io.numaledger.placement.Amounts;
import io.numaledger.placement.Placement;
import io.numaledger.resource.ResourceKind;
import io.numaledger.topology.ZoneName;

import java.util.Collection;
import java.util.Collections;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.SortedMap;
import java.util.SortedSet;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.stream.Collectors;
import java.util.stream.Stream;

import static io.numaledger.topology.Sorted.sorted;

/** Whether the claimed devices of a pod lie on the NUMA nodes of its CPUs and memory, and of each other. Nothing in Kubernetes aligns them. */
public sealed interface ClaimAlignment {

    /** Each device is local to a NUMA node that its CPUs have, and to one that its memory has. */
    record Aligned() implements ClaimAlignment {}

    /**
     * At least one device is not local to a NUMA node of the CPUs, or of the memory; or devices are apart from each other.
     *
     * @param numaNodes those of its CPUs and memory, by resource; empty: it has none of its own
     * @param elsewhere the devices that are local to other NUMA nodes only
     * @param apart the devices of which one shares no NUMA node with those of another driver, or of another claim
     */
    record Misaligned(
            SortedMap<String, SortedSet<Integer>> numaNodes, List<ClaimedDevice> elsewhere, List<ClaimedDevice> apart)
            implements ClaimAlignment {

        public Misaligned {
            numaNodes = sorted(numaNodes);
            elsewhere = List.copyOf(elsewhere);
            apart = List.copyOf(apart);
        }

        /** Whether devices are away from CPUs or memory, which is what a pod can demand of its node. */
        public boolean isFromCpusOrMemory() {
            return !elsewhere.isEmpty();
        }

        /** Such as {@code CPUs on node-0; vf-3 of driver sriov.example.com on node-1}. */
        public String sentence() {
            return Stream.concat(
                            numaNodes.entrySet().stream()
                                    .map(each -> "%s on %s".formatted(name(each.getKey()), zones(each.getValue()))),
                            devices().map(each -> "%s on %s".formatted(each, zones(numaNodesOf(each)))))
                    .collect(Collectors.joining("; "));
        }

        /** The drivers of the devices that lie elsewhere or apart. */
        public SortedSet<String> drivers() {
            return devices().map(device -> device.id().driver()).collect(Collectors.toCollection(TreeSet::new));
        }

        private Stream<ClaimedDevice> devices() {
            return Stream.concat(elsewhere.stream(), apart.stream()).distinct();
        }

        private static String name(String resource) {
            return resource.equals(Amounts.CPU) ? "CPUs" : resource;
        }

        private static String zones(SortedSet<Integer> ids) {
            return ids.stream().map(ZoneName::of).collect(Collectors.joining(", "));
        }
    }

    /** @param why a sentence */
    record Unknown(String why) implements ClaimAlignment {}

    /** Drivers whose devices are the CPUs and the memory of a pod. */
    Map<String, String> RESOURCES = Map.of("dra.cpu", Amounts.CPU, "dra.memory", "memory");

    /**
     * Compares them.
     *
     * @param observed what the kubelet gave to the pod
     */
    static ClaimAlignment of(List<ClaimedDevice> devices, Placement observed) {
        SortedMap<String, SortedSet<Integer>> numaNodes = numaNodes(devices, observed);
        List<ClaimedDevice> others = devices.stream()
                .filter(device -> !RESOURCES.containsKey(device.id().driver()))
                .toList();
        List<ClaimedDevice> elsewhere = others.stream()
                .filter(device -> device.numaNodes().known().isPresent())
                .filter(device ->
                        numaNodes.values().stream().anyMatch(nodes -> Collections.disjoint(nodes, numaNodesOf(device))))
                .toList();
        List<ClaimedDevice> apart = apart(others);
        if (!elsewhere.isEmpty() || !apart.isEmpty()) {
            return new Misaligned(numaNodes, elsewhere, apart);
        }
        if (numaNodes.isEmpty()) {
            return new Unknown("the pod has no CPUs or memory of its own on known NUMA nodes");
        }
        return devices.stream()
                .filter(device -> device.numaNodes() instanceof NumaNodes.Unknown)
                .findFirst()
                .<ClaimAlignment>map(device -> new Unknown("the NUMA node of %s is not known: %s"
                        .formatted(device, ((NumaNodes.Unknown) device.numaNodes()).why())))
                .orElseGet(Aligned::new);
    }

    /**
     * A device needs one of each other driver that shares a NUMA node with it, such as a GPU its NIC. Where all have one driver, it needs
     * one of another claim.
     */
    private static List<ClaimedDevice> apart(List<ClaimedDevice> devices) {
        boolean oneDriver =
                devices.stream().map(device -> device.id().driver()).distinct().count() == 1;
        Map<String, List<ClaimedDevice>> groups = devices.stream()
                .collect(Collectors.groupingBy(
                        device -> oneDriver ? device.claim() : device.id().driver(),
                        TreeMap::new,
                        Collectors.toList()));
        Set<ClaimedDevice> apart = new HashSet<>();
        groups.forEach((name, group) -> {
            Stream<List<ClaimedDevice>> partners = groups.entrySet().stream()
                    .filter(other -> !other.getKey().equals(name))
                    .map(Map.Entry::getValue);
            (oneDriver ? Stream.of(partners.flatMap(List::stream).toList()) : partners)
                    .filter(others -> !others.isEmpty())
                    .forEach(others -> apart.addAll(apart(group, others)));
        });
        return devices.stream().filter(apart::contains).toList();
    }

    /**
     * The devices of a group that share no NUMA node with any of the others, and then the others, too. A device on unknown NUMA nodes may be near.
     */
    private static List<ClaimedDevice> apart(List<ClaimedDevice> group, List<ClaimedDevice> others) {
        if (others.stream().anyMatch(device -> device.numaNodes().known().isEmpty())) {
            return List.of();
        }
        SortedSet<Integer> near = new TreeSet<>();
        others.forEach(device -> near.addAll(numaNodesOf(device)));
        List<ClaimedDevice> alone = group.stream()
                .filter(device ->
                        device.numaNodes().known().isPresent() && Collections.disjoint(near, numaNodesOf(device)))
                .toList();
        return alone.isEmpty()
                ? alone
                : Stream.concat(alone.stream(), others.stream()).toList();
    }

    private static SortedMap<String, SortedSet<Integer>> numaNodes(List<ClaimedDevice> devices, Placement observed) {
        SortedMap<String, SortedSet<Integer>> byResource = new TreeMap<>();
        observed.zones()
                .forEach((id, amounts) -> amounts.byResource().keySet().stream()
                        .filter(ClaimAlignment::isCpuOrMemory)
                        .forEach(resource -> add(resource, List.of(id), byResource)));
        devices.forEach(device -> {
            String resource = RESOURCES.get(device.id().driver());
            if (resource != null) {
                add(resource, numaNodesOf(device), byResource);
            }
        });
        byResource.values().removeIf(Collection::isEmpty);
        return byResource;
    }

    private static void add(String resource, Collection<Integer> ids, Map<String, SortedSet<Integer>> byResource) {
        byResource.computeIfAbsent(resource, any -> new TreeSet<>()).addAll(ids);
    }

    private static boolean isCpuOrMemory(String resource) {
        return switch (ResourceKind.of(resource)) {
            case CPU, MEMORY -> true;
            case STORAGE, DEVICE -> false;
        };
    }

    private static SortedSet<Integer> numaNodesOf(ClaimedDevice device) {
        return device.numaNodes().known().map(NumaNodes.Known::nodes).orElse(Collections.emptySortedSet());
    }
}
