package io.numaledger.nrt;

import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.core.type.TypeReference;
import com.fasterxml.jackson.databind.ObjectMapper;
import io.numaledger.placement.DeviceAllocation;

import java.util.Collection;
import java.util.Collections;
import java.util.Optional;
import java.util.SortedMap;
import java.util.SortedSet;
import java.util.TreeMap;
import java.util.TreeSet;

/**
 * The devices that pods hold although the kubelet does not report them as healthy. As text {@code {"example.com/gpu":["gpu-0"]}}.
 *
 * @param ids resource → ids of its devices
 */
public record UnhealthyDevices(SortedMap<String, SortedSet<String>> ids) {

    public static final UnhealthyDevices NONE = new UnhealthyDevices(Collections.emptySortedMap());

    /** A longer text is not written and not read: zones then say how many such devices there are, and nothing says which. */
    private static final int MAX_CHARACTERS = 64 << 10;

    private static final ObjectMapper JSON = new ObjectMapper();

    public UnhealthyDevices {
        TreeMap<String, SortedSet<String>> copy = new TreeMap<>();
        ids.forEach((resource, some) -> copy.put(resource, Collections.unmodifiableSortedSet(new TreeSet<>(some))));
        ids = Collections.unmodifiableSortedMap(copy);
    }

    static UnhealthyDevices of(Collection<DeviceAllocation> devices) {
        TreeMap<String, SortedSet<String>> ids = new TreeMap<>();
        devices.forEach(device ->
                ids.computeIfAbsent(device.resource(), any -> new TreeSet<>()).add(device.deviceId()));
        return new UnhealthyDevices(ids);
    }

    public boolean contains(String resource, String id) {
        return ids.containsKey(resource) && ids.get(resource).contains(id);
    }

    /** How many of one resource. */
    public int count(String resource) {
        return ids.containsKey(resource) ? ids.get(resource).size() : 0;
    }

    /** Absent: there are none, or too many. */
    Optional<String> text() {
        try {
            return Optional.of(JSON.writeValueAsString(ids))
                    .filter(text -> !ids.isEmpty() && text.length() <= MAX_CHARACTERS);
        } catch (JsonProcessingException e) {
            throw new IllegalStateException("a map of texts cannot fail to be written", e);
        }
    }

    /** The devices that a topology names; none where its attribute is absent or unreadable. */
    public static UnhealthyDevices of(NodeTopology topology) {
        String text = topology.attributes().getOrDefault(TopologyAttributes.UNHEALTHY_DEVICES, "");
        if (text.isEmpty() || text.length() > MAX_CHARACTERS) {
            return NONE;
        }
        try {
            TreeMap<String, TreeSet<String>> ids =
                    JSON.readValue(text, new TypeReference<TreeMap<String, TreeSet<String>>>() {});
            return new UnhealthyDevices(new TreeMap<>(ids));
        } catch (JsonProcessingException | NullPointerException e) {
            return NONE;
        }
    }
}
