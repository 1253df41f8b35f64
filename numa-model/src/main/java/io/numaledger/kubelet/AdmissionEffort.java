package io.numaledger.kubelet;

import io.numaledger.kubelet.config.TopologyPolicyName;
import io.numaledger.kubelet.device.Device;
import io.numaledger.resource.Saturating;
import io.numaledger.topology.AffinityMask;
import io.numaledger.topology.NumaNode;

import java.util.List;
import java.util.Optional;
import java.util.SortedMap;
import java.util.TreeMap;
import java.util.stream.Stream;

/**
 * How long the kubelet itself needs to admit one container that requests all aligned resources of an empty machine. It lists every
 * mask of NUMA nodes for each resource, and then compares every combination of one hint per resource
 * (cm/topologymanager/bitmask/bitmask.go, IterateBitMasks; cm/topologymanager/policy.go, iterateAllProviderTopologyHints).
 *
 * @param memory the Memory Manager is on
 * @param findsPreferred preferred hints are combined first, and one NUMA node has all resources: few combinations are compared (1.38)
 * @param limitsDevices device hints are over the NUMA nodes with such devices only (1.36)
 * @param numaNodes how many there are
 * @param withCpus how many have CPUs; 0 if the CPU Manager is off
 * @param withMemory how many have memory
 * @param devices resource → how many NUMA nodes have such devices
 */
