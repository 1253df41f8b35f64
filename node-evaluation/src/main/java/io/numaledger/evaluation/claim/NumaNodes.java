package io.numaledger.evaluation.claim;

import io.numaledger.topology.ZoneName;

import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.SortedSet;
import java.util.stream.Collectors;

import static io.numaledger.topology.Sorted.sortedSet;

/** The NUMA nodes that are local to a device. Unknown is not zero. */
public sealed interface NumaNodes {

    /** Linux has no more: MAX_NUMNODES. */
    int MAX_ID = 1023;

    String STANDARD = "resource.kubernetes.io/numaNode";

    String PCI_BUS_ID = "resource.kubernetes.io/pciBusID";

    /** The first attribute that a device has counts: the standard one, those of dranet and SR-IOV, of dra-driver-cpu, and of AMD GPUs. */
    List<String> ATTRIBUTES = List.of(STANDARD, "dra.net/numaNode", "dra.cpu/numaNodeID", "gpu.amd.com/numaNode");

    /**
     * What is known.
     *
     * @param physical where the device is attached
     * @param nodes this one, and others that its driver calls local: nodes of the same socket
     * @param source the attribute that says so
     */
    record Known(int physical, SortedSet<Integer> nodes, String source) implements NumaNodes {
        public Known {
            nodes = sortedSet(nodes);
        }

        @Override
        public Optional<Known> known() {
            return Optional.of(this);
        }

        @Override
        public String toString() {
            return nodes.stream().map(ZoneName::of).collect(Collectors.joining(", "));
        }
    }

    /** @param why part of a sentence */
    record Unknown(String why) implements NumaNodes {
        @Override
        public Optional<Known> known() {
            return Optional.empty();
        }
    }

    Optional<Known> known();

    /** @param attributes by qualified name */
    static NumaNodes of(Map<String, DeviceAttribute> attributes) {
        for (String name : ATTRIBUTES) {
            DeviceAttribute value = attributes.get(name);
            if (value != null) {
                return of(name, value);
            }
        }
        return new Unknown(
                attributes.containsKey(PCI_BUS_ID)
                        ? "no attribute names its NUMA node, and its node's agent has published none for its PCI address"
                        : "no attribute names its NUMA node");
    }

    private static NumaNodes of(String name, DeviceAttribute value) {
        if (value.type() != DeviceAttribute.Type.INT || value.values().isEmpty()) {
            return new Unknown("its attribute %s is no NUMA node id".formatted(name));
        }
        List<Long> ids = value.values().stream().map(Long::valueOf).toList();
        Optional<Long> odd = ids.stream().filter(id -> id < 0 || id > MAX_ID).findFirst();
        return odd.<NumaNodes>map(id -> new Unknown("its attribute %s is %d".formatted(name, id)))
                .orElseGet(() -> new Known(
                        ids.get(0).intValue(),
                        sortedSet(ids.stream().map(Long::intValue).toList()),
                        name));
    }
}
