package io.numaledger.fastpath;

import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

import java.util.Random;
import java.util.stream.LongStream;

import static org.assertj.core.api.Assertions.assertThat;

class MaskSearchTest {

    static LongStream seeds() {
        return LongStream.range(0, 500);
    }

    @ParameterizedTest(name = "seed {0}")
    @MethodSource("seeds")
    void agreesWithTryingEveryMask(long seed) {
        Random random = new Random(seed);
        int zones = 1 + random.nextInt(11);
        int rows = 1 + random.nextInt(5);
        int width = 1 + random.nextInt(zones);
        long all = (1L << zones) - 1;
        long allowed = random.nextInt(4) == 0 ? random.nextLong() & all : all;
        long required = random.nextInt(4) == 0 ? 1L << random.nextInt(zones) : 0;
        long[] free = random.longs((long) rows * zones, 0, 10).toArray();
        MaskSearch search = new MaskSearch();
        search.add(0, 99);
        search.clear();
        long[] needs = new long[rows];
        for (int row = 0; row < rows; row++) {
            needs[row] = random.nextInt(6 * width);
            search.add(row * zones, needs[row]);
        }

        long found = search.first(free, zones, width, allowed, required);

        assertThat(found).isEqualTo(tryEveryMask(free, zones, width, needs, allowed, required));
    }

    private static long tryEveryMask(long[] free, int zones, int width, long[] needs, long allowed, long required) {
        for (long mask = 1; mask < 1L << zones; mask++) {
            boolean fits = Long.bitCount(mask) == width && (mask & ~allowed) == 0 && (required & ~mask) == 0;
            for (int row = 0; row < needs.length; row++) {
                fits &= MaskSearch.sum(free, row * zones, mask) >= needs[row];
            }
            if (fits) {
                return mask;
            }
        }
        return 0;
    }
}
