package io.numaledger.simulator.hardware;

import io.numaledger.kubelet.config.CpuManagerConfig;
import io.numaledger.kubelet.config.CpuPolicy;
import io.numaledger.kubelet.config.MemoryManagerConfig;
import io.numaledger.kubelet.config.MemoryPolicy;
import io.numaledger.kubelet.config.TopologyManagerConfig;
import io.numaledger.kubelet.config.TopologyPolicyName;
import io.numaledger.kubelet.config.TopologyScope;
import io.numaledger.placement.DeviceAllocation;
import io.numaledger.resource.Quantity;
import io.numaledger.topology.CpuSet;
import org.jspecify.annotations.Nullable;

import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalInt;
import java.util.OptionalLong;
import java.util.Set;
import java.util.SortedMap;
import java.util.SortedSet;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.function.Supplier;

import static java.util.Objects.requireNonNullElse;

/**
 * The node YAML as it is written: what may be left out is null here, and gets its default on the way to a {@link NodeSpec}.
 */
record YamlNodes(List<Node> nodes) {

    private static final String DEFAULT_RESERVED_MEMORY = "1Gi";

    /** Of all nodes. */
    private static final int MAX_DEVICES = 1 << 20;

    List<NodeSpec> toSpecs() {
        List<NodeSpec> specs = new ArrayList<>();
        Set<String> names = new HashSet<>();
        long devices = 0;
        for (int i = 0; i < required("nodes", nodes).size(); i++) {
            Node node = nodes.get(i);
            String at = "nodes[%d]".formatted(i);
            NodeSpec spec = within(at, () -> required(at, node).toSpec(at));
            if (!names.add(spec.name())) {
                throw NodeSpecYaml.malformed(at + ".name", "name=%s stands twice".formatted(spec.name()), null);
            }
            devices += spec.devices().stream()
                    .mapToLong(plugin -> plugin.devices().size())
                    .sum();
            atMost(MAX_DEVICES, devices, "nodes[].devices");
            specs.add(spec);
        }
        return List.copyOf(specs);
    }

    record Node(
            String name,
            Kubelet kubelet,
            String kubeletVersion,
            List<Numa> numaNodes,
            List<List<Integer>> distances,
            List<Device> devices,
            @Nullable List<YamlDraDriver> draDrivers) {

        NodeSpec toSpec(String at) {
            List<NumaNodeSpec> numa = new ArrayList<>();
            atMost(
                    NumaNodeSpec.MAX_ID + 1,
                    required(at + ".numaNodes", numaNodes).size(),
                    at + ".numaNodes");
            for (int i = 0; i < numaNodes.size(); i++) {
                Numa node = numaNodes.get(i);
                String nodeAt = at + ".numaNodes[%d]".formatted(i);
                numa.add(within(nodeAt, () -> required(nodeAt, node).toSpec(nodeAt)));
            }
            Kubelet settings = requireNonNullElse(kubelet, Kubelet.DEFAULTS);
            return new NodeSpec(
                    required(at + ".name", name),
                    within(at + ".kubelet", () -> settings.toSpec(at + ".kubelet", numa)),
                    Optional.ofNullable(kubeletVersion),
                    numa,
                    distances == null ? NodeSpec.defaultDistances(numa) : distances(at + ".distances", numa),
                    plugins(at),
                    drivers(at));
        }

        private List<DraDriverSpec> drivers(String at) {
            List<DraDriverSpec> drivers = new ArrayList<>();
            List<YamlDraDriver> written = requireNonNullElse(draDrivers, List.of());
            for (int i = 0; i < written.size(); i++) {
                String driverAt = at + ".draDrivers[%d]".formatted(i);
                drivers.add(required(driverAt, written.get(i)).toSpec(driverAt, name));
            }
            return drivers;
        }

        private SortedMap<Integer, SortedMap<Integer, Integer>> distances(String at, List<NumaNodeSpec> numa) {
            SortedMap<Integer, SortedMap<Integer, Integer>> rows = new TreeMap<>();
            boolean square = distances.size() == numa.size()
                    && distances.stream().allMatch(row -> row != null && row.size() == numa.size());
            if (!square) {
                throw NodeSpecYaml.malformed(
                        at, "expected %d rows of %d numbers".formatted(numa.size(), numa.size()), null);
            }
            for (int from = 0; from < numa.size(); from++) {
                SortedMap<Integer, Integer> row = new TreeMap<>();
                for (int to = 0; to < numa.size(); to++) {
                    row.put(numa.get(to).id(), distances.get(from).get(to));
                }
                rows.put(numa.get(from).id(), row);
            }
            return rows;
        }

        private List<DevicePluginSpec> plugins(String at) {
            Map<String, List<DeviceAllocation>> byResource = new TreeMap<>();
            Set<String> preferred = new HashSet<>();
            Map<String, Integer> most = new HashMap<>();
            long sum = 0;
            List<Device> written = requireNonNullElse(devices, List.of());
            for (int i = 0; i < written.size(); i++) {
                Device device = required(at + ".devices[%d]".formatted(i), written.get(i));
                String resource = required(at + ".devices[%d].resource".formatted(i), device.resource());
                sum += device.number(at + ".devices[%d]".formatted(i));
                atMost(NodeSpec.MAX_DEVICES, sum, at + ".devices");
                List<DeviceAllocation> all = byResource.computeIfAbsent(resource, key -> new ArrayList<>());
                all.addAll(device.toDevices(at + ".devices[%d]".formatted(i), all.size()));
                if (Boolean.TRUE.equals(device.preferredAllocation())) {
                    preferred.add(resource);
                }
                if (device.maxPerContainer() != null) {
                    most.merge(resource, device.maxPerContainer(), Math::min);
                }
            }
            return byResource.entrySet().stream()
                    .map(entry -> new DevicePluginSpec(
                            entry.getKey(),
                            entry.getValue(),
                            preferred.contains(entry.getKey()),
                            most.containsKey(entry.getKey())
                                    ? OptionalInt.of(most.get(entry.getKey()))
                                    : OptionalInt.empty()))
                    .toList();
        }
    }

