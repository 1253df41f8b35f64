package io.numaledger.benchmarks.jmh;

import io.numaledger.gpu.Gpu;
import io.numaledger.gpu.GpuSet;
import io.numaledger.gpu.GpuTopology;
import io.numaledger.gpu.LinkKind;
import io.numaledger.gpu.LinkMatrix;
import io.numaledger.gpu.LinkedSet;
import io.numaledger.gpu.LinkedSetSearch;
import io.numaledger.gpu.PcieLevels;
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

import java.util.List;
import java.util.Optional;
import java.util.concurrent.TimeUnit;
import java.util.stream.IntStream;

/** Finds the best-linked half of all GPUs, on machines with different links between GPUs and with equal ones. */
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

    /** Links within groups of four GPUs, or all GPUs joined by switches. */
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
        List<Gpu> alternating = IntStream.range(0, gpus)
                .mapToObj(index -> Gpu.onNumaNode(index % 2))
                .toList();
        topology = new GpuTopology(
                alternating, LinkKind.DIRECT, LinkMatrix.of(counts), PcieLevels.unknown(gpus), Optional.empty());
        search = new LinkedSetSearch(topology);
    }

    /** One search on a table that exists, as for a scheduling request. */
    @Benchmark
    public Optional<LinkedSet> best() {
        return search.best(gpus / 2, topology.all());
    }

    /** The table that is built when a topology is first seen. */
    @Benchmark
    public LinkedSetSearch table() {
        return new LinkedSetSearch(topology);
    }

    @Benchmark
    public GpuSet largestClique() {
        return search.largestClique(topology.all());
    }
}
