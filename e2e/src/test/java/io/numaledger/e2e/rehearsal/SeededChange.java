package io.numaledger.e2e.rehearsal;

import io.numaledger.kubelet.config.CpuManagerConfig;
import io.numaledger.kubelet.config.CpuPolicy;
import io.numaledger.kubelet.config.KubeletVersion;
import io.numaledger.kubelet.config.MemoryManagerConfig;
import io.numaledger.kubelet.config.MemoryPolicy;
import io.numaledger.kubelet.config.TopologyManagerConfig;
import io.numaledger.kubelet.config.TopologyPolicyName;
import io.numaledger.kubelet.config.TopologyScope;
import io.numaledger.scheduling.rehearsal.KubeletChange;
import io.numaledger.simulator.hardware.KubeletSpec;
import io.numaledger.topology.CpuSet;

import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.Random;
import java.util.Set;
import java.util.SortedMap;
import java.util.TreeMap;

/**
 * A random change of a kubelet, as a rehearsal and as a configuration.
 *
 * @param version of the kubelet afterwards, {@code major.minor}
 */
record SeededChange(KubeletChange change, KubeletSpec after, String version) {

    private static final List<String> OPTIONS =
            List.of("full-pcpus-only", "distribute-cpus-across-numa", "align-by-socket", "strict-cpu-reservation");

    /**
     * Simulated kubelets of these versions run without in-place resize. A later one that finds their pods panics without cgroups of its own
     * (kuberuntime_manager.go, doPodResizeAction).
     */
    private static final Set<String> WITHOUT_RESIZE = Set.of("1.33", "1.34");

    /**
     * Draws one.
     *
     * @param kubelets the versions that there are
     */
    static SeededChange draw(Random random, KubeletSpec before, String version, List<String> kubelets) {
        Optional<String> otherVersion = chance(random, 25) && !WITHOUT_RESIZE.contains(version)
                ? Optional.of(kubelets.get(random.nextInt(kubelets.size())))
                : Optional.empty();
        Optional<TopologyPolicyName> policy =
                chance(random, 35) ? any(random, TopologyPolicyName.values()) : Optional.empty();
        Optional<TopologyScope> scope = chance(random, 20) ? any(random, TopologyScope.values()) : Optional.empty();
        Optional<CpuPolicy> cpus = chance(random, 10) ? any(random, CpuPolicy.values()) : Optional.empty();
        Optional<MemoryPolicy> memory = chance(random, 10) ? Optional.of(MemoryPolicy.NONE) : Optional.empty();
        SortedMap<String, Optional<String>> options = new TreeMap<>();
        if (chance(random, 35)) {
            options.put(OPTIONS.get(random.nextInt(OPTIONS.size())), Optional.of("true"));
        }
        Optional<CpuSet> reserved = chance(random, 15)
                ? Optional.of(List.of(CpuSet.of(0), CpuSet.parse("0-1"), CpuSet.parse("0,4"), CpuSet.parse("0,64"))
                        .get(random.nextInt(4)))
                : Optional.empty();
        SortedMap<Integer, SortedMap<String, Long>> reservedMemory = new TreeMap<>();
        if (chance(random, 10)) {
            reservedMemory.put(0, new TreeMap<>(Map.of("memory", (1L + random.nextInt(2)) << 30)));
        }
        SortedMap<String, Boolean> gates = new TreeMap<>();
        if (!options.isEmpty() && chance(random, 70)) {
            gates.put("CPUManagerPolicyAlphaOptions", true);
        }
        if (otherVersion.isPresent()) {
            gates.put("InPlacePodVerticalScaling", !WITHOUT_RESIZE.contains(otherVersion.get()));
        }
        KubeletChange change = new KubeletChange(
                otherVersion.map(KubeletVersion::parse),
                policy,
                scope,
                cpus,
                memory,
                options,
                reserved,
                reservedMemory,
                gates);
        return new SeededChange(change, after(before, change), otherVersion.orElse(version));
    }

    private static boolean chance(Random random, int percent) {
        return random.nextInt(100) < percent;
    }

    private static <T> Optional<T> any(Random random, T[] values) {
        return Optional.of(values[random.nextInt(values.length)]);
    }

    private static KubeletSpec after(KubeletSpec before, KubeletChange change) {
        SortedMap<String, String> options = new TreeMap<>(before.cpuManager().options());
        change.policyOptions().forEach((name, value) -> options.put(name, value.orElseThrow()));
        SortedMap<String, Boolean> gates = new TreeMap<>(before.featureGates());
        gates.putAll(change.featureGates());
        return new KubeletSpec(
                new TopologyManagerConfig(
                        change.topologyPolicy().orElse(before.topologyManager().policy()),
                        change.topologyScope().orElse(before.topologyManager().scope()),
                        before.topologyManager().options()),
                new CpuManagerConfig(
                        change.cpuPolicy().orElse(before.cpuManager().policy()),
                        options,
                        change.reservedCpus().orElse(before.reservedSystemCpus()),
                        OptionalLong.empty()),
                new MemoryManagerConfig(
                        change.memoryPolicy().orElse(before.memoryManager().policy()),
                        change.reservedMemory().isEmpty()
                                ? before.memoryManager().reservedMemory()
                                : change.reservedMemory(),
                        Optional.empty()),
                gates,
                before.cgroupsPerQos());
    }

    @Override
    public String toString() {
        return change.toString().replaceAll("\\w+=(Optional\\.empty|\\{}),? ?", "");
    }
}
