package io.numaledger.evaluation.snapshot;

import io.numaledger.evaluation.facts.PodFacts;
import io.numaledger.kubelet.KubeletModel;
import io.numaledger.nrt.fingerprint.PodName;
import io.numaledger.nrt.fingerprint.PodsFingerprint;
import io.numaledger.objects.ClusterYaml;
import io.numaledger.scheduling.TestCluster;
import org.junit.jupiter.api.Test;

import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.concurrent.atomic.AtomicReference;
import java.util.stream.Stream;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * A machine with a sibling thread offline, as in kubernetes #124066: its kubelet gives CPU 2 to two pods. Zone 0 has cores {0,8} {1,9}
 * {2,10} {3,11}, zone 1 {4,12} {5,13} {6,14} {7}; 4, 5, 7 and 12 are reserved.
 */
class CpusGivenTwiceTest {

    private static final String A = running("a", 5, "0-2,8-9");
    private static final String B = running("b", 3, "2-3,10");

    private final AtomicReference<Instant> time = new AtomicReference<>(Instant.parse("2026-01-01T00:00:00Z"));
    private final TestCluster cluster = new TestCluster((pod, reservation) -> {}, time::get);

    private static String running(String name, int cpus, String ids) {
        return ClusterYaml.running(name, "n", "cpu: \"%d\", memory: 1Gi".formatted(cpus), ids);
    }

    private static PodFacts pending(String name, int cpus) {
        return ClusterYaml.pending(name, "cpu: \"%d\", memory: 1Gi".formatted(cpus));
    }

    private static String zones(int inZone0, int inZone1, String... pods) {
        String fingerprint = PodsFingerprint.of(
                Stream.of(pods).map(name -> new PodName("default", name)).toList());
        return """
                ---
                apiVersion: v1
                kind: Node
                metadata: {name: n}
                status: {nodeInfo: {kubeletVersion: v1.37.2}}
                ---
                apiVersion: topology.node.k8s.io/v1alpha2
                kind: NodeResourceTopology
                metadata: {name: n}
                attributes:
                - {name: topologyManagerPolicy, value: single-numa-node}
                - {name: topologyManagerScope, value: container}
                - {name: cpuManagerPolicy, value: static}
                - {name: memoryManagerPolicy, value: None}
                - {name: nodeTopologyPodsFingerprint, value: %s}
                - {name: nodeTopologyPodsFingerprintMethod, value: with-exclusive-resources}
                - {name: initContainerResources, value: published}
                zones:
                - name: node-0
                  type: Node
                  attributes:
                  - {name: cpus, value: "0-3,8-11"}
                  - {name: reservedSystemCPUs, value: ""}
                  - {name: cores, value: "0:0,8;1:1,9;2:2,10;3:3,11"}
                  - {name: sockets, value: "0:0-3,8-11"}
                  resources:
                  - {name: cpu, capacity: "8", allocatable: "8", available: "%d"}
                - name: node-1
                  type: Node
                  attributes:
                  - {name: cpus, value: "4-7,12-14"}
                  - {name: reservedSystemCPUs, value: "4-5,7,12"}
                  - {name: cores, value: "4:4,12;5:5,13;6:6,14;7:7"}
                  - {name: sockets, value: "1:4-7,12-14"}
                  resources:
                  - {name: cpu, capacity: "7", allocatable: "3", available: "%d"}
                """.formatted(fingerprint, inZone0, inZone1);
    }

    private long free(int zone) {
        NodeSnapshot node = cluster.snapshot("n");
        KubeletModel kubelet = node.model().kubelet().orElseThrow();
        return ZoneAmounts.free(
                        kubelet,
                        node.now().orElseThrow(),
                        kubelet.machine().topology().numaNode(zone).orElseThrow())
                .getOrDefault("cpu", 0L);
    }

    private void pass() {
        cluster.snapshot("n");
        time.updateAndGet(now -> now.plus(Duration.ofSeconds(6)));
    }

    private static Assumption givenTwice() {
        return Assumption.of(Assumption.Kind.CPUS_GIVEN_TWICE);
    }

    @Test
    void recordsThatNameOneCpuStayAndItCountsOnce() {
        cluster.apply(zones(1, 3, "a", "b"), A, B);
        pass();

        NodeSnapshot node = cluster.snapshot("n");
        assertThat(free(0)).as("CPU 11").isEqualTo(1000);
        assertThat(cluster.state.recordsSetAside("n")).isEmpty();
        assertThat(node.assumptions()).containsExactly(givenTwice());
        assertThat(node.confidence()).isEqualTo(Confidence.PREDICTED);
        assertThat(node.pods())
                .extracting(held -> held.placement().on(0).get("cpu"))
                .containsExactly(5000L, 3000L);
        assertThat(cluster.evaluate(List.of("n"), pending("c", 1)).get(0).admits())
                .isTrue();
    }

    @Test
    void theSecondPodIsPredictedAndReservedOnTheCpuOfTheFirst() {
        cluster.apply(zones(3, 3, "a"), A);
        assertThat(cluster.state
                        .binds()
                        .<Boolean>bind(
                                "n", pending("b", 3), any -> any.orElseThrow().admits()))
                .isTrue();

        assertThat(cluster.snapshot("n")
                        .now()
                        .orElseThrow()
                        .cpus()
                        .orElseThrow()
                        .heldBy("default/b"))
                .hasToString("2-3,10");
        assertThat(free(0)).isEqualTo(1000);
    }

    @Test
    void aTerminatingPodStillHoldsWhatItDoesNotShare() {
        cluster.apply(zones(1, 3, "a", "b"), ClusterYaml.terminating(A), B);

        assertThat(free(0)).isEqualTo(1000);
        cluster.deletePod("a");
        cluster.apply(zones(5, 3, "b"));
        assertThat(free(0)).isEqualTo(5000);
    }

    @Test
    void aReservedCpuThatAPodHoldsIsNoneOfTheAllocatable() {
        cluster.apply(zones(8, 1, "a"), running("a", 3, "5-6,13"));
        pass();

        assertThat(free(1)).as("CPU 14").isEqualTo(1000);
        assertThat(cluster.state.recordsSetAside("n")).isEmpty();
        assertThat(cluster.snapshot("n").assumptions()).containsExactly(givenTwice());
    }

    /** It names the CPUs of the other pod, and holds 3 that nobody names. */
    @Test
    void aForgedRecordHidesNothingThatTheZonesShow() {
        cluster.apply(zones(0, 3, "a", "b"), A, running("b", 3, "0-2"));
        pass();

        assertThat(free(0)).isZero();
        assertThat(cluster.snapshot("n").confidence()).isEqualTo(Confidence.AGGREGATE);
    }

    @Test
    void aNodeWithoutSuchPodsIsKnownExactly() {
        cluster.apply(zones(8, 3));

        assertThat(cluster.snapshot("n").confidence()).isEqualTo(Confidence.EXACT);
    }

    @Test
    void coresOfEqualSizeStillContradictSuchRecords() {
        cluster.apply(ClusterYaml.node("m"), ClusterYaml.running("x", "m", "cpu: \"2\", memory: 1Gi", "1-2"));
        cluster.apply(ClusterYaml.running("y", "m", "cpu: \"2\", memory: 1Gi", "2-3"));

        assertThat(cluster.snapshot("m").assumptions())
                .extracting(Assumption::kind)
                .contains(Assumption.Kind.RECORD_CONFLICT);
    }
}
