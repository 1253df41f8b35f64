package io.numaledger.benchmarks.jmh;

import io.numaledger.fastpath.CompiledPod;
import io.numaledger.fastpath.FastPathEvaluator;
import io.numaledger.fastpath.FastPathModel;
import io.numaledger.fastpath.NodeCounts;
import io.numaledger.fastpath.ResourceIndex;
import io.numaledger.fastpath.Verdict;
import io.numaledger.fastpath.ZoneTable;
import io.numaledger.kubelet.KubeletModel;
import io.numaledger.kubelet.Machine;
import io.numaledger.kubelet.config.CpuManagerConfig;
import io.numaledger.kubelet.config.CpuPolicy;
import io.numaledger.kubelet.config.KubeletConfig;
import io.numaledger.kubelet.config.KubeletVersion;
import io.numaledger.kubelet.config.MemoryManagerConfig;
import io.numaledger.kubelet.config.TopologyManagerConfig;
import io.numaledger.kubelet.config.TopologyPolicyName;
import io.numaledger.kubelet.config.TopologyScope;
import io.numaledger.kubelet.device.Device;
import io.numaledger.pod.ContainerRequest;
import io.numaledger.pod.PodRequest;
import io.numaledger.pod.RequestedAmount;
import io.numaledger.topology.AffinityMask;
import io.numaledger.topology.CpuSet;
import io.numaledger.topology.LogicalCpu;
import io.numaledger.topology.MachineTopology;
import io.numaledger.topology.NumaNode;
import org.openjdk.jmh.annotations.Benchmark;
import org.openjdk.jmh.annotations.BenchmarkMode;
import org.openjdk.jmh.annotations.Fork;
import org.openjdk.jmh.annotations.Measurement;
import org.openjdk.jmh.annotations.Mode;
import org.openjdk.jmh.annotations.OutputTimeUnit;
import org.openjdk.jmh.annotations.Param;
import org.openjdk.jmh.annotations.Scope;
import org.openjdk.jmh.annotations.Setup;
import org.openjdk.jmh.annotations.State;
import org.openjdk.jmh.annotations.Warmup;

import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.OptionalInt;
import java.util.OptionalLong;
import java.util.SortedMap;
import java.util.TreeMap;
import java.util.concurrent.TimeUnit;

import static java.util.Objects.requireNonNull;

/** Evaluates one pod that requests four resources on one node, by the fast path. */
@State(Scope.Thread)
@BenchmarkMode(Mode.AverageTime)
@OutputTimeUnit(TimeUnit.NANOSECONDS)
@Warmup(iterations = 3, time = 1)
@Measurement(iterations = 5, time = 1)
@Fork(1)
public class FastPathBenchmark {

    private static final long GIB = 1L << 30;
    private static final int CPUS = 16;
    private static final int DEVICES = 8;
    private static final long MEMORY = 64 * GIB;
    private static final String GPU = "nvidia.com/gpu";
    private static final String NIC = "example.com/nic";

    /** Zones of the node, policy, number of zones that the pod needs. */
    @Param({
        "2-single-1",
        "4-single-1",
        "8-single-1",
        "2-restricted-1",
        "4-restricted-1",
        "8-restricted-1",
        "4-restricted-2",
        "8-restricted-2",
        "8-restricted-4",
        "16-restricted-1",
        "16-restricted-2",
        "16-restricted-4",
        "34-single-1",
        "34-restricted-1",
        "34-restricted-2",
        "34-restricted-4",
        "64-restricted-2"
    })
    private String shape = "";

    /** Whether the pod fits only the last mask, or none although each resource alone would fit. */
    @Param({"last", "nowhere"})
    private String fits = "";

    private final ResourceIndex index = new ResourceIndex();
    private final FastPathEvaluator evaluator = new FastPathEvaluator();
    private FastPathModel model;
    private NodeCounts node;
    private CompiledPod compiled;

