package io.numaledger.counts;

import io.numaledger.kubelet.config.TopologyPolicyName;
import io.numaledger.kubelet.config.TopologyScope;
import io.numaledger.pod.ContainerRequest;
import io.numaledger.pod.PodRequest;
import io.numaledger.pod.RequestedAmount;
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
import org.openjdk.jmh.runner.Runner;
import org.openjdk.jmh.runner.RunnerException;
import org.openjdk.jmh.runner.options.CommandLineOptionException;
import org.openjdk.jmh.runner.options.CommandLineOptions;

import java.util.Map;
import java.util.OptionalLong;
import java.util.SortedMap;
import java.util.TreeMap;
import java.util.concurrent.TimeUnit;

/**
 * One pod of four resources against one node. Not part of the build; after {@code mvn test-compile} run the main method
 * with the module's test class path, for example
 *
 * <pre>
 *   mvn -q -pl numa-model test-compile dependency:build-classpath -Dmdep.outputFile=target/test.cp
 *   java -cp numa-model/target/test-classes:numa-model/target/classes:$(cat numa-model/target/test.cp) \
 *       io.numaledger.counts.CountsBenchmark -prof gc
 * </pre>
 */
@State(Scope.Thread)
@BenchmarkMode(Mode.AverageTime)
@OutputTimeUnit(TimeUnit.NANOSECONDS)
@Warmup(iterations = 3, time = 1)
@Measurement(iterations = 5, time = 1)
@Fork(1)
public class CountsBenchmark {

    private static final String[] RESOURCES = {"cpu", "memory", "nvidia.com/gpu", "example.com/nic"};
    private static final long GIB = 1L << 30;

    /** Zones of the node, policy, width of the pod. */
    @Param({
        "2-single-1",
        "4-single-1",
        "8-single-1",
        "2-restricted-1",
        "4-restricted-1",
        "8-restricted-1",
        "4-restricted-2",
        "8-restricted-2",
        "8-restricted-4"
    })
    private String shape = "";

    /** Whether the pod fits in the last mask, or nowhere though every resource alone would. */
    @Param({"last", "nowhere"})
    private String fits = "";

    private final ResourceIndex index = new ResourceIndex();
    private final CountsEvaluator evaluator = new CountsEvaluator();
    private NodeCounts node;
    private PodRequest pod;
    private PodAsk ask;
    private long[] placement;

    public static void main(String[] arguments) throws RunnerException, CommandLineOptionException {
        new Runner(new CommandLineOptions(arguments)).run();
    }

    @Setup
    public void prepare() {
        String[] parts = shape.split("-");
        int zones = Integer.parseInt(parts[0]);
        int width = Integer.parseInt(parts[2]);
        TopologyPolicyName policy =
                parts[1].equals("single") ? TopologyPolicyName.SINGLE_NUMA_NODE : TopologyPolicyName.RESTRICTED;
        pod = pod(width);
        node = NodeCounts.of(NodeFacts.of(policy, TopologyScope.POD, zones(zones, width)), index);
        ask = PodAsk.of(pod, index);
        placement = new long[node.placementLength()];
        boolean admitted = evaluator.verdict(node, ask) > 0;
        if (admitted != fits.equals("last")) {
            throw new IllegalStateException(
                    "the benchmark does not measure what it says: shape=%s fits=%s".formatted(shape, fits));
        }
    }

    /** Each resource needs exactly so many zones: half a zone less than all of them. */
    static PodRequest pod(int width) {
        return PodRequest.of(
                "p",
                ContainerRequest.app(
                        "c",
                        Map.of(
                                RESOURCES[0], RequestedAmount.of(16L * width - 4),
                                RESOURCES[1], RequestedAmount.of((64L * width - 16) * GIB),
                                RESOURCES[2], RequestedAmount.of(8L * width - 2),
                                RESOURCES[3], RequestedAmount.of(8L * width - 2))));
    }

    /** The last zones are free and the others nearly so; or one resource is free only where another is not. */
    private SortedMap<Integer, SortedMap<String, ZoneCounts>> zones(int count, int width) {
        SortedMap<Integer, SortedMap<String, ZoneCounts>> zones = new TreeMap<>();
        for (int zone = 0; zone < count; zone++) {
            boolean last = zone >= count - width;
            boolean low = zone < count / 2;
            boolean wide = fits.equals("last") ? last : low;
            boolean other = fits.equals("last") ? last : !low;
            SortedMap<String, ZoneCounts> counts = new TreeMap<>();
            counts.put(RESOURCES[0], counts(16000, wide ? 16000 : 4000));
            counts.put(RESOURCES[1], counts(64 * GIB, 64 * GIB));
            counts.put(RESOURCES[2], counts(8, 8));
            counts.put(RESOURCES[3], counts(8, other ? 8 : 2));
            zones.put(zone, counts);
        }
        return zones;
    }

    private static ZoneCounts counts(long all, long available) {
        return new ZoneCounts(OptionalLong.of(all), all, available);
    }

    @Benchmark
    public long verdict() {
        return evaluator.verdict(node, ask);
    }

    @Benchmark
    public long verdictScoreAndPlacement() {
        long verdict = evaluator.verdict(node, ask);
        int score = evaluator.score(node, ask, verdict);
        if (verdict >= 0) {
            evaluator.place(node, ask, verdict, placement);
        }
        return verdict + score + placement[0];
    }

    /** What a pod costs once, before the first node. */
    @Benchmark
    public PodAsk decomposition() {
        return PodAsk.of(pod, index);
    }
}
