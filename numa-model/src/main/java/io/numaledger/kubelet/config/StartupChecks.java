package io.numaledger.kubelet.config;

import io.numaledger.kubelet.config.KubeletRules.PodLevel;
import io.numaledger.topology.CpuSet;
import io.numaledger.topology.MachineTopology;

import java.util.EnumSet;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.SortedMap;
import java.util.TreeMap;

/**
 * The checks of the kubelet at its start, in its order: feature gates, Topology Manager, CPU Manager, Memory Manager
 * (cm/container_manager_linux.go, NewContainerManager). Where several options are wrong, the kubelet names any one of
 * them; here it is the first by name.
 */
public final class StartupChecks {

    private static final List<List<CpuOption>> EXCLUSIONS = List.of(
            List.of(CpuOption.FULL_PCPUS_ONLY, CpuOption.DISTRIBUTE_CPUS_ACROSS_CORES),
            List.of(CpuOption.DISTRIBUTE_CPUS_ACROSS_NUMA, CpuOption.DISTRIBUTE_CPUS_ACROSS_CORES),
            List.of(CpuOption.PREFER_ALIGN_CPUS_BY_UNCORECACHE, CpuOption.DISTRIBUTE_CPUS_ACROSS_CORES),
            List.of(CpuOption.PREFER_ALIGN_CPUS_BY_UNCORECACHE, CpuOption.DISTRIBUTE_CPUS_ACROSS_NUMA));

    /** Up to here a resource has at most 511 masks. A kubelet takes 8 NUMA nodes by default. */
    private static final int MOST_NUMA_NODES_LISTED = 9;

    private StartupChecks() {}

    /**
     * The rules by which this kubelet decides, after everything but the memory reservation was checked.
     *
     * @throws StartupRefusedException with the kubelet's message, when it would not start
     */
    public static KubeletRules rules(KubeletConfig config, MachineTopology machine) {
        checkGates(config);
        TopologyOptions topologyOptions = topologyManager(config, machine);
        Set<CpuOption> cpuOptions = EnumSet.noneOf(CpuOption.class);
        if (config.cpuManager().policy() == CpuPolicy.STATIC) {
            checkReservedCpus(config.cpuManager(), machine);
            cpuOptions.addAll(cpuOptions(config));
            checkSockets(config, cpuOptions, machine);
        } else if (!config.cpuManager().options().isEmpty()) {
            throw new StartupRefusedException("new none policy error: None policy: received unsupported options="
                    + GoText.map(config.cpuManager().options()));
        }
        return new KubeletRules(
                config,
                topologyOptions,
                cpuOptions,
                podLevel(config),
                machine.numaNodes().size() <= MOST_NUMA_NODES_LISTED);
    }

    private static void checkGates(KubeletConfig config) {
        config.featureGates()
                .forEach((gate, on) ->
                        KnownGate.objection(gate, on, config.version()).ifPresent(StartupChecks::refuse));
        KnownGate.missingGround(config).ifPresent(StartupChecks::refuse);
        if (!config.gate("CPUManagerPolicyOptions", true)
                && !config.cpuManager().options().isEmpty()) {
            throw new StartupRefusedException(
                    "CPU Manager policy options %s require feature gates \"CPUManager\", \"CPUManagerPolicyOptions\" enabled"
                            .formatted(GoText.map(config.cpuManager().options())));
        }
        if (!config.gate("TopologyManagerPolicyOptions", config.version().minor() >= 28)
                && !config.topologyManager().options().isEmpty()) {
            throw new StartupRefusedException(
                    "topology manager policy options %s require feature gates \"TopologyManagerPolicyOptions\" enabled"
                            .formatted(GoText.map(config.topologyManager().options())));
        }
    }

    private static void refuse(String message) {
        throw new StartupRefusedException(message);
    }

    private static TopologyOptions topologyManager(KubeletConfig config, MachineTopology machine) {
        boolean none = config.topologyManager().policy() == TopologyPolicyName.NONE;
        if (none && config.version().ignoresOptionsOfPolicyNone()) {
            return TopologyOptions.DEFAULT;
        }
        TopologyOptions options = TopologyOptions.parse(config);
        if (options.preferClosest()
                && machine.numaNodes().stream()
                        .anyMatch(node -> node.distances().isEmpty())) {
            throw new StartupRefusedException(
                    "cannot discover NUMA topology: error getting NUMA distances from cadvisor");
        }
        if (!none && machine.numaNodes().size() > options.maxAllowableNumaNodes()) {
            throw new StartupRefusedException(
                    "unsupported on machines with more than %d NUMA Nodes".formatted(options.maxAllowableNumaNodes()));
        }
        return options;
    }

    /** The kubelet's sentence about reserved CPUs that are not online (cmd/kubelet/app/server.go); empty: all are. */
    public static Optional<String> offlineReservation(CpuSet reserved, CpuSet online) {
        return online.containsAll(reserved)
                ? Optional.empty()
                : Optional.of("reserved-cpus: %s is not a subset of online-cpus: %s".formatted(reserved, online));
    }

