package io.numaledger.gpu;

import org.junit.jupiter.api.Test;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

class GpuSetTest {

    private static final GpuSet BOTH_WORDS = GpuSet.of(127, 0, 63, 64);

    @Test
    void holdsIndexesOfBothWordsInOrder() {
        assertThat(BOTH_WORDS.indexes()).containsExactly(0, 63, 64, 127);
        assertThat(BOTH_WORDS).hasToString("{0,63,64,127}");
        assertThat(BOTH_WORDS.size()).isEqualTo(4);
        assertThat(BOTH_WORDS.contains(64)).isTrue();
        assertThat(BOTH_WORDS.contains(65)).isFalse();
        assertThat(BOTH_WORDS.contains(128)).isFalse();
    }

    @Test
    void walksFromAnyIndex() {
        assertThat(BOTH_WORDS.next(0)).isZero();
        assertThat(BOTH_WORDS.next(1)).isEqualTo(63);
        assertThat(BOTH_WORDS.next(64)).isEqualTo(64);
        assertThat(BOTH_WORDS.next(65)).isEqualTo(127);
        assertThat(BOTH_WORDS.next(128)).isEqualTo(-1);
        assertThat(GpuSet.NONE.next(0)).isEqualTo(-1);
    }

    @Test
    void addsAndTakesAway() {
        GpuSet other = GpuSet.of(1, 64);
        assertThat(BOTH_WORDS.and(other)).isEqualTo(GpuSet.of(64));
        assertThat(BOTH_WORDS.or(other)).isEqualTo(GpuSet.of(0, 1, 63, 64, 127));
        assertThat(BOTH_WORDS.minus(other)).isEqualTo(GpuSet.of(0, 63, 127));
        assertThat(BOTH_WORDS.containsAll(GpuSet.of(0, 127))).isTrue();
        assertThat(BOTH_WORDS.containsAll(other)).isFalse();
        assertThat(GpuSet.first(72).size()).isEqualTo(72);
    }

    @Test
    void ordersAsUnsignedNumbers() {
        assertThat(GpuSet.of(63)).isGreaterThan(GpuSet.first(63));
        assertThat(GpuSet.of(64)).isGreaterThan(GpuSet.of(63));
    }

    @Test
    void refusesAnIndexThatNoMachineHas() {
        assertThatThrownBy(() -> GpuSet.of(128))
                .hasMessage("a set of GPUs holds indexes 0-127: index=128; name a GPU of this machine");
    }
}
