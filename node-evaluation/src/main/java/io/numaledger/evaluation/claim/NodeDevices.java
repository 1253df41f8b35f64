package io.numaledger.evaluation.claim;

import io.numaledger.resource.Saturating;
import io.numaledger.topology.Sorted;

import java.util.ArrayList;
import java.util.Collection;
import java.util.Collections;
import java.util.Comparator;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
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
 * @param consumed what claims hold of the capacity of shared devices, by its qualified name
 */
public record NodeDevices(
        List<DevicePool> pools,
        List<Device> vanished,
        SortedMap<DeviceId, String> claims,
        SortedMap<DeviceId, SortedMap<String, Long>> consumed) {

    public static final NodeDevices NONE = new NodeDevices(List.of(), List.of(), Collections.emptySortedMap());

    public NodeDevices {
        pools = List.copyOf(pools);
        vanished = List.copyOf(vanished);
        claims = sorted(claims);
        consumed = sorted(consumed, Sorted::sorted);
    }

    /** Devices of which claims hold all or nothing. */
    public NodeDevices(List<DevicePool> pools, List<Device> vanished, SortedMap<DeviceId, String> claims) {
        this(pools, vanished, claims, Collections.emptySortedMap());
    }

    /** All devices, those without a slice last. */
    public List<Device> devices() {
        List<Device> all = new ArrayList<>();
        pools.forEach(pool -> all.addAll(pool.devices()));
        all.addAll(vanished);
        return all;
    }

    /**
     * The devices that one more claim without tolerations could get for itself, in the order of {@link #pools}: of complete pools, not
     * tainted, held by no claim, and with counters left.
     */
    public List<Device> free() {
        Set<DeviceId> unavailable = unavailable();
        return complete()
                .filter(device -> device.taints().isEmpty() && !unavailable.contains(device.id()))
                .toList();
    }

    /** The devices that a further claim could get: free ones, tainted ones, and those that claims share, which may be used up. */
    public List<Device> allocatable() {
        Set<DeviceId> unavailable = unavailable();
        return complete()
                .filter(device -> device.shared() || !unavailable.contains(device.id()))
                .toList();
    }

    /**
     * The devices that claims hold, and those that lack counters because devices of this node that claims hold use too much of them. A
     * counter that cannot be read lacks nothing.
     */
    public Set<DeviceId> unavailable() {
        Set<DeviceId> unavailable = new HashSet<>(claims.keySet());
        pools.stream().filter(pool -> !pool.counters().isEmpty()).forEach(pool -> {
            SortedMap<String, Long> left = new TreeMap<>(pool.counters());
            Stream.concat(pool.devices().stream(), vanished.stream().filter(device -> isOf(pool, device)))
                    .filter(device -> claims.containsKey(device.id()))
                    .forEach(device -> device.counters()
                            .forEach((name, amount) ->
                                    left.computeIfPresent(name, (any, rest) -> Saturating.subtract(rest, amount))));
            pool.devices().stream()
                    .filter(device -> device.counters().entrySet().stream()
                            .anyMatch(each -> left.getOrDefault(each.getKey(), Long.MAX_VALUE) < each.getValue()))
                    .forEach(device -> unavailable.add(device.id()));
        });
        return unavailable;
    }

    private static boolean isOf(DevicePool pool, Device device) {
        return device.id().driver().equals(pool.driver()) && device.id().pool().equals(pool.name());
    }

    private Stream<Device> complete() {
        return pools.stream().filter(DevicePool::complete).flatMap(pool -> pool.devices().stream());
    }

    /** These devices after a claim holds more of them. */
    public NodeDevices held(Collection<Device> more, String claim) {
        SortedMap<DeviceId, String> held = new TreeMap<>(claims);
        more.forEach(device -> held.put(device.id(), claim));
        return new NodeDevices(pools, vanished, held, consumed);
    }

    /** These devices after some claims hold none. */
    public NodeDevices released(Predicate<String> which) {
        SortedMap<DeviceId, String> held = new TreeMap<>(claims);
        held.values().removeIf(which);
        return new NodeDevices(pools, vanished, held, consumed);
    }

    /** The numbers of devices by driver and NUMA node, unknown ones last. */
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
            node.complete().forEach(device -> counts.computeIfAbsent(Place.of(device), any -> new int[2]));
            node.free().forEach(device -> count(device, 1, counts));
        });
        return counts.entrySet().stream()
                .map(each -> new DeviceCounts(
                        each.getKey().driver(), each.getKey().numaNode(), each.getValue()[0], each.getValue()[1]))
                .toList();
    }

    private static void count(Device device, int which, Map<Place, int[]> counts) {
        counts.computeIfAbsent(Place.of(device), any -> new int[2])[which]++;
    }

    /** The capacity of shared devices, and of those that are CPUs or memory, by driver, NUMA node and name. */
    public List<DeviceCapacity> capacities() {
        Map<Place, SortedMap<String, long[]>> sums = new TreeMap<>(Place.ORDER);
        devices().stream()
                .filter(device -> device.shared()
                        || ClaimAlignment.RESOURCES.containsKey(device.id().driver()))
                .forEach(device -> device.capacity().forEach((name, amount) -> {
                    long[] sum = sums.computeIfAbsent(Place.of(device), any -> new TreeMap<>())
                            .computeIfAbsent(name, any -> new long[2]);
                    sum[0] = Saturating.add(sum[0], amount.whole());
                    sum[1] = Saturating.add(sum[1], claimed(device, name, amount.whole()));
                }));
        List<DeviceCapacity> capacities = new ArrayList<>();
        sums.forEach((place, byName) -> byName.forEach((name, sum) ->
                capacities.add(new DeviceCapacity(place.driver(), place.numaNode(), name, sum[0], sum[1]))));
        return capacities;
    }

    private long claimed(Device device, String capacity, long all) {
        return device.shared()
                ? consumed.getOrDefault(device.id(), Collections.emptySortedMap())
                        .getOrDefault(capacity, 0L)
                : claims.containsKey(device.id()) ? all : 0;
    }

    private record Place(String driver, Optional<Integer> numaNode) {

        static final Comparator<Place> ORDER = Comparator.comparing(Place::driver)
                .thenComparing(place -> place.numaNode().orElse(Integer.MAX_VALUE));

        static Place of(Device device) {
            return new Place(device.id().driver(), device.numaNodes().known().map(NumaNodes.Known::physical));
        }
    }
}
