package io.numaledger.scheduling.scheduler;

import io.numaledger.evaluation.facts.PodFacts;
import io.numaledger.objects.ClusterYaml;
import io.numaledger.scheduling.TestCluster;
import io.numaledger.scheduling.scheduler.SchedulerFinding.Kind;
import org.junit.jupiter.api.Test;

import java.time.Instant;
import java.time.InstantSource;
import java.util.Optional;

import static org.assertj.core.api.Assertions.assertThat;

/** A bridge that started at 09:00; a pod that was created at 09:30 and that its scheduler could not place. */
class SchedulerCallsTest {

    private static final String CREATED = ", creationTimestamp: \"2026-11-25T09:30:00Z\"";
    private static final String REFUSED =
            ", conditions: [{type: PodScheduled, status: \"False\", reason: Unschedulable, message: \"%s\"}]";

    private Instant now = at("09:00");
    private final TestCluster cluster = new TestCluster();
    private final SchedulerCalls calls = new SchedulerCalls(SchedulerCheck.DEFAULT_NAMES, (InstantSource) () -> now);

    private static Instant at(String time) {
        return Instant.parse("2026-11-25T%s:00Z".formatted(time));
    }

    private PodFacts refused(String message) {
        cluster.apply(
                ClusterYaml.node("n"),
                ClusterYaml.pod(
                        "x",
                        "cpu: \"4\", memory: 1Gi",
                        CREATED,
                        "  schedulerName: numaledger",
                        ", phase: Pending" + REFUSED.formatted(message)));
        return cluster.state.pods().get("default/x").orElseThrow();
    }

    private Optional<Kind> finding(PodFacts pod, boolean fits) {
        return calls.of(pod, cluster.state, fits).map(SchedulerFinding::kind);
    }

    @Test
    void saysThatThePodWasTriedAndNobodyCalled() {
        PodFacts pod = refused("0/1 nodes are available: 1 Too many pods.");
        calls.filtered(pod);
        now = at("10:00");

        assertThat(finding(pod, true)).as("called before the pod was created").contains(Kind.NOT_ASKED);
        assertThat(finding(pod, false)).as("no node would take it").isEmpty();
        calls.filtered(pod);
        assertThat(finding(pod, true)).isEmpty();
        assertThat(calls.lastFilter("numaledger")).contains(at("10:00"));
    }

    @Test
    void aRefusalForZonesShowsThatABridgeWasAsked() {
        PodFacts pod = refused("0/1 nodes are available: NUMA: no zone can take 4 cpu.");
        now = at("10:00");

        assertThat(finding(pod, true)).isEmpty();
    }

    @Test
    void remembersOnlySchedulersThatAreNamed() {
        calls.filtered(ClusterYaml.parsePod(
                ClusterYaml.pod("y", "cpu: \"4\", memory: 1Gi", CREATED, "  schedulerName: other", "")));

        assertThat(calls.lastFilter("other")).isEmpty();
    }

    @Test
    void findsPodsThatWereBoundWithoutACallOnNodesWithZonesOnly() {
        String bare = ClusterYaml.node("bare");
        cluster.apply(ClusterYaml.node("n"), bare.substring(0, bare.lastIndexOf("---")));
        for (String node : new String[] {"n", "bare"}) {
            cluster.apply(ClusterYaml.running("on-" + node, node, "cpu: \"4\", memory: 1Gi", "1-4")
                    .replace("phase: Running", "phase: Running, startTime: \"2026-11-25T09:40:00Z\""));
        }
        now = at("10:00");

        assertThat(calls.findings(cluster.state))
                .singleElement()
                .satisfies(found ->
                        assertThat(found.pods()).extracting(PodFacts::name).containsExactly("on-n"));
        assertThat(finding(cluster.state.pods().get("default/on-n").orElseThrow(), true))
                .contains(Kind.BOUND_WITHOUT_BRIDGE);
        calls.filtered(refused(""));
        assertThat(calls.findings(cluster.state)).as("a scheduler calls").isEmpty();
    }
}
