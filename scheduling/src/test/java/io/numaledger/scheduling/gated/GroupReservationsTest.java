package io.numaledger.scheduling.gated;

import io.numaledger.evaluation.budget.EvaluationBudget;
import io.numaledger.evaluation.facts.PodFacts;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

import java.time.Duration;
import java.util.Random;
import java.util.stream.LongStream;

import static org.assertj.core.api.Assertions.assertThat;

/** What is reserved for groups that wait. Each node has two zones of 4 CPUs: two pods of 3 CPUs fit. */
class GroupReservationsTest {

    private static final Duration SECOND = Duration.ofSeconds(1);

    private final GatedCluster gated = new GatedCluster();

    /** Group {@code big} waits for three places: two are free on node a, and node b is full. */
    private void threePlacesOfWhichTwoAreFree(String namespace, String group) {
        gated.nodes("a", "b");
        gated.fill("b", 0);
        gated.fill("b", 1);
        gated.create(namespace, group, 3, 3, 0);
        gated.groups.check();
    }

    private void pass(Duration time) {
        for (Duration left = time; !left.isZero(); left = left.minusSeconds(10)) {
            gated.pass(Duration.ofSeconds(10));
        }
    }

    private boolean keepsFor(String namespace) {
        return gated.cluster.state.reserved().planned("a").stream()
                .anyMatch(each -> each.pod().namespace().equals(namespace));
    }

    @Test
    void nothingIsKeptForAGroupThatIsTooLargeForTheCluster() {
        gated.nodes("a", "b");
        gated.create("default", "huge", 24, 24, 0);
        gated.groups.check();

        pass(Duration.ofMinutes(3));

        assertThat(gated.cluster.state.reserved().hasPlanned()).isFalse();
        assertThat(gated.refuses("a", 0)).isFalse();
    }

    @Test
    void whatIsKeptForAGroupEndsAndDoesNotComeAgainForAsLong() {
        threePlacesOfWhichTwoAreFree("default", "big");
        pass(Duration.ofMinutes(1));
        assertThat(gated.refuses("a", 0)).isTrue();

        pass(ReservationLimits.LIMIT);
        assertThat(gated.refuses("a", 0)).isFalse();

        pass(ReservationLimits.LIMIT.minusSeconds(20));
        assertThat(gated.refuses("a", 0)).isFalse();

        pass(ReservationLimits.LIMIT.plusMinutes(1));
        assertThat(gated.refuses("a", 0)).as("it may come again").isTrue();
    }

    /** A tenant may create groups without end. */
    @Test
    void anotherGroupOfTheNamespaceDoesNotComeNext() {
        threePlacesOfWhichTwoAreFree("default", "big");
        gated.create("default", "second", 3, 3, 0);
        pass(Duration.ofMinutes(1));
        assertThat(gated.refuses("a", 0)).isTrue();

        pass(ReservationLimits.LIMIT);

        assertThat(gated.refuses("a", 0)).isFalse();
    }

    @Test
    void aGroupOfAnotherNamespaceComesNext() {
        threePlacesOfWhichTwoAreFree("default", "big");
        pass(SECOND.multipliedBy(10));
        gated.create("other", "second", 3, 3, 0);
        pass(Duration.ofMinutes(2));
        assertThat(keepsFor("default")).isTrue();

        pass(ReservationLimits.LIMIT);

        assertThat(keepsFor("default")).isFalse();
        assertThat(keepsFor("other")).isTrue();
    }

    @Test
    void aGroupThatFitsBeforeTheEndRuns() {
        threePlacesOfWhichTwoAreFree("default", "big");
        pass(Duration.ofMinutes(2));

        gated.cluster.deletePod("b0");
        gated.pass(SECOND);

        assertThat(gated.released).hasSize(3);
    }

    @Test
    void noPlaceIsKeptFromMoreImportantPodsAndGroups() {
        threePlacesOfWhichTwoAreFree("default", "big");
        pass(Duration.ofMinutes(2));
        assertThat(gated.refuses("a", 0)).isTrue();
        assertThat(gated.refuses("a", 1)).isFalse();

        gated.create("other", "high", 2, 2, 1);
        gated.pass(SECOND);

        assertThat(gated.released).containsOnlyKeys("high-0", "high-1");
        assertThat(gated.refuses("a", 0)).as("reserved for the important group").isTrue();
    }

    /** Its pods are not bound yet: as with nominated pods, those of higher priority come first. */
    @Test
    void releasedPodsGiveWayToAMoreImportantGroup() {
        gated.nodes("a");
        gated.create("default", "low", 2, 2, 0);
        gated.groups.check();
        assertThat(gated.released).containsOnlyKeys("low-0", "low-1");

        gated.create("other", "high", 2, 2, 1);
        gated.pass(SECOND);

        assertThat(gated.released).containsKeys("high-0", "high-1");
        assertThat(binds("default/low-0")).as("it would take the place of high").isFalse();
        assertThat(binds("other/high-0")).isTrue();
    }

    private boolean binds(String pod) {
        PodFacts facts = gated.cluster.state.pods().get(pod).orElseThrow();
        return gated.cluster.binds("a", facts);
    }

    static LongStream seeds() {
        return LongStream.range(0, 30);
    }

    @ParameterizedTest
    @MethodSource("seeds")
    void noNewcomerIsRefusedForALessImportantGroup(long seed) {
        Random random = new Random(seed);
        String[] nodes = {"a", "b", "c"};
        gated.nodes(nodes);
        for (String node : nodes) {
            for (int zone = 0; zone < 2; zone++) {
                if (random.nextInt(3) == 0) {
                    gated.fill(node, zone);
                }
            }
        }
        for (int i = 0; i < 12; i++) {
            if (random.nextBoolean()) {
                int least = 1 + random.nextInt(5);
                gated.create("ns" + random.nextInt(3), "g" + i, least, least + random.nextInt(2), random.nextInt(3));
            }
            gated.pass(Duration.ofSeconds(1 + random.nextInt(100)));
            for (String node : nodes) {
                for (int priority = 0; priority < 3; priority++) {
                    int newcomer = priority;
                    boolean isKept = gated.cluster.state.reserved().planned(node).stream()
                            .anyMatch(each -> each.pod().priority().value() >= newcomer);
                    assertThat(isKept
                                    || gated.cluster
                                            .state
                                            .reserved()
                                            .refusal(
                                                    node,
                                                    GatedCluster.newcomer(priority),
                                                    new EvaluationBudget(1_000_000_000))
                                            .isEmpty())
                            .isTrue();
                }
                assertThat(gated.cluster
                                .state
                                .reserved()
                                .refusal(node, GatedCluster.newcomer(3), new EvaluationBudget(1_000_000_000)))
                        .isEmpty();
            }
        }
    }
}
