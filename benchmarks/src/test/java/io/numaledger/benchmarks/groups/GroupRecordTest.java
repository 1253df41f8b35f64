package io.numaledger.benchmarks.groups;

import io.numaledger.benchmarks.groups.GroupMix.Arrival;
import org.junit.jupiter.api.Test;

import java.time.Duration;
import java.util.List;

import static org.assertj.core.api.Assertions.assertThat;

/** Times are in nanoseconds. */
class GroupRecordTest {

    private final GroupRecord group =
            new GroupRecord(new Arrival("group-000", List.of(1, 1), Duration.ZERO, Duration.ZERO, true, false));

    @Test
    void aGroupIsIncompleteUntilAllOfItsPodsRun() {
        group.created(0);

        assertThat(group.podRuns("a", "n1", 10)).isFalse();
        assertThat(group.incompleteSince()).contains(10L);
        assertThat(group.podRuns("b", "n2", 25)).isTrue();

        assertThat(group.incompleteSince()).isEmpty();
        assertThat(group.longestIncomplete()).isEqualTo(Duration.ofNanos(15));
        assertThat(group.untilUp()).contains(Duration.ofNanos(25));
        assertThat(group.brokeRule()).isFalse();
    }

    @Test
    void aGroupInTwoRacksBreaksItsRule() {
        group.created(0);

        group.podRuns("a", "n1", 1);
        group.podRuns("b", "n8", 1);

        assertThat(group.brokeRule()).isTrue();
    }

    @Test
    void aGroupWithoutRunningPodsIsNotIncomplete() {
        group.created(0);
        group.podRuns("a", "n1", 10);
        group.podEnds("a", 13);
        group.podRuns("a", "n1", 20);
        group.ends(22);

        assertThat(group.longestIncomplete()).isEqualTo(Duration.ofNanos(3));
        assertThat(group.untilUp()).isEmpty();
    }
}