    record Kubelet(
            @Nullable String topologyManagerPolicy,
            @Nullable String topologyManagerScope,
            @Nullable Map<String, String> topologyManagerPolicyOptions,
            @Nullable String cpuManagerPolicy,
            @Nullable Map<String, String> cpuManagerPolicyOptions,
            @Nullable String memoryManagerPolicy,
            @Nullable String reservedSystemCPUs,
            @Nullable List<Reserved> reservedMemory,
            @Nullable Map<String, Boolean> featureGates,
            @Nullable Boolean cgroupsPerQOS) {

        static final Kubelet DEFAULTS = new Kubelet(null, null, null, null, null, null, null, null, null, null);

        KubeletSpec toSpec(String at, List<NumaNodeSpec> numa) {
            return new KubeletSpec(
                    new TopologyManagerConfig(
                            TopologyPolicyName.parse(requireNonNullElse(topologyManagerPolicy, "single-numa-node")),
                            TopologyScope.parse(requireNonNullElse(topologyManagerScope, "container")),
                            new TreeMap<>(requireNonNullElse(topologyManagerPolicyOptions, Map.of()))),
                    new CpuManagerConfig(
                            CpuPolicy.parse(requireNonNullElse(cpuManagerPolicy, "static")),
                            new TreeMap<>(requireNonNullElse(cpuManagerPolicyOptions, Map.of())),
                            CpuSet.parse(requireNonNullElse(reservedSystemCPUs, "0")),
                            OptionalLong.empty()),
                    new MemoryManagerConfig(
                            MemoryPolicy.parse(requireNonNullElse(memoryManagerPolicy, "Static")),
                            reservedMemory == null
                                    ? defaultReserved(numa)
                                    : reserved(at + ".reservedMemory", reservedMemory),
                            Optional.empty()),
                    new TreeMap<>(requireNonNullElse(featureGates, Map.of())),
                    requireNonNullElse(cgroupsPerQOS, false));
        }

        /** 1 GiB of the first NUMA node that has memory. */
        private static SortedMap<Integer, SortedMap<String, Long>> defaultReserved(List<NumaNodeSpec> numa) {
            SortedMap<Integer, SortedMap<String, Long>> all = new TreeMap<>();
            numa.stream()
                    .filter(node -> node.memoryBytes() > 0)
                    .limit(1)
                    .forEach(node -> all.put(
                            node.id(), new TreeMap<>(Map.of("memory", bytes("memory", DEFAULT_RESERVED_MEMORY)))));
            return all;
        }

        private static SortedMap<Integer, SortedMap<String, Long>> reserved(String at, List<Reserved> written) {
            SortedMap<Integer, SortedMap<String, Long>> all = new TreeMap<>();
            for (int i = 0; i < written.size(); i++) {
                String entryAt = at + "[%d]".formatted(i);
                required(entryAt, written.get(i)).addTo(all, entryAt);
            }
            return all;
        }
    }