    private static void checkReservedCpus(CpuManagerConfig config, MachineTopology machine) {
        CpuSet reserved = config.reservedCpus();
        if (!reserved.isEmpty()) {
            offlineReservation(reserved, machine.onlineCpus()).ifPresent(StartupChecks::refuse);
            return;
        }
        if (config.reservedCpuMillis().orElse(0) == 0) {
            throw new StartupRefusedException(
                    "[cpumanager] unable to determine reserved CPU resources for static policy");
        }
    }

    private static Set<CpuOption> cpuOptions(KubeletConfig config) {
        Set<CpuOption> on = EnumSet.noneOf(CpuOption.class);
        config.cpuManager().options().forEach((name, value) -> {
            CpuOption option = available(name, config);
            if (GoText.parseBool(name, value, StartupChecks::staticPolicyError)) {
                on.add(option);
            }
        });
        for (List<CpuOption> pair : EXCLUSIONS) {
            if (on.containsAll(pair)) {
                throw staticPolicyError("static policy options %s and %s can not be used at the same time"
                        .formatted(pair.get(0), pair.get(1)));
            }
        }
        return on;
    }

    private static CpuOption available(String name, KubeletConfig config) {
        CpuOption option = CpuOption.named(name)
                .filter(known -> known.in(config.version()) != Maturity.UNKNOWN)
                .orElseThrow(() -> staticPolicyError("unknown CPU Manager Policy option: \"%s\"".formatted(name)));
        Maturity maturity = option.in(config.version());
        if (maturity == Maturity.ALPHA && !config.gate("CPUManagerPolicyAlphaOptions", false)) {
            throw staticPolicyError(
                    "CPU Manager Policy Alpha-level Options not enabled, but option \"%s\" provided".formatted(name));
        }
        if (maturity == Maturity.BETA && !config.gate("CPUManagerPolicyBetaOptions", true)) {
            throw staticPolicyError(
                    "CPU Manager Policy Beta-level Options not enabled, but option \"%s\" provided".formatted(name));
        }
        return option;
    }

    private static void checkSockets(KubeletConfig config, Set<CpuOption> options, MachineTopology machine) {
        if (!options.contains(CpuOption.ALIGN_BY_SOCKET)) {
            return;
        }
        if (config.topologyManager().policy() == TopologyPolicyName.SINGLE_NUMA_NODE) {
            throw staticPolicyError(
                    "Topolgy manager single-numa-node policy is incompatible with CPUManager align-by-socket policy option");
        }
        long sockets = machine.cpus().stream()
                .mapToInt(cpu -> cpu.socket().orElse(0))
                .distinct()
                .count();
        long numaNodes = machine.numaNodes().stream()
                .filter(node -> !node.cpus().isEmpty())
                .count();
        if (sockets > numaNodes) {
            throw staticPolicyError(
                    "Align by socket is not compatible with hardware where number of sockets are more than number of NUMA");
        }
    }

    private static StartupRefusedException staticPolicyError(String message) {
        return new StartupRefusedException("new static policy error: " + message);
    }

    private static PodLevel podLevel(KubeletConfig config) {
        int minor = config.version().minor();
        boolean resources = config.gate("PodLevelResources", minor >= 34);
        if (minor >= 36) {
            return resources && config.gate("PodLevelResourceManagers", false) ? PodLevel.MANAGED : PodLevel.LEFT_ALONE;
        }
        return minor >= 34 && resources ? PodLevel.LEFT_ALONE : PodLevel.IGNORED;
    }

    /**
     * Whether the reservation per NUMA node fits the machine and the rest of the configuration
     * (cm/memorymanager/memory_manager.go, validateReservedMemory).
     *
     * @throws StartupRefusedException with the kubelet's message, when it would not start
     */
    public static void checkReservedMemory(MemoryManagerConfig config, MachineTopology machine) {
        for (int node : config.reservedMemory().keySet()) {
            if (machine.numaNode(node).isEmpty()) {
                throw new StartupRefusedException(
                        "the reserved memory configuration references a NUMA node %d that does not exist on this machine"
                                .formatted(node));
            }
        }
        SortedMap<String, Long> totals = config.totals();
        SortedMap<String, Long> expected = config.nodeReserved().orElse(totals);
        SortedMap<String, Long> types = new TreeMap<>(totals);
        types.putAll(expected);
        for (String type : types.keySet()) {
            long total = totals.getOrDefault(type, 0L);
            long allocatable = expected.getOrDefault(type, 0L);
            if (total != allocatable) {
                throw new StartupRefusedException(
                        "the total amount \"%s\" of type \"%s\" is not equal to the value \"%s\" determined by Node Allocatable feature"
                                .formatted(GoText.bytes(total), type, GoText.bytes(allocatable)));
            }
        }
        if (totals.getOrDefault("memory", 0L) == 0) {
            throw new StartupRefusedException("[memorymanager] you should specify the system reserved memory");
        }
    }
}
