package io.numaledger.gpu;

import java.util.Arrays;
import java.util.OptionalInt;
import java.util.stream.IntStream;

/**
 * The number of NVLinks of each pair of GPUs: the number behind {@code NV} in {@code nvidia-smi topo -m}, 0 for none.
 * Square, symmetric, 0 on the diagonal.
 */
public final class LinkMatrix {

    /** More links than any pair has: the driver knows 36 per GPU at most. */
    public static final int MAX_LINKS = 255;

    private final int[][] counts;

    private LinkMatrix(int[][] counts) {
        this.counts = counts;
    }

    /**
     * Checks and copies.
     *
     * @throws IllegalArgumentException naming the first cell that breaks a rule of the class
     */
    public static LinkMatrix of(int[][] counts) {
        int[][] copy = new int[counts.length][];
        for (int row = 0; row < counts.length; row++) {
            check(counts[row].length == counts.length, "a link matrix is square", row, counts[row].length);
            copy[row] = counts[row].clone();
        }
        LinkMatrix matrix = new LinkMatrix(copy);
        matrix.checkCells();
        return matrix;
    }

    public static LinkMatrix none(int size) {
        return new LinkMatrix(new int[size][size]);
    }

    private void checkCells() {
        for (int row = 0; row < size(); row++) {
            check(counts[row][row] == 0, "a GPU has no link to itself", row, row);
            for (int column = 0; column < row; column++) {
                int count = counts[row][column];
                check(count >= 0 && count <= MAX_LINKS, "a pair has 0-255 links", row, column);
                check(count == counts[column][row], "both ends count the same links", row, column);
            }
        }
    }

    private static void check(boolean holds, String rule, int row, int column) {
        if (!holds) {
            throw new IllegalArgumentException(
                    "%s: row=%d column=%d; correct this cell of nvlinks".formatted(rule, row, column));
        }
    }

    public int size() {
        return counts.length;
    }

    public int links(int first, int second) {
        return counts[first][second];
    }

    /** The sum over all pairs of the set. */
    public long total(GpuSet set) {
        int[] members = set.indexes().toArray();
        long total = 0;
        for (int i = 1; i < members.length; i++) {
            for (int j = 0; j < i; j++) {
                total += counts[members[i]][members[j]];
            }
        }
        return total;
    }

    /** The GPUs that have a link to this one. */
    public GpuSet neighbours(int gpu) {
        return GpuSet.of(IntStream.range(0, size())
                .filter(other -> counts[gpu][other] > 0)
                .toArray());
    }

    /** The number of links of every pair, when it is the same for all and there is a pair at all. */
    public OptionalInt uniform() {
        int[] distinct = IntStream.range(0, size())
                .flatMap(row -> Arrays.stream(counts[row], 0, row))
                .distinct()
                .limit(2)
                .toArray();
        return distinct.length == 1 ? OptionalInt.of(distinct[0]) : OptionalInt.empty();
    }

    @Override
    public boolean equals(Object other) {
        return other instanceof LinkMatrix that && Arrays.deepEquals(counts, that.counts);
    }

    @Override
    public int hashCode() {
        return Arrays.deepHashCode(counts);
    }

    /** Row by row, as JSON would write it. */
    @Override
    public String toString() {
        return Arrays.deepToString(counts);
    }
}
