package io.numaledger.gpu;

import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.Random;
import java.util.stream.IntStream;
import java.util.stream.Stream;

/** Machines made up for tests. */
final class Matrices {

    private Matrices() {}

    static int[][] parse(String rows) {
        return Stream.of(rows.split(";"))
                .map(row ->
                        Stream.of(row.split(" ")).mapToInt(Integer::parseInt).toArray())
                .toArray(int[][]::new);
    }

    /** GPUs alternate between two NUMA nodes; PCIe levels are known on every second machine. */
    static GpuTopology random(Random random, int size, int maxLinks) {
        int[][] counts = new int[size][size];
        for (int i = 0; i < size; i++) {
            for (int j = 0; j < i; j++) {
                counts[i][j] = random.nextInt(maxLinks + 1);
                counts[j][i] = counts[i][j];
            }
        }
        boolean known = random.nextBoolean();
        return topology(
                counts,
                PcieLevels.of(
                        size, (row, column) -> Optional.of(anyLevel(random)).filter(level -> known)));
    }

    private static PcieLevel anyLevel(Random random) {
        List<PcieLevel> levels = List.of(PcieLevel.values());
        return levels.get(random.nextInt(levels.size()));
    }

    static GpuTopology topology(int[][] counts, PcieLevels levels) {
        List<Gpu> gpus = new ArrayList<>();
        IntStream.range(0, counts.length).forEach(index -> gpus.add(Gpu.onNumaNode(index % 2)));
        return new GpuTopology(gpus, LinkKind.DIRECT, LinkMatrix.of(counts), levels, Optional.empty());
    }
}
