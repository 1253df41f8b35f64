package io.numaledger.scheduling.dra;

import io.numaledger.evaluation.claim.Device;
import io.numaledger.evaluation.claim.DeviceId;
import io.numaledger.evaluation.claim.DevicePool;
import io.numaledger.evaluation.claim.ResourceSlice;

import java.util.ArrayList;
import java.util.Collections;
import java.util.Comparator;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.NavigableMap;
import java.util.Optional;
import java.util.Set;
import java.util.SortedMap;
import java.util.TreeMap;
import java.util.function.Consumer;
import java.util.stream.Collectors;
import java.util.stream.Stream;

import static java.util.Objects.requireNonNull;

/**
 * The devices that slices publish. Of each pool, only the slices of its newest generation count. An event costs as much as its slice has
 * devices, and as much as the pool where a generation begins or ends. Not thread-safe.
 */
final class PublishedDevices {

    /** The name for devices that are not of one node. */
    static final String NO_NODE = "";

    /** Slices of a node whose problems are told. */
    private static final int MAX_SLICES = 3;

    private record PoolName(String driver, String name) implements Comparable<PoolName> {

        private static final Comparator<PoolName> ORDER =
                Comparator.comparing(PoolName::driver).thenComparing(PoolName::name);

        @Override
        public int compareTo(PoolName other) {
            return ORDER.compare(this, other);
        }
    }

    private final Map<String, ResourceSlice> slices = new HashMap<>();
    private final Map<PoolName, NavigableMap<Long, SortedMap<String, ResourceSlice>>> pools = new HashMap<>();
    private final Map<DeviceId, Device> devices = new HashMap<>();

    /** Several slices had a device of this name at the same time. */
    private final Set<DeviceId> repeated = new HashSet<>();

    /** Node → pool → name of the slice → devices of the node in it. */
    private final Map<String, SortedMap<PoolName, SortedMap<String, List<Device>>>> byNode = new HashMap<>();

    private final Consumer<Device> appeared;
    private final Consumer<Device> vanished;
    private final Consumer<String> changed;

    /**
     * @param appeared gets each device that counts from now on, also one that is changed
     * @param vanished gets each device that does not count any more, as it was
     * @param changed gets the name of each node whose devices are different, or NO_NODE
     */
    PublishedDevices(Consumer<Device> appeared, Consumer<Device> vanished, Consumer<String> changed) {
        this.appeared = appeared;
        this.vanished = vanished;
        this.changed = changed;
    }

    void put(ResourceSlice slice) {
        remove(slice.name());
        slices.put(slice.name(), slice);
        PoolName pool = poolOf(slice);
        boolean wasComplete = isComplete(pool);
        var generations = pools.computeIfAbsent(pool, any -> new TreeMap<>());
        if (!generations.isEmpty() && generations.lastKey() < slice.generation()) {
            generations.lastEntry().getValue().values().forEach(this::withdraw);
        }
        generations.computeIfAbsent(slice.generation(), any -> new TreeMap<>()).put(slice.name(), slice);
        if (generations.lastKey() == slice.generation()) {
            publish(slice);
        }
        reportCompleteness(pool, wasComplete);
    }

    void remove(String name) {
        ResourceSlice slice = slices.remove(name);
        if (slice == null) {
            return;
        }
        PoolName pool = poolOf(slice);
        boolean wasComplete = isComplete(pool);
        NavigableMap<Long, SortedMap<String, ResourceSlice>> generations = requireNonNull(pools.get(pool));
        boolean isNewest = generations.lastKey() == slice.generation();
        SortedMap<String, ResourceSlice> generation = requireNonNull(generations.get(slice.generation()));
        generation.remove(name);
        if (isNewest) {
            withdraw(slice);
        }
        if (generation.isEmpty()) {
            generations.remove(slice.generation());
            if (generations.isEmpty()) {
                pools.remove(pool);
            } else if (isNewest) {
                generations.lastEntry().getValue().values().forEach(this::publish);
            }
        }
        reportCompleteness(pool, wasComplete);
    }

    private void publish(ResourceSlice slice) {
        for (Device device : slice.devices()) {
            String node = nodeOf(device);
            add(device);
            byNode.computeIfAbsent(node, any -> new TreeMap<>())
                    .computeIfAbsent(poolOf(slice), any -> new TreeMap<>())
                    .computeIfAbsent(slice.name(), any -> new ArrayList<>())
                    .add(device);
            appeared.accept(device);
            changed.accept(node);
        }
    }

