package io.numaledger.scheduling.rehearsal;

import io.numaledger.scheduling.rehearsal.AddRehearsal.Result;
import org.junit.jupiter.api.Test;

import static io.numaledger.scheduling.rehearsal.TestRehearsal.fates;
import static org.assertj.core.api.Assertions.assertThat;

class AddRehearsalTest {

    private final TestRehearsal test = new TestRehearsal();

    /** By sums, one more node has room for all three; by zones, for two. */
    @Test
    void countsTheNodesThatPendingPodsNeed() {
        test.nodes("a");
        test.running("a0", "a", 4, "1-4");
        test.pending("p1", 3);
        test.pending("p2", 2);
        test.pending("p3", 3);
        test.pending("p4", 3);

        Result result = AddRehearsal.of(test.read(), "a", AddRehearsal.MOST);

        assertThat(fates(result.fitting())).containsExactly("p1: moves to a");
        assertThat(fates(result.added())).containsExactly("p2: moves to a+1", "p3: moves to a+1", "p4: moves to a+2");
        assertThat(result.waiting()).isEmpty();
        assertThat(result.needed()).isEqualTo(2);
    }

    @Test
    void endsAtTheMostNodes() {
        test.nodes("a");
        test.running("a0", "a", 4, "1-4");
        test.running("a1", "a", 4, "5-8");
        test.pending("p1", 4);
        test.pending("p2", 4);
        test.pending("p3", 4);

        Result result = AddRehearsal.of(test.read(), "a", 1);

        assertThat(fates(result.waiting())).containsExactly("p3: pending");
        assertThat(result.needed()).isEqualTo(1);
    }

    @Test
    void aPodThatNoEmptyNodeTakesNeedsNone() {
        test.nodes("a");
        test.pending("p1", 5);

        Result result = AddRehearsal.of(test.read(), "a", AddRehearsal.MOST);

        assertThat(fates(result.waiting())).containsExactly("p1: pending");
        assertThat(result.needed()).isZero();
    }

    @Test
    void aNewNodeHasThePodsOfDaemonSets() {
        test.nodes("a");
        test.running("daemon", "a", 1, "1");
        test.made("daemon", "DaemonSet");
        test.running("a1", "a", 4, "5-8");
        test.pending("p1", 4);
        test.pending("p2", 4);

        Result result = AddRehearsal.of(test.read(), "a", AddRehearsal.MOST);

        assertThat(result.needed()).isEqualTo(2);
    }
}
