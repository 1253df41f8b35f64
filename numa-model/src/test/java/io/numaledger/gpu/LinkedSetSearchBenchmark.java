package io.numaledger.gpu;

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

import java.util.Optional;
import java.util.concurrent.TimeUnit;

/** What one question costs: the best half of all GPUs, on machines whose pairs differ and on those whose pairs do not. */
@State(Scope.Benchmark)
@BenchmarkMode(Mode.AverageTime)
@OutputTimeUnit(TimeUnit.MICROSECONDS)
@Warmup(iterations = 3, time = 1)
@Measurement(iterations = 5, time = 1)
@Fork(1)
public class LinkedSetSearchBenchmark {

    /** Number of GPUs. */
    @Param({"4", "8", "16", "72"})
    private int gpus;

    /** Groups of GPUs with links inside, or all joined by switches. */
    @Param({"groups", "switch"})
    private String wiring;

    private GpuTopology topology;
    private LinkedSetSearch search;

    @Setup
    public void build() {
        int groupSize = wiring.equals("switch") ? gpus : 4;
        int[][] counts = new int[gpus][gpus];
        for (int i = 0; i < gpus; i++) {
            for (int j = 0; j < gpus; j++) {
                counts[i][j] =
                        i != j && i / groupSize == j / groupSize ? 1 + (wiring.equals("switch") ? 17 : (i ^ j) & 1) : 0;
            }
        }
        topology = Matrices.topology(counts, PcieLevels.unknown(gpus));
        search = new LinkedSetSearch(topology);
    }

    /** A question to a search that exists, as the scheduler asks it. */
    @Benchmark
    public Optional<LinkedSet> best() {
        return search.best(gpus / 2, topology.all());
    }

    /** What a topology costs when it is first seen. */
    @Benchmark
    public LinkedSetSearch table() {
        return new LinkedSetSearch(topology);
    }

    @Benchmark
    public GpuSet largestClique() {
        return search.largestClique(topology.all());
    }
}
