package io.numaledger.fastpath;

import org.junit.jupiter.api.Test;
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

    @ParameterizedTest(name = "seed {0}")
    @MethodSource("seeds")
    void agreesWithTryingEveryMaskOfManyZones(long seed) {
        Random random = new Random(seed);
        int zones = 9 + random.nextInt(6);
        int kinds = 1 + random.nextInt(5);
        int rows = 1 + random.nextInt(3);
        int width = 1 + random.nextInt(zones);
        long required = random.nextInt(4) == 0 ? 1L << random.nextInt(zones) | 1 : 0;
        long allowed = random.nextInt(3) == 0 ? random.nextLong() : -1L;
        long[] free = new long[rows * zones];
        long[] needs = new long[rows];
        MaskSearch search = new MaskSearch();
        for (int row = 0; row < rows; row++) {
            for (int zone = 0; zone < zones; zone++) {
                free[row * zones + zone] = random.nextInt(kinds);
            }
            needs[row] = random.nextInt(2 * width);
            search.add(row * zones, needs[row]);
        }

        long found = search.first(free, zones, width, allowed, required);

        assertThat(search.gaveUp()).isFalse();
        assertThat(found).isEqualTo(tryEveryMask(free, zones, width, needs, allowed, required));
    }

    @Test
    void findsTheHighestOf64Zones() {
        long[] free = new long[64];
        free[62] = 3;
        free[63] = 3;
        MaskSearch search = new MaskSearch();
        search.add(0, 6);

        assertThat(search.first(free, 64, 2, -1L, 0)).isEqualTo(0b11L << 62);
        assertThat(search.first(free, 64, 1, -1L, 0)).isZero();
    }

    @Test
    void givesUpOnManyDifferentZones() {
        Random random = new Random(1);
        long[] free = random.longs(3L * 40, 0, 1000).toArray();
        MaskSearch search = new MaskSearch();
        for (int row = 0; row < 3; row++) {
            search.add(row * 40, 12_000);
        }

        assertThat(search.first(free, 40, 20, -1L, 0)).isZero();
        assertThat(search.gaveUp()).isTrue();
        search.start();
        assertThat(search.gaveUp()).isFalse();
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
