package io.numaledger.scheduling.audit;

import io.numaledger.evaluation.facts.PodFacts;
import io.numaledger.evaluation.fit.Evaluation;
import io.numaledger.evaluation.fit.PredictedPlacement;
import io.numaledger.evaluation.snapshot.Confidence;
import io.numaledger.evaluation.snapshot.NodeSnapshot;
import io.numaledger.objects.ClusterYaml;
import io.numaledger.scheduling.TestCluster;
import io.numaledger.scheduling.state.PodInFlight;
import io.numaledger.scheduling.state.PossibleSnapshots;
import io.numaledger.scheduling.state.ReservationListener;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

import java.time.Instant;
import java.util.Optional;

import static org.assertj.core.api.Assertions.assertThat;

/** Pods of 2 CPUs on a node of two zones with 4 CPUs; the first one is predicted on CPUs 1-2. */
class PredictionAuditTest {

    private static final String RESOURCES = "cpu: \"2\", memory: 1Gi";

    private Instant now = Instant.parse("2026-01-01T00:00:00Z");
    private final PredictionAudit audit = new PredictionAudit(() -> now, this::snapshot);
    private final TestCluster cluster = new TestCluster(
            new ReservationListener() {
                @Override
                public void predicted(PodFacts pod, PossibleSnapshots node, PredictedPlacement placement) {
                    audit.predicted(pod, node, placement);
                }

                @Override
                public void cancelled(PodFacts pod) {
                    audit.forget(pod);
                }

                @Override
                public void released(PodFacts pod, PodInFlight reservation) {
                    audit.observed(pod);
                }

                @Override
                public void rejected(PodFacts pod, Evaluation evaluation) {
                    audit.rejected(pod);
                }
            },
            () -> now);

    private Optional<NodeSnapshot> snapshot(String node) {
        return cluster.state.snapshot(node);
    }

    @BeforeEach
    void node() {
        cluster.apply(ClusterYaml.node("n"));
    }

    private void bind(String name) {
        bind(ClusterYaml.pending(name, RESOURCES));
    }

    private void bind(PodFacts pod) {
        cluster.state.podChanged(pod);
        assertThat(cluster.state
                        .binds()
                        .<Boolean>bind(
                                "n", pod, evaluation -> evaluation.orElseThrow().admits()))
                .isTrue();
        now = now.plusSeconds(1);
    }

    /** @param zone where an exporter reports the pod */
    private static String observed(String name, String cpus, int zone) {
        String amounts =
                "kai.scheduler/numa-placement-observed: '[{\"zone\":\"node-%d\",\"amount\":{\"cpu\":\"2\"}}]', "
                        .formatted(zone);
        return ClusterYaml.running(name, "n", RESOURCES, cpus).replace("annotations: {", "annotations: {" + amounts);
    }

    private AuditEntry entry(String name) {
        return audit.entry("uid-" + name).orElseThrow();
    }

    @ParameterizedTest(name = "observed on {0} of zone {1}")
    @CsvSource({"1-2, 0, SAME", "3-4, 0, CPUS", "5-6, 1, ZONES"})
    void comparesWithWhatTheAgentObserved(String cpus, int zone, Outcome outcome) {
        bind("a");
        cluster.apply(observed("a", cpus, zone));

        assertThat(entry("a").outcome()).isEqualTo(outcome);
        assertThat(entry("a").prediction().confidence()).isEqualTo(Confidence.EXACT);
        assertThat(entry("a").at()).isEqualTo(now);
    }

    @Test
    void comparesCpusWhereNoAmountsAreReported() {
        bind("a");
        cluster.apply(ClusterYaml.running("a", "n", RESOURCES, "5-6"));

        assertThat(entry("a").outcome()).isEqualTo(Outcome.CPUS);
    }

    /** Kubelet 1.37 with the gate lists the pod as a whole: 3 CPUs, of which the container has 2. */
    @ParameterizedTest(name = "the pod has {0}")
    @CsvSource({"1-3, SAME", "'1-2,4', CPUS"})
    void comparesWhatAPodHasAsAWhole(String cpus, Outcome outcome) {
        cluster.apply(ClusterYaml.node("n")
                .replace("v1.36.3", "v1.37.2")
                .replace("Scope, value: container", "Scope, value: pod")
                .replace("zones:\n", "- {name: featureGatePodLevelResourceManagers, value: \"true\"}\nzones:\n"));
        String own = "  resources: {requests: %1$s, limits: %1$s}".formatted("{cpu: \"3\", memory: 2Gi}");
        bind(ClusterYaml.parsePod(ClusterYaml.pod("a", RESOURCES, "", own, "")));
        String record = "{\"containers\":[{\"name\":\"c\",\"cpus\":\"1-2\"}],\"cpus\":\"%s\"}".formatted(cpus);
        cluster.apply(ClusterYaml.pod(
                "a",
                RESOURCES,
                ", annotations: {numaledger.io/placement: '%s'}".formatted(record),
                own + "\n  nodeName: n",
                ", phase: Running"));

        assertThat(entry("a").outcome()).isEqualTo(outcome);
    }

