package io.numaledger.counts;

import io.numaledger.kubelet.config.TopologyPolicyName;
import io.numaledger.kubelet.config.TopologyScope;
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

import java.util.OptionalLong;
import java.util.Random;
import java.util.SortedMap;
import java.util.TreeMap;
import java.util.concurrent.TimeUnit;

/** One pod of four resources against 5,000 nodes of eight zones. Run as {@link CountsBenchmark}. */
@State(Scope.Thread)
@BenchmarkMode(Mode.AverageTime)
@OutputTimeUnit(TimeUnit.MICROSECONDS)
@Warmup(iterations = 3, time = 1)
@Measurement(iterations = 5, time = 1)
@Fork(1)
public class FleetBenchmark {

    private static final int NODES = 5000;
    private static final long GIB = 1L << 30;

    @Param({"1", "2", "4"})
    private int width = 1;

    @Param({"5000", "50"})
    private int states = 50;

    private final ResourceIndex index = new ResourceIndex();
    private final Fleet fleet = new Fleet();
    private final long[] verdicts = new long[NODES];
    private final int[] scores = new int[NODES];
    private PodAsk ask;

    @Setup
    public void prepare() {
        for (int node = 0; node < NODES; node++) {
            Random random = new Random(node % states);
            fleet.add(NodeCounts.of(
                    NodeFacts.of(TopologyPolicyName.RESTRICTED, TopologyScope.POD, zones(random)), index));
        }
        ask = PodAsk.of(CountsBenchmark.pod(width), index);
        if (fleet.states() < states * 99 / 100) {
            throw new IllegalStateException(
                    "too many nodes are in equal state: states=%d; draw from more".formatted(fleet.states()));
        }
    }

    private static SortedMap<Integer, SortedMap<String, ZoneCounts>> zones(Random random) {
        SortedMap<Integer, SortedMap<String, ZoneCounts>> zones = new TreeMap<>();
        for (int zone = 0; zone < 8; zone++) {
            SortedMap<String, ZoneCounts> counts = new TreeMap<>();
            counts.put("cpu", counts(16000, 1000L * random.nextInt(17)));
            counts.put("memory", counts(64 * GIB, GIB * random.nextInt(65)));
            counts.put("nvidia.com/gpu", counts(8, random.nextInt(9)));
            counts.put("example.com/nic", counts(8, random.nextInt(9)));
            zones.put(zone, counts);
        }
        return zones;
    }

    private static ZoneCounts counts(long all, long available) {
        return new ZoneCounts(OptionalLong.of(all), all, available);
    }

    @Benchmark
    public long[] verdicts() {
        fleet.verdicts(ask, verdicts);
        return verdicts;
    }

    @Benchmark
    public int[] verdictsAndScores() {
        fleet.scores(ask, verdicts, scores);
        return scores;
    }
}