    @Setup
    public void prepare() {
        String[] parts = shape.split("-");
        int zones = Integer.parseInt(parts[0]);
        int width = Integer.parseInt(parts[2]);
        TopologyPolicyName policy =
                parts[1].equals("single") ? TopologyPolicyName.SINGLE_NUMA_NODE : TopologyPolicyName.RESTRICTED;
        KubeletModel kubelet = kubelet(zones, policy);
        ZoneTable table = ZoneTable.of(kubelet);
        model = FastPathModel.of(kubelet, table, index).orElseThrow();
        node = model.counts(kubelet.empty(), free(table, width)).orElseThrow();
        compiled = CompiledPod.of(pod(width), index);
        boolean admitted = model.evaluate(evaluator, node, compiled) == Verdict.ADMITTED;
        if (admitted != fits.equals("last")) {
            throw new IllegalStateException(
                    "the benchmark does not measure what it says: shape=%s fits=%s".formatted(shape, fits));
        }
    }

    private static KubeletModel kubelet(int zones, TopologyPolicyName policy) {
        List<NumaNode> numaNodes = new ArrayList<>();
        List<LogicalCpu> cpus = new ArrayList<>();
        SortedMap<Integer, Long> reservedMemory = new TreeMap<>();
        SortedMap<String, List<Device>> devices = new TreeMap<>(Map.of(GPU, new ArrayList<>(), NIC, new ArrayList<>()));
        for (int zone = 0; zone < zones; zone++) {
            CpuSet own = CpuSet.range(CPUS * zone, CPUS * zone + CPUS - 1);
            numaNodes.add(new NumaNode(zone, own, OptionalLong.of(MEMORY + 1), new TreeMap<>(), new TreeMap<>()));
            OptionalInt socket = OptionalInt.of(zone);
            own.ids().forEach(cpu -> cpus.add(new LogicalCpu(cpu, socket, cpu, OptionalInt.empty())));
            reservedMemory.put(zone, 1L);
            for (int i = 0; i < DEVICES; i++) {
                requireNonNull(devices.get(GPU))
                        .add(new Device("gpu-%d-%d".formatted(zone, i), AffinityMask.of(zone), true));
                requireNonNull(devices.get(NIC))
                        .add(new Device("nic-%d-%d".formatted(zone, i), AffinityMask.of(zone), true));
            }
        }
        CpuSet all = CpuSet.range(0, CPUS * zones - 1);
        return KubeletModel.start(
                new Machine(new MachineTopology(all, numaNodes, cpus), devices),
                new KubeletConfig(
                        new KubeletVersion(KubeletVersion.NEWEST),
                        new TopologyManagerConfig(
                                policy, TopologyScope.POD, new TreeMap<>(Map.of("max-allowable-numa-nodes", "64"))),
                        new CpuManagerConfig(CpuPolicy.STATIC, new TreeMap<>(), CpuSet.of(0), OptionalLong.empty()),
                        MemoryManagerConfig.staticPolicy(reservedMemory),
                        new TreeMap<>()));
    }

    /** Each resource needs exactly so many zones: half a zone less than all of them. */
    private static PodRequest pod(int width) {
        return PodRequest.of(
                "p",
                ContainerRequest.app(
                        "c",
                        Map.of(
                                "cpu",
                                RequestedAmount.of((long) CPUS * width - 4),
                                "memory",
                                RequestedAmount.of(MEMORY * width - 16 * GIB),
                                GPU,
                                RequestedAmount.of((long) DEVICES * width - 2),
                                NIC,
                                RequestedAmount.of((long) DEVICES * width - 2))));
    }

    /** The last zones are free and the others nearly full; or one resource is free only where another is not. */
    private long[] free(ZoneTable table, int width) {
        int zones = table.zones();
        long[] free = new long[table.resources().size() * zones];
        for (int zone = 0; zone < zones; zone++) {
            boolean last = zone >= zones - width;
            boolean low = zone < zones / 2;
            boolean cpusFree = fits.equals("last") ? last : low;
            boolean nicsFree = fits.equals("last") ? last : !low;
            free[table.resources().indexOf("cpu") * zones + zone] = cpusFree ? CPUS : 4;
            free[table.resources().indexOf("memory") * zones + zone] = MEMORY;
            free[table.resources().indexOf(GPU) * zones + zone] = DEVICES;
            free[table.resources().indexOf(NIC) * zones + zone] = nicsFree ? DEVICES : 2;
        }
        return free;
    }

    @Benchmark
    public Verdict verdict() {
        return model.evaluate(evaluator, node, compiled);
    }
}
