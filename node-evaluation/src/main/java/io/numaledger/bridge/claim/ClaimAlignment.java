package io.numaledger.bridge.claim;

import io.numaledger.placement.Amounts;
import io.numaledger.placement.Placement;
import io.numaledger.resource.ResourceKind;
import io.numaledger.topology.ZoneName;

import java.util.Collection;
import java.util.Collections;
import java.util.List;
import java.util.Map;
import java.util.SortedMap;
import java.util.SortedSet;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.stream.Collectors;
import java.util.stream.Stream;

import static io.numaledger.topology.Sorted.sorted;

/** Whether the claimed devices of a pod lie on the NUMA nodes of its CPUs and memory. Nothing in Kubernetes aligns the two. */
public sealed interface ClaimAlignment {

    /** Each device is local to a NUMA node that its CPUs have, and to one that its memory has. */
    record Aligned() implements ClaimAlignment {}

    /**
     * At least one device is not.
     *
     * @param numaNodes those of its CPUs and memory, by resource
     * @param elsewhere the devices that are local to other NUMA nodes only
     */
    record Misaligned(SortedMap<String, SortedSet<Integer>> numaNodes, List<ClaimedDevice> elsewhere)
            implements ClaimAlignment {

        public Misaligned {
            numaNodes = sorted(numaNodes);
            elsewhere = List.copyOf(elsewhere);
        }

        /** Such as {@code CPUs on node-0; vf-3 of driver sriov.example.com on node-1}. */
        public String sentence() {
            return Stream.concat(
                            numaNodes.entrySet().stream()
                                    .map(each -> "%s on %s".formatted(name(each.getKey()), zones(each.getValue()))),
                            elsewhere.stream().map(each -> "%s on %s".formatted(each, zones(numaNodesOf(each)))))
                    .collect(Collectors.joining("; "));
        }

        /** Those of the devices that lie elsewhere. */
        public SortedSet<String> drivers() {
            return elsewhere.stream()
                    .map(device -> device.id().driver())
                    .collect(Collectors.toCollection(TreeSet::new));
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
        if (numaNodes.isEmpty()) {
            return new Unknown("the pod has no CPUs or memory of its own on known NUMA nodes");
        }
        List<ClaimedDevice> others = devices.stream()
                .filter(device -> !RESOURCES.containsKey(device.id().driver()))
                .toList();
        List<ClaimedDevice> elsewhere = others.stream()
                .filter(device -> device.numaNodes().known().isPresent())
                .filter(device ->
                        numaNodes.values().stream().anyMatch(nodes -> Collections.disjoint(nodes, numaNodesOf(device))))
                .toList();
        if (!elsewhere.isEmpty()) {
            return new Misaligned(numaNodes, elsewhere);
        }
        return devices.stream()
                .filter(device -> device.numaNodes() instanceof NumaNodes.Unknown)
                .findFirst()
                .<ClaimAlignment>map(device -> new Unknown("the NUMA node of %s is not known: %s"
                        .formatted(device, ((NumaNodes.Unknown) device.numaNodes()).why())))
                .orElseGet(Aligned::new);
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
