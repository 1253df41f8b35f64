package io.numaledger.bridge.claim;

import java.util.ArrayList;
import java.util.Collection;
import java.util.Comparator;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.SortedMap;
import java.util.TreeMap;
import java.util.function.Predicate;
import java.util.stream.Stream;

import static io.numaledger.topology.Sorted.sorted;

/**
 * The devices of one node, and what claims hold of them, at one instant.
 *
 * @param pools by driver and name
 * @param vanished devices that no slice has any more while a claim holds them, as they were read last
 * @param claims the key of a claim for each device that one holds; of a shared device, the first by name
 */
public record NodeDevices(List<DevicePool> pools, List<Device> vanished, SortedMap<DeviceId, String> claims) {

    public static final NodeDevices NONE = new NodeDevices(List.of(), List.of(), new TreeMap<>());

    public NodeDevices {
        pools = List.copyOf(pools);
        vanished = List.copyOf(vanished);
        claims = sorted(claims);
    }

    /** All of them, those without a slice last. */
    public List<Device> devices() {
        List<Device> all = new ArrayList<>();
        pools.forEach(pool -> all.addAll(pool.devices()));
        all.addAll(vanished);
        return all;
    }

    /** Those that no claim holds, of complete pools, in the order of {@link #pools}. Their taints are not looked at. */
    public List<Device> free() {
        return complete().filter(device -> !claims.containsKey(device.id())).toList();
    }

    /** Those that a further claim could get: free ones, and those that claims share, which may be used up. */
    public List<Device> allocatable() {
        return complete()
                .filter(device -> device.shared() || !claims.containsKey(device.id()))
                .toList();
    }

    private Stream<Device> complete() {
        return pools.stream().filter(DevicePool::complete).flatMap(pool -> pool.devices().stream());
    }

    /** The same after a claim holds more of them. */
    public NodeDevices held(Collection<Device> more, String claim) {
        SortedMap<DeviceId, String> held = new TreeMap<>(claims);
        more.forEach(device -> held.put(device.id(), claim));
        return new NodeDevices(pools, vanished, held);
    }

    /** The same after these claims hold none. */
    public NodeDevices released(Predicate<String> which) {
        SortedMap<DeviceId, String> held = new TreeMap<>(claims);
        held.values().removeIf(which);
        return new NodeDevices(pools, vanished, held);
    }

    /** By driver and NUMA node, unknown ones last. */
    public List<DeviceCounts> counts() {
        return counts(Stream.of(this));
    }

    /** The sums of several nodes, in the same order. */
    public static List<DeviceCounts> counts(Stream<NodeDevices> nodes) {
        Map<Place, int[]> counts = new TreeMap<>(Place.ORDER);
        nodes.forEach(node -> {
            node.devices().stream()
                    .filter(device -> node.claims().containsKey(device.id()))
                    .forEach(device -> count(device, 0, counts));
            node.free().forEach(device -> count(device, 1, counts));
        });
        return counts.entrySet().stream()
                .map(each -> new DeviceCounts(
                        each.getKey().driver(), each.getKey().numaNode(), each.getValue()[0], each.getValue()[1]))
                .toList();
    }

    private static void count(Device device, int which, Map<Place, int[]> counts) {
        Place place = new Place(device.id().driver(), device.numaNodes().known().map(NumaNodes.Known::physical));
        counts.computeIfAbsent(place, any -> new int[2])[which]++;
    }

    private record Place(String driver, Optional<Integer> numaNode) {

        static final Comparator<Place> ORDER = Comparator.comparing(Place::driver)
                .thenComparing(place -> place.numaNode().orElse(Integer.MAX_VALUE));
    }
}
