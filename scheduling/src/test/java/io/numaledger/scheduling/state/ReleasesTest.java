package io.numaledger.scheduling.state;

import io.numaledger.evaluation.facts.PodFacts;
import io.numaledger.evaluation.fit.PredictedPlacement;
import io.numaledger.evaluation.snapshot.Confidence;
import io.numaledger.evaluation.snapshot.NodeSnapshot;
import io.numaledger.objects.ClusterYaml;
import io.numaledger.scheduling.TestCluster;
import io.numaledger.scheduling.audit.AuditEntry;
import io.numaledger.scheduling.audit.Outcome;
import io.numaledger.scheduling.audit.PredictionAudit;
import org.junit.jupiter.api.Test;

import java.time.Instant;
import java.util.Optional;

import static org.assertj.core.api.Assertions.assertThat;

/** A kubelet may learn that a pod has ended before it decides on the next one, or after, on a node of two zones with 4 CPUs and a GPU each. */
class ReleasesTest {

    private static final Instant NOW = Instant.parse("2026-01-01T00:00:00Z");

    private static final String CPUS_4 = "cpu: \"4\", memory: 1Gi";
    private static final String CPUS_2 = "cpu: \"2\", memory: 1Gi";
    private static final String IN_ZONE_0 = ClusterYaml.running("leaving", "n", CPUS_4, "1-4");

    /** It takes its CPUs from zone 0 if it can, and the container must reuse them. */
    private static final PodFacts WITH_INIT_CONTAINER = ClusterYaml.parsePod("""
            apiVersion: v1
            kind: Pod
            metadata: {name: p, namespace: default, uid: uid-p}
            spec:
              initContainers:
              - {name: i, image: x, resources: {limits: {cpu: "4", memory: 1Gi}}}
              containers:
              - {name: c, image: x, resources: {limits: {cpu: "1", memory: 1Gi, nvidia.com/gpu: "1"}}}
            status: {qosClass: Guaranteed}
            """);

    private final PredictionAudit audit = new PredictionAudit(() -> NOW, node -> snapshot());
    private final TestCluster cluster = new TestCluster(
            new ReservationListener() {
                @Override
                public void predicted(PodFacts pod, PossibleSnapshots node, PredictedPlacement placement) {
                    audit.predicted(pod, node, placement);
                }

                @Override
                public void released(PodFacts pod, PodInFlight reservation) {
                    audit.observed(pod);
                }
            },
            () -> NOW);

    private Optional<NodeSnapshot> snapshot() {
        return cluster.state.snapshot("n");
    }

    private void bindA() {
        PodFacts pod = ClusterYaml.pending("a", CPUS_2);
        cluster.state.podChanged(pod);
        assertThat(cluster.state
                        .binds()
                        .<Boolean>bind(
                                "n", pod, evaluation -> evaluation.orElseThrow().admits()))
                .isTrue();
    }

    private AuditEntry entry(String name) {
        return audit.entry("uid-" + name).orElseThrow();
    }

    @Test
    void aPodThatAnEndMakesInadmissibleWaitsForIt() {
        String holder = ClusterYaml.running("gpu", "n", "nvidia.com/gpu: \"1\"", "")
                .replace(
                        "\"cpus\":\"\"",
                        "\"devices\":[{\"resource\":\"nvidia.com/gpu\",\"numaNodes\":\"0\",\"ids\":[\"g0\"]}]");
        cluster.apply(ClusterYaml.node("n"), holder, IN_ZONE_0);
        assertThat(cluster.binds("n", WITH_INIT_CONTAINER))
                .as("beside a pod that stays")
                .isTrue();
        cluster.state.binds().cancel("n", WITH_INIT_CONTAINER);

        cluster.apply(ClusterYaml.terminating(IN_ZONE_0));

        assertThat(cluster.binds("n", WITH_INIT_CONTAINER))
                .as("beside one that may end before the kubelet decides")
                .isFalse();
    }

    @Test
    void aPredictionIsNotExactIfAnEndWouldChangeIt() {
        cluster.apply(ClusterYaml.node("n"), ClusterYaml.terminating(IN_ZONE_0));
        bindA();

        cluster.apply(ClusterYaml.running("a", "n", CPUS_2, "5-6"));

        assertThat(entry("a").prediction().confidence()).isEqualTo(Confidence.PREDICTED);
        assertThat(entry("a").outcome()).isEqualTo(Outcome.SAME);
    }

    @Test
    void aMissByAnEndThatNobodyHadSeenIsOneOfTiming() {
        cluster.apply(ClusterYaml.node("n"), IN_ZONE_0);
        bindA();

        cluster.apply(ClusterYaml.terminating(IN_ZONE_0), ClusterYaml.running("a", "n", CPUS_2, "1-2"));

        assertThat(entry("a").prediction().confidence()).isEqualTo(Confidence.EXACT);
        assertThat(entry("a").outcome()).isEqualTo(Outcome.TIMING);
    }

    @Test
    void aMissThatNoEndExplainsStaysOne() {
        cluster.apply(ClusterYaml.node("n"), IN_ZONE_0);
        bindA();

        cluster.apply(ClusterYaml.terminating(IN_ZONE_0), ClusterYaml.running("a", "n", CPUS_2, "7-8"));

        assertThat(entry("a").outcome()).isEqualTo(Outcome.CPUS);
    }
}
