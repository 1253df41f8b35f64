package io.numaledger.benchmarks.claims;

import java.util.ArrayList;
import java.util.Comparator;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.stream.IntStream;

/** How many pods somebody who knows all of them beforehand can run with their CPUs and their device on one NUMA node. */
final class ClaimsOracle {

    /** What is free of a NUMA node. */
    record Zone(int cpus, int devices) {

        private static final Comparator<Zone> MOST_FREE_FIRST =
                Comparator.comparing(Zone::cpus).thenComparing(Zone::devices).reversed();

        private boolean takes(int pod) {
            return devices > 0 && cpus >= pod;
        }

        private Zone with(int pod) {
            return new Zone(cpus - pod, devices - 1);
        }
    }

    /**
     * Equal nodes.
     *
     * @param cpus of each NUMA node that pods may use
     * @param devices the NUMA node of each, in the order in which kube-scheduler takes them
     */
    record Nodes(int count, List<Integer> cpus, List<Integer> devices) {

        private List<Zone> zones() {
            List<Zone> zones = new ArrayList<>();
            for (int node = 0; node < count; node++) {
                for (int zone = 0; zone < cpus.size(); zone++) {
                    int id = zone;
                    zones.add(new Zone(cpus.get(id), (int)
                            devices.stream().filter(device -> device == id).count()));
                }
            }
            return zones;
        }
    }

    /** Pods in zones, or devices and CPUs of a node, that were tried already. */
    private record Packed(int pods, List<Zone> zones) {}

    private record Taken(int devices, List<Integer> free) {}

    private final List<Integer> ascending;
    private final Nodes nodes;
    private final Set<Packed> tried = new HashSet<>();
    private final Map<Taken, Integer> known = new HashMap<>();

    /** @param pods the CPUs of each, which claims one device */
    ClaimsOracle(List<Integer> pods, Nodes nodes) {
        this.ascending = pods.stream().sorted().toList();
        this.nodes = nodes;
    }

    /** The most pods where node, NUMA node and device of each are chosen: the smallest ones, as a larger one only takes more. */
    int choosingDevices() {
        List<Zone> zones = nodes.zones();
        return IntStream.iterate(ascending.size(), count -> count - 1)
                .filter(count -> fit(count, zones))
                .findFirst()
                .orElseThrow();
    }

    private boolean fit(int pods, List<Zone> zones) {
        List<Zone> sorted = zones.stream().sorted(Zone.MOST_FREE_FIRST).toList();
        if (pods == 0 || !tried.add(new Packed(pods, sorted))) {
            return pods == 0;
        }
        int largest = ascending.get(pods - 1);
        return sorted.stream()
                .distinct()
                .filter(zone -> zone.takes(largest))
                .anyMatch(zone -> fit(pods - 1, with(sorted, sorted.indexOf(zone), zone.with(largest))));
    }

    /**
     * An upper bound where only the node and the order of pods are chosen, by refusing others: kube-scheduler takes the first free device of a
     * node, and the kubelet takes CPUs from the first NUMA node that has enough of them. Each node by itself may run any of the pods, as often as
     * it likes.
     */
    int choosingNodes() {
        return Math.min(choosingDevices(), nodes.count() * most(0, nodes.cpus()));
    }

    private int most(int taken, List<Integer> free) {
        if (taken == nodes.devices().size()) {
            return 0;
        }
        Taken state = new Taken(taken, free);
        Integer before = known.get(state);
        if (before != null) {
            return before;
        }
        int zone = nodes.devices().get(taken);
        int most = ascending.stream()
                .distinct()
                .filter(pod -> zoneOfCpus(pod, free) == zone)
                .mapToInt(pod -> 1 + most(taken + 1, with(free, zone, free.get(zone) - pod)))
                .max()
                .orElse(0);
        known.put(state, most);
        return most;
    }

    /** Of masks that are equally narrow, the kubelet takes that with the lowest ids (cm/topologymanager/policy.go). None: -1. */
    private static int zoneOfCpus(int pod, List<Integer> free) {
        return IntStream.range(0, free.size())
                .filter(zone -> free.get(zone) >= pod)
                .findFirst()
                .orElse(-1);
    }

    private static <T> List<T> with(List<T> list, int at, T value) {
        List<T> changed = new ArrayList<>(list);
        changed.set(at, value);
        return changed;
    }
}