    private void withdraw(ResourceSlice slice) {
        for (Device device : slice.devices()) {
            devices.remove(device.id());
            withdraw(nodeOf(device), slice);
        }
        restore(slice);
        slice.devices().stream()
                .filter(device -> !devices.containsKey(device.id()))
                .forEach(vanished);
    }

    /** Other slices may still have devices of the same names. */
    private void restore(ResourceSlice withdrawn) {
        Set<DeviceId> lost = withdrawn.devices().stream()
                .map(Device::id)
                .filter(repeated::remove)
                .collect(Collectors.toSet());
        if (!lost.isEmpty()) {
            withdrawn.devices().stream()
                    .map(PublishedDevices::nodeOf)
                    .distinct()
                    .flatMap(node -> published(node, poolOf(withdrawn)))
                    .filter(device -> lost.contains(device.id()))
                    .forEach(this::add);
        }
    }

    private Stream<Device> published(String node, PoolName pool) {
        return byNode
                .getOrDefault(node, Collections.emptySortedMap())
                .getOrDefault(pool, Collections.emptySortedMap())
                .values()
                .stream()
                .flatMap(List::stream);
    }

    private void add(Device device) {
        if (devices.put(device.id(), device) != null) {
            repeated.add(device.id());
        }
    }

    private void withdraw(String node, ResourceSlice slice) {
        changed.accept(node);
        byNode.computeIfPresent(node, (same, pools) -> {
            pools.computeIfPresent(poolOf(slice), (pool, bySlice) -> {
                bySlice.remove(slice.name());
                return bySlice.isEmpty() ? null : bySlice;
            });
            return pools.isEmpty() ? null : pools;
        });
    }

    /** Each device of a pool is different when the pool is complete, or is not any more. */
    private void reportCompleteness(PoolName pool, boolean before) {
        if (isComplete(pool) != before) {
            newest(pool).values().stream()
                    .flatMap(slice -> slice.devices().stream())
                    .forEach(device -> changed.accept(nodeOf(device)));
        }
    }

    private boolean isComplete(PoolName pool) {
        SortedMap<String, ResourceSlice> slices = newest(pool);
        return !slices.isEmpty()
                && requireNonNull(slices.get(slices.firstKey())).sliceCount() == slices.size();
    }

    private SortedMap<String, ResourceSlice> newest(PoolName pool) {
        return Optional.ofNullable(pools.get(pool))
                .map(generations -> generations.lastEntry().getValue())
                .orElse(Collections.emptySortedMap());
    }

    static String nodeOf(Device device) {
        return device.node().orElse(NO_NODE);
    }

    private static PoolName poolOf(ResourceSlice slice) {
        return new PoolName(slice.driver(), slice.pool());
    }

    Optional<Device> device(DeviceId id) {
        return Optional.ofNullable(devices.get(id));
    }

    /** What of the first slices with devices of this node cannot be read, a sentence for each. */
    List<String> problemsOn(String node) {
        return byNode.getOrDefault(node, Collections.emptySortedMap()).values().stream()
                .flatMap(bySlice -> bySlice.keySet().stream())
                .map(name -> requireNonNull(slices.get(name)))
                .filter(slice -> !slice.problems().isEmpty())
                .limit(MAX_SLICES)
                .map(slice -> "the ResourceSlice %s of driver %s is read in part: %s; ask who runs its driver"
                        .formatted(slice.name(), slice.driver(), String.join("; ", slice.problems())))
                .toList();
    }

    boolean areOn(String node) {
        return byNode.containsKey(node);
    }

    /** The pools with devices of this node, or with those of no node. */
    List<DevicePool> poolsOf(String node) {
        List<DevicePool> found = new ArrayList<>();
        byNode.getOrDefault(node, Collections.emptySortedMap()).forEach((pool, slices) -> {
            List<Device> all = slices.values().stream().flatMap(List::stream).toList();
            SortedMap<String, Long> counters = new TreeMap<>();
            newest(pool).values().forEach(slice -> counters.putAll(slice.counters()));
            found.add(new DevicePool(pool.driver(), pool.name(), isComplete(pool) && areDifferent(all), all, counters));
        });
        return found;
    }

    /** kube-scheduler allocates nothing of a pool in which a name is repeated. */
    private boolean areDifferent(List<Device> devices) {
        return repeated.isEmpty() || devices.stream().map(Device::id).noneMatch(repeated::contains);
    }
}