public record AdmissionEffort(
        TopologyPolicyName policy,
        boolean memory,
        boolean findsPreferred,
        boolean limitsDevices,
        int numaNodes,
        int withCpus,
        int withMemory,
        SortedMap<String, Integer> devices) {

    /** How many a kubelet 1.36 looks at in a millisecond, see benchmarks/results/numa-nodes.md. */
    private static final long MASKS_PER_MS = 500;

    private static final long COMBINATIONS_PER_MS = 8_000;

    private static final long MS_PER_SECOND = 1000;

    private static final long SECONDS_PER_HOUR = 3600;

    public static AdmissionEffort of(KubeletModel kubelet) {
        List<NumaNode> nodes = kubelet.machine().topology().numaNodes();
        SortedMap<String, Integer> devices = new TreeMap<>();
        kubelet.machine().devices().forEach((resource, all) -> {
            int hosts = all.stream()
                    .map(Device::numaNodes)
                    .reduce(AffinityMask.NONE, AffinityMask::or)
                    .count();
            if (hosts > 0) {
                devices.put(resource, hosts);
            }
        });
        return new AdmissionEffort(
                kubelet.rules().topologyPolicy(),
                kubelet.rules().memoryManagerOn(),
                kubelet.rules().version().mergesPreferredHintsFirst() && oneNodeHasAll(kubelet),
                kubelet.rules().version().limitsDeviceHintsToDeviceNodes(),
                nodes.size(),
                kubelet.rules().cpuManagerOn()
                        ? (int) nodes.stream()
                                .filter(node -> !node.cpus().isEmpty())
                                .count()
                        : 0,
                (int) nodes.stream()
                        .filter(node -> node.memoryBytes().orElse(0) > 0)
                        .count(),
                devices);
    }

    /** The preferred hints of a small request have one NUMA node. */
    private static boolean oneNodeHasAll(KubeletModel kubelet) {
        return kubelet.machine().topology().numaNodes().stream()
                .filter(node -> !kubelet.rules().cpuManagerOn() || !node.cpus().isEmpty())
                .filter(node ->
                        !kubelet.rules().memoryManagerOn() || node.memoryBytes().orElse(0) > 0)
                .anyMatch(node -> kubelet.machine().devices().values().stream()
                        .filter(all -> all.stream()
                                .anyMatch(device -> !device.numaNodes().isEmpty()))
                        .allMatch(all -> all.stream()
                                .anyMatch(device -> device.numaNodes().contains(node.id()))));
    }

    /** About so long, or longer where the counts are beyond a long. */
    public long seconds() {
        return (maskCount() / MASKS_PER_MS + combinations() / COMBINATIONS_PER_MS) / MS_PER_SECOND;
    }

    private long maskCount() {
        long masks = memory ? subsets(numaNodes) : 0;
        if (policy == TopologyPolicyName.NONE) {
            return masks;
        }
        masks = Saturating.add(masks, subsets(withCpus));
        for (int hosts : devices.values()) {
            masks = Saturating.add(masks, subsets(limitsDevices ? hosts : numaNodes));
        }
        return masks;
    }

    private long combinations() {
        if (policy == TopologyPolicyName.NONE || (findsPreferred && policy != TopologyPolicyName.SINGLE_NUMA_NODE)) {
            return 0;
        }
        boolean single = policy == TopologyPolicyName.SINGLE_NUMA_NODE;
        long product = withCpus == 0 ? 1 : single ? withCpus : subsets(withCpus);
        if (memory && withMemory > 0) {
            product = Saturating.multiply(product, single ? withMemory : touching(withMemory, numaNodes));
        }
        for (int hosts : devices.values()) {
            long hints = single ? hosts : touching(hosts, limitsDevices ? hosts : numaNodes);
            product = Saturating.multiply(product, hints);
        }
        return product;
    }

    private static long subsets(int of) {
        return of >= Long.SIZE - 1 ? Long.MAX_VALUE : (1L << of) - 1;
    }

    /** Subsets of {@code all} NUMA nodes with at least one of some. */
    private static long touching(int some, int all) {
        return Saturating.multiply(subsets(some), Saturating.add(subsets(all - some), 1));
    }

    /** One sentence about an effort of a second or more, with the setting that avoids it; empty if the kubelet is quick. */
    public Optional<String> warning() {
        if (seconds() < 1) {
            return Optional.empty();
        }
        return Optional.of("the kubelet needs %s to admit a container that requests %s on %d NUMA nodes; %s"
                .formatted(duration(), String.join(", ", resources()), numaNodes, advice()));
    }

    private List<String> resources() {
        return Stream.of(
                        withCpus > 0 ? Stream.of("cpu") : Stream.<String>empty(),
                        memory ? Stream.of("memory") : Stream.<String>empty(),
                        devices.keySet().stream())
                .flatMap(names -> names)
                .toList();
    }

    private String duration() {
        if (seconds() < 120) {
            return "about %d s".formatted(seconds());
        }
        if (seconds() < 2 * SECONDS_PER_HOUR) {
            return "about %d minutes".formatted(seconds() / 60);
        }
        return seconds() < 48 * SECONDS_PER_HOUR
                ? "about %d hours".formatted(seconds() / SECONDS_PER_HOUR)
                : "days or longer";
    }

    private String advice() {
        AdmissionEffort newer =
                new AdmissionEffort(policy, memory, findsPreferred, true, numaNodes, withCpus, withMemory, devices);
        if (newer.seconds() < 1) {
            return "kubelet 1.36 avoids that";
        }
        if (with(TopologyPolicyName.SINGLE_NUMA_NODE, memory).seconds() < 1) {
            return "topologyManagerPolicy single-numa-node avoids that";
        }
        if (with(policy, false).seconds() < 1) {
            return "memoryManagerPolicy None avoids that";
        }
        if (with(TopologyPolicyName.SINGLE_NUMA_NODE, false).seconds() < 1) {
            return "topologyManagerPolicy single-numa-node together with memoryManagerPolicy None avoids that";
        }
        return "no setting of the managers avoids that; merge NUMA nodes in the firmware or the driver";
    }

    private AdmissionEffort with(TopologyPolicyName otherPolicy, boolean memoryOn) {
        return new AdmissionEffort(
                otherPolicy, memoryOn, findsPreferred, limitsDevices, numaNodes, withCpus, withMemory, devices);
    }
}
