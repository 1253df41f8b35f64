package io.numaledger.simulator.hardware;

import java.util.Map;
import java.util.Optional;
import java.util.OptionalInt;
import java.util.SortedMap;
import java.util.regex.Pattern;

import static io.numaledger.topology.Sorted.sorted;

/**
 * One device of a DRA driver, as it stands in a ResourceSlice ({@code resource.k8s.io/v1}).
 *
 * @param attributes name → typed value, in the API's own form, such as <code>{int: 0}</code> or <code>{ints: [0, 1]}</code>
 * @param capacity name → in the API's own form, such as <code>{value: 80Gi}</code>
 * @param pciNumaNode what sysfs says of the device that has the attribute {@value #PCI_BUS_ID}
 */
public record DraDevice(
        String name,
        SortedMap<String, Map<String, Object>> attributes,
        SortedMap<String, Map<String, Object>> capacity,
        boolean allowMultipleAllocations,
        OptionalInt pciNumaNode) {

    static final String PCI_BUS_ID = "resource.kubernetes.io/pciBusID";

    private static final Pattern ADDRESS = Pattern.compile("[0-9a-f]{4,8}:[0-9a-f]{2}:[0-9a-f]{2}[.][0-7]");

    public DraDevice {
        attributes = sorted(attributes);
        capacity = sorted(capacity);
    }

    /** Its address on the PCI bus, if it says so. */
    Optional<String> pciBusId() {
        return Optional.ofNullable(attributes.get(PCI_BUS_ID))
                .map(value -> value.get("string"))
                .map(Object::toString)
                .filter(address -> ADDRESS.matcher(address).matches());
    }
}
