package io.numaledger.simulator.record;

import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import com.fasterxml.jackson.databind.node.LongNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import com.fasterxml.jackson.databind.node.TextNode;
import io.numaledger.evaluation.claim.Device;
import io.numaledger.evaluation.claim.DeviceAttribute;
import io.numaledger.evaluation.claim.NumaNodes;
import io.numaledger.evaluation.claim.ResourceSlice;
import io.numaledger.gpu.PciAddress;

import java.util.Comparator;
import java.util.List;
import java.util.Locale;
import java.util.Optional;
import java.util.OptionalInt;
import java.util.SortedMap;
import java.util.TreeMap;
import java.util.stream.Collectors;

/**
 * The devices of a node in ResourceSlices, each with what tells its NUMA node. Nothing else of them is recorded.
 *
 * @param pci the NUMA nodes of the machine's PCI functions
 */
record RecordedDrivers(List<ResourceSlice> slices, SortedMap<PciAddress, OptionalInt> pci) {

    /** As {@code draDrivers} in node YAML. */
    ArrayNode nodeYaml(Names names) {
        ArrayNode drivers = JsonNodeFactory.instance.arrayNode();
        slices.stream()
                .filter(this::isNewest)
                .sorted(Comparator.comparing(ResourceSlice::pool).thenComparing(ResourceSlice::name))
                .collect(Collectors.groupingBy(ResourceSlice::driver, TreeMap::new, Collectors.toList()))
                .forEach((driver, all) -> {
                    ArrayNode devices =
                            drivers.addObject().put("driver", driver).putArray("devices");
                    all.forEach(slice -> slice.devices().forEach(device -> devices.add(entry(device, names))));
                });
        return drivers;
    }

    private boolean isNewest(ResourceSlice slice) {
        return slices.stream()
                .noneMatch(other -> other.driver().equals(slice.driver())
                        && other.pool().equals(slice.pool())
                        && other.generation() > slice.generation());
    }

    private ObjectNode entry(Device device, Names names) {
        ObjectNode entry = JsonNodeFactory.instance.objectNode();
        entry.putArray("names").add(names.apply(device.id().name()));
        entry.put("allowMultipleAllocations", device.shared());
        ObjectNode attributes = entry.putObject("attributes");
        for (String name : NumaNodes.ATTRIBUTES) {
            Optional.ofNullable(device.attributes().get(name))
                    .filter(known -> !known.values().isEmpty())
                    .ifPresent(known -> attributes.set(name, value(known)));
        }
        device.pciAddress().filter(address -> attributes.isEmpty()).ifPresent(address -> {
            attributes.set(NumaNodes.PCI_BUS_ID, value(DeviceAttribute.ofString(address.toString())));
            pci.getOrDefault(address, OptionalInt.empty()).ifPresent(id -> entry.put("pciNumaNode", id));
        });
        return entry;
    }

    /** In the form of the API. */
    private static ObjectNode value(DeviceAttribute attribute) {
        String type = attribute.type().name().toLowerCase(Locale.ROOT);
        ArrayNode values = JsonNodeFactory.instance.arrayNode();
        attribute
                .values()
                .forEach(each -> values.add(
                        attribute.type() == DeviceAttribute.Type.INT
                                ? LongNode.valueOf(Long.parseLong(each))
                                : TextNode.valueOf(each)));
        ObjectNode value = JsonNodeFactory.instance.objectNode();
        return attribute.list() ? value.set(type + "s", values) : value.set(type, values.get(0));
    }
}
