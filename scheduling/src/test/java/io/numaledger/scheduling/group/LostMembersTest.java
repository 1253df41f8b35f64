package io.numaledger.scheduling.group;

import io.numaledger.evaluation.facts.PodFacts;
import io.numaledger.evaluation.facts.PodGroup;
import io.numaledger.evaluation.facts.PodGroupName;
import io.numaledger.evaluation.facts.PodGroupName.Kind;
import io.numaledger.evaluation.fit.Evaluation;
import io.numaledger.evaluation.snapshot.SnapshotSettings;
import io.numaledger.objects.ClusterYaml;
import io.numaledger.scheduling.TestCluster;
import io.numaledger.scheduling.gang.GangAnswer;
import io.numaledger.scheduling.gang.Gangs;
import io.numaledger.scheduling.state.NodeNames;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

import java.time.Duration;
import java.time.Instant;
import java.util.Collections;
import java.util.List;
import java.util.Optional;
import java.util.OptionalInt;

import static org.assertj.core.api.Assertions.assertThat;

/** A PodGroup of two pods of 3 CPUs fills node {@code a}: one in each of its zones of 4 CPUs. */
class LostMembersTest {

    private Instant now = Instant.parse("2026-01-01T00:00:00Z");
    private final TestCluster cluster = new TestCluster(SnapshotSettings.DEFAULT, (pod, reservation) -> {}, () -> now);
    private final PodGroups groups = new PodGroups();
    private final PlanReservations reservations = new PlanReservations(cluster.state);
    private final Gangs gangs = new Gangs(
            cluster.state,
            groups,
            reservations,
            new GroupListener() {},
            () -> now.toEpochMilli() * 1_000_000,
            cluster.state.changes()::await,
            any -> {});
    private final LostMembers lost = new LostMembers(cluster.state, groups, reservations, true, () -> now);

    @BeforeEach
    void start() {
        cluster.apply(ClusterYaml.node("a"));
        groups.watched(Kind.NATIVE);
        groups.put(new PodGroup(
                new PodGroupName(Kind.NATIVE, "default", "g"),
                "scheduling.k8s.io/v1beta1",
                "uid-g",
                OptionalInt.of(2),
                Collections.emptySortedMap(),
                Collections.emptySortedMap(),
                List.of()));
        run("g-0", "1-3");
        run("g-1", "5-7");
    }

    private static String member(String name, String annotations, String spec, String phase) {
        return ClusterYaml.pod(
                name,
                "cpu: \"3\", memory: 1Gi",
                annotations,
                "  schedulingGroup: {podGroupName: g}" + spec,
                ", phase: " + phase);
    }

    private static String running(String name, String cpus) {
        return member(
                name,
                ", annotations: {numaledger.io/placement: '{\"containers\":[{\"name\":\"c\",\"cpus\":\"%s\"}]}'}"
                        .formatted(cpus),
                "\n  nodeName: a",
                "Running");
    }

    private void run(String name, String cpus) {
        cluster.apply(running(name, cpus));
    }

    private PodFacts pod(String name) {
        return cluster.state.pods().get("default/" + name).orElseThrow();
    }

    private void delete(String name) {
        PodFacts pod = pod(name);
        cluster.deletePod(name);
        lost.deleted(pod);
    }

    private static PodFacts other(int priority) {
        return ClusterYaml.parsePod(
                ClusterYaml.pod("other", "cpu: \"3\", memory: 1Gi", "", "  priority: " + priority, ""));
    }

    private void pass(Duration time) {
        now = now.plus(time);
        lost.check();
    }

    @Test
    void thePlaceOfALostPodIsKeptUntilAnotherOneIsBound() {
        delete("g-1");
        pass(Duration.ofSeconds(20));
        assertThat(cluster.binds("a", other(0))).isFalse();

        cluster.apply(member("g-2", "", "", "Pending"));
        Optional<GangAnswer> answer =
                gangs.filter(pod("g-2"), NodeNames.of(cluster.state.index(), List.of("a")), Optional.empty());
        assertThat(answer).contains(new GangAnswer.Planned("a"));
        assertThat(gangs.beforeBind(pod("g-2"), "a")).isEmpty();
        assertThat(cluster.state
                        .binds()
                        .<Evaluation>bind("a", pod("g-2"), Optional::orElseThrow)
                        .admits())
                .isTrue();
        run("g-2", "5-7");
        pass(Duration.ofSeconds(1));

        assertThat(cluster.state.reserved().hasPlanned()).isFalse();
    }

    @Test
    void itIsKeptWhileThePodTerminates() {
        cluster.apply(ClusterYaml.terminating(running("g-1", "5-7")));
        lost.changed(pod("g-1"));
        pass(Duration.ofMinutes(2));

        delete("g-1");
        pass(Duration.ofSeconds(20));

        assertThat(cluster.binds("a", other(0))).isFalse();
    }

    @Test
    void itIsNotKeptForLong() {
        delete("g-1");

        pass(LostMembers.LIMIT);

        assertThat(cluster.binds("a", other(0))).isTrue();
    }

    @Test
    void itIsNotKeptFromMoreImportantPods() {
        delete("g-1");

        assertThat(cluster.binds("a", other(1))).isTrue();
    }

    @Test
    void nothingIsKeptForAGroupThatIsDeleted() {
        delete("g-0");
        delete("g-1");
        pass(Duration.ofSeconds(1));

        assertThat(cluster.state.reserved().hasPlanned()).isFalse();
    }

    @Test
    void nothingIsKeptForAPodThatTheGroupDoesNotNeed() {
        delete("g-1");
        run("g-3", "5-7");
        pass(Duration.ofSeconds(1));

        assertThat(cluster.state.reserved().hasPlanned()).isFalse();
    }

    /** The kubelet does not admit it there. */
    @Test
    void nothingIsKeptForAPodThatItsKubeletHasRefused() {
        cluster.apply(running("g-1", "5-7").replace("phase: Running", "phase: Failed, reason: TopologyAffinityError"));
        lost.changed(pod("g-1"));

        assertThat(cluster.state.reserved().hasPlanned()).isFalse();
    }
}
