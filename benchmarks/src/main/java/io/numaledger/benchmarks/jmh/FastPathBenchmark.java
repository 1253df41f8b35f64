package io.numaledger.benchmarks.jmh;

import io.numaledger.benchmarks.node.NodeType;
import io.numaledger.fastpath.CompiledPod;
import io.numaledger.fastpath.FastPathEvaluator;
import io.numaledger.fastpath.FastPathModel;
import io.numaledger.fastpath.NodeCounts;
import io.numaledger.fastpath.ResourceIndex;
import io.numaledger.fastpath.Verdict;
import io.numaledger.fastpath.ZoneTable;
import io.numaledger.pod.ContainerRequest;
import io.numaledger.pod.PodRequest;
import io.numaledger.pod.RequestedAmount;
import io.numaledger.simulator.hardware.NodeSpec;
import io.numaledger.simulator.hardware.NodeSpecYaml;
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

import java.util.Map;
import java.util.concurrent.TimeUnit;
import java.util.stream.Collectors;
import java.util.stream.IntStream;

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
    private FastPathEvaluator evaluator;
    private FastPathModel model;
    private NodeCounts node;
    private CompiledPod compiled;

    @Setup
    public void prepare() {
        String[] parts = shape.split("-");
        int zones = Integer.parseInt(parts[0]);
        int width = Integer.parseInt(parts[2]);
        NodeType type = NodeType.of(spec(zones, parts[1].equals("single") ? "single-numa-node" : "restricted"), index);
        evaluator = type.evaluator();
        model = type.fastPath().orElseThrow();
        node = model.counts(type.kubelet().empty(), free(type.table(), width)).orElseThrow();
        compiled = CompiledPod.of(pod(width), index);
        boolean admitted = model.evaluate(evaluator, node, compiled) == Verdict.ADMITTED;
        if (admitted != fits.equals("last")) {
            throw new IllegalStateException(
                    "the benchmark does not measure what it says: shape=%s fits=%s".formatted(shape, fits));
        }
    }

    private static NodeSpec spec(int zones, String policy) {
        return NodeSpecYaml.parse("""
                nodes:
                - name: node
                  kubelet: {topologyManagerPolicy: %s, topologyManagerScope: pod,
                    topologyManagerPolicyOptions: {max-allowable-numa-nodes: "64"}}
                  numaNodes: [%s]
                  devices: [%s, %s]
                """.formatted(
                                policy,
                                joined(zones, "{id: %1$d, socket: %1$d, cores: 16, memory: 64Gi}"),
                                joined(zones, "{resource: nvidia.com/gpu, count: 8, numaNodes: [%d]}"),
                                joined(zones, "{resource: example.com/nic, count: 8, numaNodes: [%d]}")))
                .get(0);
    }

    /** @param entry with the id of the zone */
    private static String joined(int zones, String entry) {
        return IntStream.range(0, zones).mapToObj(entry::formatted).collect(Collectors.joining(", "));
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
            int memory = table.resources().indexOf("memory") * zones + zone;
            free[memory] = table.empty(memory);
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
