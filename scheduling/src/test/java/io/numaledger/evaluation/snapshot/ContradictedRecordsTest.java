package io.numaledger.evaluation.snapshot;

import io.numaledger.objects.ClusterYaml;
import io.numaledger.scheduling.TestCluster;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.concurrent.atomic.AtomicReference;

import static org.assertj.core.api.Assertions.assertThat;

/** The agent's zones show what pods hold, whatever their records say. A node of two zones with 4 CPUs and a GPU each. */
class ContradictedRecordsTest {

    private final AtomicReference<Instant> time = new AtomicReference<>(Instant.parse("2026-01-01T00:00:00Z"));
    private final TestCluster cluster = new TestCluster((pod, reservation) -> {}, time::get);

    /** The pod {@code liar} holds 3 CPUs of zone 0, and its record names 3 of zone 1. */
    @BeforeEach
    void aPodWithAForgedRecord() {
        cluster.apply(ClusterYaml.running("liar", "n", "cpu: \"3\", memory: 1Gi", "5-7"), zones(1, 4, "default/liar"));
        cluster.snapshot("n");
    }

    private static String zones(int inZone0, int inZone1, String... pods) {
        return ClusterYaml.nodeOfAgent("n", inZone0, inZone1, pods);
    }

    private void pass(int seconds) {
        time.updateAndGet(now -> now.plus(Duration.ofSeconds(seconds)));
    }

    private long cpus(int zone) {
        return cluster.snapshot("n").pods().stream()
                .mapToLong(held -> held.placement().on(zone).get("cpu"))
                .sum();
    }

    private boolean fits(int cpus) {
        return cluster.evaluate(List.of("n"), ClusterYaml.pending("next", "cpu: \"%d\", memory: 1Gi".formatted(cpus)))
                .get(0)
                .admits();
    }

    @Test
    void aRecordIsSetAsideAfterFiveSecondsAndThePodIsNamed() {
        pass(4);
        assertThat(cluster.state.recordsSetAside("n")).isEmpty();
        assertThat(cpus(1)).as("believed, as zones may be late").isEqualTo(3000);

        pass(1);

        assertThat(cpus(0)).isEqualTo(3000);
        assertThat(cpus(1)).isZero();
        assertThat(fits(4)).as("zone 1 is free").isTrue();
        assertThat(cluster.state.recordsSetAside("n")).containsExactly("default/liar");
        assertThat(cluster.snapshot("n").assumptions())
                .contains(Assumption.ofPod(Assumption.Kind.RECORD_CONFLICT, "default/liar"));
    }

    @Test
    void aPodThatIsHonestBesideItKeepsItsRecord() {
        cluster.apply(
                ClusterYaml.running("honest", "n", "cpu: \"1\", memory: 1Gi", "8"),
                zones(1, 3, "default/liar", "default/honest"));
        cluster.snapshot("n");
        pass(5);

        assertThat(cpus(0)).isEqualTo(3000);
        assertThat(cpus(1)).isEqualTo(1000);
        assertThat(cluster.state.recordsSetAside("n")).containsExactly("default/liar");
    }

    @Test
    void zonesThatComeToAgreeEndTheDoubt() {
        pass(4);
        cluster.apply(zones(4, 1, "default/liar"));
        cluster.snapshot("n");
        pass(5);

        assertThat(cpus(1)).isEqualTo(3000);
        assertThat(cluster.state.recordsSetAside("n")).isEmpty();
    }

    @Test
    void aRecordThatWasSetAsideIsBelievedAgainWhenTheZonesAgree() {
        pass(5);
        assertThat(cpus(1)).isZero();

        cluster.apply(zones(4, 1, "default/liar"));

        assertThat(cpus(0)).isZero();
        assertThat(cpus(1)).isEqualTo(3000);
        assertThat(cluster.state.recordsSetAside("n")).isEmpty();
    }

    @Test
    void anotherRecordOfThePodIsBelievedAgain() {
        pass(5);
        assertThat(cpus(1)).isZero();

        cluster.apply(ClusterYaml.running("liar", "n", "cpu: \"3\", memory: 1Gi", "1-3"));

        assertThat(cpus(0)).isEqualTo(3000);
        assertThat(cpus(1)).isZero();
        assertThat(cluster.state.recordsSetAside("n")).isEmpty();
    }

    @Test
    void zonesThatDoNotKnowAPodYetContradictNothing() {
        cluster.deletePod("liar");
        cluster.apply(zones(4, 4), ClusterYaml.running("late", "n", "cpu: \"1\", memory: 1Gi", "8"));
        cluster.snapshot("n");
        pass(60);

        assertThat(cpus(1)).isEqualTo(1000);
        assertThat(cluster.state.recordsSetAside("n")).isEmpty();
    }

    @Test
    void zonesThatAreNotTheAgentsContradictNothing() {
        cluster.deletePod("liar");
        cluster.snapshot("n");
        cluster.apply(
                zones(1, 4, "default/liar").replaceAll(".*initContainerResources.*\n", ""),
                ClusterYaml.running("liar", "n", "cpu: \"3\", memory: 1Gi", "5-7"));
        cluster.snapshot("n");
        pass(60);

        assertThat(cpus(1)).isEqualTo(3000);
        assertThat(cluster.state.recordsSetAside("n")).isEmpty();
    }

    @Test
    void theZonesAreComparedWhenTheyChangeAndNobodyAsks() {
        cluster.apply(zones(4, 1, "default/liar"));
        cluster.snapshot("n");

        cluster.apply(zones(1, 4, "default/liar"));
        pass(5);

        assertThat(cpus(1)).isZero();
    }
}
