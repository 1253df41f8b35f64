package io.numaledger.simulator.deviceplugin;

import io.numaledger.placement.DeviceAllocation;

import java.util.ArrayList;
import java.util.Collection;
import java.util.Comparator;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.stream.Collectors;

/**
 * Which devices go together: after those that must be in, the ones of a single place (the same NUMA nodes) that is just large
 * enough; where no place is, whole places from the largest down. Lower ids first.
 */
public final class PreferredDevices {

    private final Map<String, DeviceAllocation> devices;

    public PreferredDevices(Collection<DeviceAllocation> devices) {
        this.devices = devices.stream()
                .collect(Collectors.toMap(
                        DeviceAllocation::deviceId, device -> device, (first, second) -> first, TreeMap::new));
    }

    /** At most {@code size} ids, fewer when fewer are available. */
    public Set<String> choose(Collection<String> available, Collection<String> mustInclude, int size) {
        Set<String> chosen = new TreeSet<>(mustInclude);
        Map<String, List<String>> places = new TreeMap<>();
        available.stream()
                .distinct()
                .sorted()
                .filter(id -> !chosen.contains(id))
                .forEach(id -> places.computeIfAbsent(place(id), key -> new ArrayList<>())
                        .add(id));
        while (chosen.size() < size && !places.isEmpty()) {
            int need = size - chosen.size();
            String place = bestPlace(places, need);
            places.remove(place).stream().limit(need).forEach(chosen::add);
        }
        return chosen;
    }

    private static String bestPlace(Map<String, List<String>> places, int need) {
        Comparator<Map.Entry<String, List<String>>> bySize =
                Comparator.comparingInt(entry -> entry.getValue().size());
        return places.entrySet().stream()
                .filter(entry -> entry.getValue().size() >= need)
                .min(bySize)
                .or(() -> places.entrySet().stream().max(bySize))
                .orElseThrow()
                .getKey();
    }

    private String place(String id) {
        DeviceAllocation device = devices.get(id);
        return device == null ? "" : device.numaNodes().toString();
    }
}
