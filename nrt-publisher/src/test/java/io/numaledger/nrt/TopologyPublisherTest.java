package io.numaledger.nrt;

import io.numaledger.nrt.NodeTopology.Owner;
import io.numaledger.nrt.TopologyPublisher.Outcome;
import org.junit.jupiter.api.Test;

import java.io.IOException;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.TreeMap;
import java.util.TreeSet;

import static org.assertj.core.api.Assertions.assertThat;

class TopologyPublisherTest {

    private static final Instant START = Instant.parse("2026-01-01T00:00:00Z");
    private static final NodeTopology OURS = topology("restricted");
    private static final NodeTopology THEIRS = topology("none");

    private final InMemoryTopologies store = new InMemoryTopologies();
    private final TopologyPublisher publisher = new TopologyPublisher(store, InMemoryTopologies.OURS);
    private Instant now = START;

    @Test
    void writesOnceAndThenOnlyWhenSomethingChanged() throws IOException {
        assertThat(publish()).isEqualTo(Outcome.WRITTEN);
        assertThat(publish()).isEqualTo(Outcome.UNCHANGED);
        assertThat(publisher.publish(THEIRS, now)).isEqualTo(Outcome.WRITTEN);
        assertThat(store.writes).isEqualTo(2);
    }

    @Test
    void repairsAnObjectThatWasEditedByHandOrDeleted() throws IOException {
        publish();
        store.put(THEIRS, InMemoryTopologies.OURS, "kubectl-edit");
        assertThat(publish()).isEqualTo(Outcome.REPAIRED);
        store.delete();
        assertThat(publisher.deleted("n")).isTrue();
        assertThat(publish()).isEqualTo(Outcome.REPAIRED);
        assertThat(publisher.contender()).isEmpty();
    }

    @Test
    void givesWayToAPublisherThatKeepsChangingTheObjectBack() throws IOException {
        publish();
        assertThat(otherPublishes()).isEqualTo(Outcome.REPAIRED);
        assertThat(otherPublishes()).isEqualTo(Outcome.REPAIRED);
        assertThat(otherPublishes()).isEqualTo(Outcome.CONTESTED);
        int writes = store.writes;
        for (int i = 0; i < 50; i++) {
            now = now.plusSeconds(10);
            assertThat(otherPublishes()).isEqualTo(Outcome.CONTESTED);
        }
        assertThat(store.writes).isEqualTo(writes);
        assertThat(publisher.contender()).contains("rte");
    }

    @Test
    void resumesWhenTheContentIsRightAgain() throws IOException {
        contest();
        store.put(OURS, "rte");
        assertThat(publish()).isEqualTo(Outcome.UNCHANGED);
        assertThat(publisher.contender()).isEmpty();
    }

    @Test
    void resumesWhenTheOtherNoLongerOwnsTheContent() throws IOException {
        contest();
        store.put(THEIRS, InMemoryTopologies.OURS);
        assertThat(publish()).isEqualTo(Outcome.REPAIRED);
        assertThat(publisher.contender()).isEmpty();
    }

    @Test
    void triesOnceInAWhileWhetherTheOtherIsGone() throws IOException {
        contest();
        now = now.plus(TopologyPublisher.MEMORY);
        assertThat(publish()).isEqualTo(Outcome.REPAIRED);
        assertThat(otherPublishes()).isEqualTo(Outcome.CONTESTED);
        now = now.plus(TopologyPublisher.MEMORY);
        assertThat(publish()).isEqualTo(Outcome.REPAIRED);
        assertThat(publish()).isEqualTo(Outcome.UNCHANGED);
        assertThat(publisher.contender()).isEmpty();
    }

    @Test
    void forgetsChangesThatLieLongAgo() throws IOException {
        publish();
        for (int day = 0; day < 10; day++) {
            now = now.plus(Duration.ofDays(1));
            assertThat(otherPublishes()).isEqualTo(Outcome.REPAIRED);
        }
    }

    /** resource-topology-exporter leaves what another publisher wrote there. */
    @Test
    void takesAwayTheDeprecatedPolicyThatAnotherPublisherLeft() throws IOException {
        store.put(
                new NodeTopology("n", Optional.empty(), new TreeMap<>(), new TreeMap<>(), List.of("None"), List.of()),
                "nfd");
        publish();
        assertThat(store.stored("n").orElseThrow().topology().topologyPolicies())
                .isEmpty();
        assertThat(publish()).isEqualTo(Outcome.UNCHANGED);
    }

    @Test
    void isContentWithAnOwnerBesideOurs() {
        Owner node = Owner.node("n", "1");
        Owner namespace = Owner.namespace("default", "2");
        StoredTopology stored = new StoredTopology(
                new NodeTopology("n", Optional.of(namespace), new TreeMap<>(), List.of()),
                List.of(namespace, node),
                new TreeSet<>(),
                "1");
        assertThat(stored.says(new NodeTopology("n", Optional.of(node), new TreeMap<>(), List.of())))
                .isTrue();
        assertThat(stored.says(new NodeTopology("n", Optional.of(Owner.node("n", "3")), new TreeMap<>(), List.of())))
                .isFalse();
    }

    private void contest() throws IOException {
        publish();
        otherPublishes();
        otherPublishes();
        assertThat(otherPublishes()).isEqualTo(Outcome.CONTESTED);
    }

    private Outcome otherPublishes() throws IOException {
        store.put(THEIRS, "rte");
        return publish();
    }

    private Outcome publish() throws IOException {
        return publisher.publish(OURS, now);
    }

    private static NodeTopology topology(String policy) {
        return new NodeTopology(
                "n", Optional.empty(), new TreeMap<>(Map.of("topologyManagerPolicy", policy)), List.of());
    }
}
