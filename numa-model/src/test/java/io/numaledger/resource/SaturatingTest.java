package io.numaledger.resource;

import org.junit.jupiter.api.Test;

import java.math.BigInteger;
import java.util.List;

import static org.assertj.core.api.Assertions.assertThat;

class SaturatingTest {

    private static final List<Long> VALUES = List.of(
            Long.MIN_VALUE, Long.MIN_VALUE + 1, -3L, -1L, 0L, 1L, 3L, 1L << 32, Long.MAX_VALUE - 1, Long.MAX_VALUE);

    @Test
    void isTheExactResultOrTheNearestEndOfTheRange() {
        for (long a : VALUES) {
            for (long b : VALUES) {
                BigInteger left = BigInteger.valueOf(a);
                BigInteger right = BigInteger.valueOf(b);
                assertThat(Saturating.add(a, b)).isEqualTo(nearest(left.add(right)));
                assertThat(Saturating.subtract(a, b)).isEqualTo(nearest(left.subtract(right)));
                if (a >= 0 && b >= 0) {
                    assertThat(Saturating.multiply(a, b)).isEqualTo(nearest(left.multiply(right)));
                }
            }
        }
    }

    private static long nearest(BigInteger exact) {
        return exact.min(BigInteger.valueOf(Long.MAX_VALUE))
                .max(BigInteger.valueOf(Long.MIN_VALUE))
                .longValueExact();
    }
}
