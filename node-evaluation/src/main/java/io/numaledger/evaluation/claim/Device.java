package io.numaledger.evaluation.claim;

import io.numaledger.evaluation.facts.NodeConstraints.Taint;
import io.numaledger.gpu.PciAddress;
import io.numaledger.gpu.PciNumaNodes;
import io.numaledger.pod.RequestedAmount;

import java.util.Collections;
import java.util.List;
import java.util.Optional;
import java.util.SortedMap;

import static io.numaledger.topology.Sorted.sorted;
import static io.numaledger.topology.Sorted.sortedSet;

/**
 * A device that a driver publishes in a ResourceSlice.
 *
 * @param node whose device it is; absent: several nodes can use it
 * @param attributes by qualified name: those without a domain have the driver's
 * @param capacity the same
 * @param taints those that keep pods away
 * @param shared several claims may hold it at the same time ({@code allowMultipleAllocations})
 * @param partition it uses counters that it shares with other devices ({@code consumesCounters}): it may not be free though nobody holds it
 * @param counters how much it uses of each of them that can be read, in thousandths, by set and name
 * @param conditional pods are bound only when its driver has met conditions ({@code bindingConditions})
 */
public record Device(
        DeviceId id,
        Optional<String> node,
        NumaNodes numaNodes,
        SortedMap<String, DeviceAttribute> attributes,
        SortedMap<String, RequestedAmount> capacity,
        List<Taint> taints,
        boolean shared,
        boolean partition,
        SortedMap<String, Long> counters,
        boolean conditional) {

    /** What a device of a node is found by, in what its agent has published. */
    public static final String SOURCE_AGENT = "the agent, by " + NumaNodes.PCI_BUS_ID;

    public Device {
        attributes = sorted(attributes);
        capacity = sorted(capacity);
        taints = List.copyOf(taints);
        counters = sorted(counters);
    }

    /** A device without counters that can be read, and without binding conditions. */
    public Device(
            DeviceId id,
            Optional<String> node,
            NumaNodes numaNodes,
            SortedMap<String, DeviceAttribute> attributes,
            SortedMap<String, RequestedAmount> capacity,
            List<Taint> taints,
            boolean shared,
            boolean partition) {
        this(id, node, numaNodes, attributes, capacity, taints, shared, partition, Collections.emptySortedMap(), false);
    }

    public Optional<PciAddress> pciAddress() {
        return Optional.ofNullable(attributes.get(NumaNodes.PCI_BUS_ID))
                .filter(value -> value.type() == DeviceAttribute.Type.STRING && !value.list())
                .flatMap(value -> value.values().stream().findFirst())
                .filter(PciAddress::isAddress)
                .map(PciAddress::parse);
    }

    /**
     * This device, with the NUMA node of its PCI address where no attribute names one.
     *
     * @param published by the node's agent
     */
    public Device located(PciNumaNodes published) {
        if (published.isEmpty() || NumaNodes.ATTRIBUTES.stream().anyMatch(name -> attributes.containsKey(name))) {
            return this;
        }
        return pciAddress()
                .flatMap(published::of)
                .map(id -> new Device(
                        this.id,
                        node,
                        new NumaNodes.Known(id, sortedSet(List.of(id)), SOURCE_AGENT),
                        attributes,
                        capacity,
                        taints,
                        shared,
                        partition,
                        counters,
                        conditional))
                .orElse(this);
    }
}