    @Test
    void keepsTheStatesOfTheNodeAboutAMissOnly() {
        bind("a");
        bind("b");
        cluster.apply(observed("a", "1-2", 0), observed("b", "5-6", 1));

        assertThat(entry("a").prediction().seen()).isEmpty();
        NodeSnapshot seen = entry("b").prediction().seen().orElseThrow();
        assertThat(SeenState.text(seen))
                .isEqualTo(
                        "free: node-0 cpu=2,nvidia.com/gpu=1 node-1 cpu=4,nvidia.com/gpu=1; pods: default/a(reserved); assumed: not-yet-seen");
        assertThat(entry("b").after().orElseThrow().pods()).hasSize(2);
        assertThat(audit.entries()).extracting(each -> each.pod().name()).containsExactly("b", "a");
    }

    @ParameterizedTest
    @CsvSource({"TopologyAffinityError, true", "UnexpectedAdmissionError, true", "Evicted, false", "OutOfcpu, false"})
    void aRefusalByTheKubeletsManagersIsAMiss(String reason, boolean isMiss) {
        bind("a");
        cluster.apply(ClusterYaml.pod("a", RESOURCES, "", "  nodeName: n", ", phase: Failed, reason: " + reason));

        assertThat(audit.entry("uid-a").map(AuditEntry::outcome))
                .isEqualTo(isMiss ? Optional.of(Outcome.REFUSED) : Optional.empty());
    }

    /** The record of pod b names CPUs of the other zone, until the agent corrects it. */
    @Test
    void knowsWhatWasObservedAfterARefusal() {
        cluster.apply(observed("b", "5-6", 1));
        bind("a");
        cluster.apply(
                ClusterYaml.pod("a", RESOURCES, "", "  nodeName: n", ", phase: Failed, reason: TopologyAffinityError"));
        cluster.apply(observed("b", "1-2", 0));
        audit.settle();
        assertThat(cpusOfBAfter("a")).as("records may be wrong still").isEqualTo("5-6");

        now = now.plus(PredictionAudit.SETTLED);
        audit.settle();
        cluster.apply(observed("b", "3-4", 0));
        now = now.plus(PredictionAudit.SETTLED);
        audit.settle();

        assertThat(cpusOfBAfter("a")).isEqualTo("1-2");
        assertThat(audit.entries()).hasSize(1);
    }

    /** Its container had ended when the kubelet admitted the other pod; the API server tells of that after the record. */
    @Test
    void waitsForPodsWhoseEndIsToldLate() {
        cluster.apply(observed("b", "1-2", 0));
        bind("a");
        cluster.apply(observed("a", "1-2", 0));
        assertThat(entry("a").outcome()).isEqualTo(Outcome.CPUS);

        cluster.apply(observed("b", "1-2", 0).replace("Running", "Succeeded"));
        now = now.plus(PredictionAudit.SETTLED);

        assertThat(audit.settle()).extracting(AuditEntry::outcome).containsExactly(Outcome.TIMING);
        assertThat(entry("a").outcome()).isEqualTo(Outcome.TIMING);
        assertThat(audit.settle()).isEmpty();
    }

    private String cpusOfBAfter(String pod) {
        return entry(pod)
                .after()
                .orElseThrow()
                .now()
                .orElseThrow()
                .cpus()
                .orElseThrow()
                .heldBy("default/b")
                .toString();
    }

    @Test
    void aPodThatIsNotBoundAfterAllHasNoEntry() {
        bind("a");
        cluster.state.binds().cancel("n", ClusterYaml.pending("a", RESOURCES));
        cluster.apply(observed("a", "3-4", 0));

        assertThat(audit.entries()).isEmpty();
    }

    @Test
    void keepsTheNewest() {
        PossibleSnapshots node = cluster.state.snapshots("n").orElseThrow();
        bind("first");
        PredictedPlacement placement = placement();
        for (int i = 0; i <= PredictionAudit.ENTRIES; i++) {
            PodFacts pod = ClusterYaml.parsePod(observed("p" + i, "3-4", 0));
            audit.predicted(pod, node, placement);
            audit.observed(pod);
        }

        assertThat(audit.entries()).hasSize(PredictionAudit.ENTRIES);
        assertThat(audit.entry("uid-p0")).isEmpty();
        int oldest = PredictionAudit.ENTRIES + 1 - PredictionAudit.STATES;
        assertThat(entry("p" + oldest).prediction().seen()).isPresent();
        assertThat(entry("p" + (oldest - 1)).prediction().seen()).isEmpty();
    }

    private PredictedPlacement placement() {
        cluster.apply(observed("first", "3-4", 0));
        return entry("first").prediction().placement();
    }
}