    record Reserved(Integer numaNode, Map<String, String> limits) {

        void addTo(SortedMap<Integer, SortedMap<String, Long>> all, String at) {
            SortedMap<String, Long> bytes = new TreeMap<>();
            required(at + ".limits", limits)
                    .forEach((type, amount) -> bytes.put(type, bytes(at + ".limits." + type, amount)));
            all.computeIfAbsent(required(at + ".numaNode", numaNode), any -> new TreeMap<>())
                    .putAll(bytes);
        }
    }

    record Numa(
            Integer id,
            Integer socket,
            Integer cores,
            Integer threadsPerCore,
            @Nullable List<String> coreCpus,
            @Nullable List<String> l3Caches,
            String memory,
            LinkedHashMap<String, Long> hugepages) {

        NumaNodeSpec toSpec(String at) {
            SortedMap<Long, Long> pages = new TreeMap<>();
            requireNonNullElse(hugepages, new LinkedHashMap<String, Long>())
                    .forEach((size, count) -> pages.put(bytes(at + ".hugepages." + size, size), count));
            int number = required(at + ".id", id);
            Optional<CpuLayout> layout =
                    Optional.ofNullable(coreCpus).map(cores -> new CpuLayout(sets(cores), sets(l3Caches)));
            return new NumaNodeSpec(
                    number,
                    requireNonNullElse(socket, number),
                    layout.map(cpus -> cpus.cores().size()).orElseGet(() -> required(at + ".cores", cores)),
                    layout.map(CpuLayout::threadsPerCore).orElse(requireNonNullElse(threadsPerCore, 1)),
                    bytes(at + ".memory", required(at + ".memory", memory)),
                    pages,
                    layout);
        }

        private static List<CpuSet> sets(@Nullable List<String> lists) {
            return requireNonNullElse(lists, List.<String>of()).stream()
                    .map(CpuSet::parse)
                    .toList();
        }
    }

    record Device(
            String resource,
            Integer count,
            List<Integer> numaNodes,
            List<String> ids,
            Boolean preferredAllocation,
            @Nullable Integer maxPerContainer) {

        int number(String at) {
            int number = ids == null ? required(at + ".count", count) : ids.size();
            if (number < 0) {
                throw NodeSpecYaml.malformed(at + ".count", "%d; expected 0 or more".formatted(number), null);
            }
            return number;
        }

        /** Ids, when none are written: the resource's last word and a number that goes on over the whole resource. */
        List<DeviceAllocation> toDevices(String at, int before) {
            SortedSet<Integer> nodes = new TreeSet<>(required(at + ".numaNodes", numaNodes));
            List<String> names = ids;
            if (names == null) {
                String word = resource.substring(resource.lastIndexOf('/') + 1);
                names = new ArrayList<>();
                for (int i = 0; i < number(at); i++) {
                    names.add("%s-%d".formatted(word, before + i));
                }
            } else if (count != null && count != names.size()) {
                throw NodeSpecYaml.malformed(at + ".ids", "%d ids for count=%d".formatted(names.size(), count), null);
            }
            return names.stream()
                    .map(id -> new DeviceAllocation(resource, id, nodes))
                    .toList();
        }
    }

    static void atMost(long limit, long count, String at) {
        if (count > limit) {
            throw NodeSpecYaml.malformed(at, "%d of them; expected at most %d".formatted(count, limit), null);
        }
    }

    private static long bytes(String at, String quantity) {
        try {
            return Quantity.parse(quantity).longValueExact();
        } catch (IllegalArgumentException | ArithmeticException cause) {
            throw NodeSpecYaml.malformed(at, "'%.40s' is no amount of bytes, such as 16Gi".formatted(quantity), cause);
        }
    }

    static <T> T required(String at, T value) {
        if (value == null) {
            throw NodeSpecYaml.malformed(at, "missing", null);
        }
        return value;
    }

    static <T> T within(String at, Supplier<T> build) {
        try {
            return build.get();
        } catch (IllegalArgumentException | ArithmeticException cause) {
            throw NodeSpecYaml.malformed(at, String.valueOf(cause.getMessage()), cause);
        }
    }
}
