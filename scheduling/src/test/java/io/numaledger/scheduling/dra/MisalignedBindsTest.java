package io.numaledger.scheduling.dra;

import io.numaledger.evaluation.facts.PodFacts;
import io.numaledger.objects.ClusterYaml;
import org.junit.jupiter.api.Test;

import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.atomic.AtomicReference;

import static org.assertj.core.api.Assertions.assertThat;

class MisalignedBindsTest {

    private static final PodFacts POD = ClusterYaml.pending("x", "cpu: 2");
    private static final int SAME = 1;
    private static final int OTHER = 2;

    private final AtomicReference<Instant> now = new AtomicReference<>(Instant.EPOCH);
    private final List<String> changed = new ArrayList<>();
    private final MisalignedBinds binds = new MisalignedBinds(now::get, changed::add);

    private void pass(Duration time) {
        now.updateAndGet(before -> before.plus(time));
    }

    private boolean refuses(int condition) {
        return binds.refuses(POD, "n", () -> condition);
    }

    @Test
    void refusesTheNodeUntilItsConditionChanges() {
        binds.failed(POD, "n", SAME);
        pass(MisalignedBinds.FIRST);
        assertThat(refuses(SAME)).isTrue();
        assertThat(refuses(OTHER)).isFalse();
        assertThat(binds.refuses(POD, "m", () -> SAME)).isFalse();
        assertThat(binds.refuses(ClusterYaml.pending("y", "cpu: 2"), "n", () -> SAME))
                .isFalse();
        pass(MisalignedBinds.MAX);
        assertThat(refuses(SAME)).as("at last").isFalse();
    }

    @Test
    void waitsTwiceAsLongAfterEachFailureWhateverChanges() {
        for (long pause : new long[] {1, 2, 4, 8, 16, 32, 64, 128, 256, 300, 300}) {
            binds.failed(POD, "n", SAME);
            pass(Duration.ofSeconds(pause).minusMillis(1));
            assertThat(refuses(OTHER)).as("before %d s", pause).isTrue();
            pass(Duration.ofMillis(1));
            assertThat(refuses(OTHER)).as("after %d s", pause).isFalse();
        }
    }

    @Test
    void hasPodsLookAgainWhenTimeHasPassed() {
        binds.failed(POD, "n", SAME);
        binds.expire();
        assertThat(changed).isEmpty();
        pass(MisalignedBinds.FIRST);
        binds.expire();
        binds.expire();
        assertThat(changed).containsExactly("n");
        pass(MisalignedBinds.MAX);
        binds.expire();
        assertThat(changed).containsExactly("n", "n");
        assertThat(binds.concern(POD)).isTrue();
        pass(MisalignedBinds.MAX);
        binds.expire();
        assertThat(binds.concern(POD)).isFalse();
    }
}
