package io.numaledger.gpu;

import java.util.Arrays;
import java.util.Objects;
import java.util.Optional;
import java.util.OptionalInt;
import java.util.function.BiFunction;

/** The PCIe level of each pair of GPUs, also of those with NVLinks; absent for a pair of which it is not known. */
public final class PcieLevels {

    /** Row i holds the levels of the pairs of GPU i with GPUs 0 to i - 1; null: not known. */
    private final PcieLevel[][] triangle;

    private PcieLevels(PcieLevel[][] triangle) {
        this.triangle = triangle;
    }

    /** Asks for each pair once, the greater index first. */
    public static PcieLevels of(int size, BiFunction<Integer, Integer, Optional<PcieLevel>> levelOfPair) {
        PcieLevel[][] triangle = new PcieLevel[size][];
        for (int row = 0; row < size; row++) {
            triangle[row] = new PcieLevel[row];
            for (int column = 0; column < row; column++) {
                triangle[row][column] = levelOfPair.apply(row, column).orElse(null);
            }
        }
        return new PcieLevels(triangle);
    }

    public static PcieLevels unknown(int size) {
        return of(size, (row, column) -> Optional.empty());
    }

    public int size() {
        return triangle.length;
    }

    /** The level of a pair; absent where it is not known, and for a GPU with itself. */
    public Optional<PcieLevel> level(int first, int second) {
        return first == second
                ? Optional.empty()
                : Optional.ofNullable(triangle[Math.max(first, second)][Math.min(first, second)]);
    }

    /** Whether every pair's level is known. */
    public boolean complete() {
        return Arrays.stream(triangle).flatMap(Arrays::stream).allMatch(Objects::nonNull);
    }

    /** The score of a pair, when it is known. */
    public OptionalInt score(int first, int second) {
        Optional<PcieLevel> level = level(first, second);
        return level.isPresent() ? OptionalInt.of(level.get().score()) : OptionalInt.empty();
    }

    @Override
    public boolean equals(Object other) {
        return other instanceof PcieLevels that && Arrays.deepEquals(triangle, that.triangle);
    }

    @Override
    public int hashCode() {
        return Arrays.deepHashCode(triangle);
    }

    @Override
    public String toString() {
        return Arrays.deepToString(triangle);
    }
}
