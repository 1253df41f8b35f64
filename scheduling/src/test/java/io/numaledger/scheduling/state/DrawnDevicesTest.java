package io.numaledger.scheduling.state;

import io.numaledger.evaluation.facts.PodFacts;
import io.numaledger.evaluation.snapshot.NodeSnapshot;
import io.numaledger.objects.ClusterYaml;
import io.numaledger.scheduling.TestCluster;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

import java.time.Instant;
import java.util.List;

import static org.assertj.core.api.Assertions.assertThat;

/** Kubelets draw devices of several zones at random: a node of two zones with 4 CPUs and 2 GPUs each, and policy restricted. */
class DrawnDevicesTest {

    /** The third GPU is drawn. */
    private static final String WIDE = "cpu: 100m, memory: 1Gi, nvidia.com/gpu: \"3\"";

    private static final String CPUS_OF_ZONE_0 = ClusterYaml.running("cpus", "n", "cpu: \"4\", memory: 1Gi", "1-4");

    private static final PodFacts NARROW =
            ClusterYaml.pending("narrow", "cpu: \"2\", memory: 1Gi, nvidia.com/gpu: \"1\"");

    private final TestCluster cluster = new TestCluster((pod, reservation) -> {}, () -> Instant.EPOCH);

    @BeforeEach
    void bindWide() {
        cluster.apply(
                ClusterYaml.node("n", "restricted")
                        .replace("nvidia.com/gpu: \"2\"", "nvidia.com/gpu: \"4\"")
                        .replace(
                                "gpu, capacity: \"1\", allocatable: \"1\", available: \"1\"",
                                "gpu, capacity: \"2\", allocatable: \"2\", available: \"2\""),
                CPUS_OF_ZONE_0);
        assertThat(cluster.state
                        .binds()
                        .<Boolean>bind(
                                "n",
                                ClusterYaml.pending("wide", WIDE),
                                evaluation -> evaluation.orElseThrow().admits()))
                .isTrue();
    }

    private List<Long> gpusInZone1() {
        return cluster.state
                .snapshots("n")
                .orElseThrow()
                .snapshots()
                .map(DrawnDevicesTest::heldInZone1)
                .toList();
    }

    private static long heldInZone1(NodeSnapshot node) {
        return node.pods().stream()
                .mapToLong(pod -> pod.placement().on(1).get("nvidia.com/gpu"))
                .sum();
    }

    private void observe(int inZone0, int inZone1) {
        cluster.apply(ClusterYaml.running("wide", "n", WIDE, "")
                .replace(
                        "\"cpus\":\"\"",
                        "\"devices\":[{\"resource\":\"nvidia.com/gpu\",\"numaNodes\":\"0\",\"ids\":[%s]},{\"resource\":\"nvidia.com/gpu\",\"numaNodes\":\"1\",\"ids\":[%s]}]"
                                .formatted(ids("a", inZone0), ids("b", inZone1))));
    }

    private static String ids(String zone, int count) {
        return count == 1 ? "\"%s1\"".formatted(zone) : "\"%1$s1\",\"%1$s2\"".formatted(zone);
    }

    @Test
    void eachResultIsAPossibleState() {
        assertThat(gpusInZone1()).containsExactlyInAnyOrder(1L, 2L);
    }

    @Test
    void aPodThatFitsWithOneResultOnlyWaitsForTheObservation() {
        assertThat(cluster.binds("n", NARROW)).isFalse();
    }

    @ParameterizedTest(name = "{0} GPUs in zone 0: {2}")
    @CsvSource({"2, 1, true", "1, 2, false"})
    void theObservationDecides(int inZone0, int inZone1, boolean fits) {
        observe(inZone0, inZone1);

        assertThat(gpusInZone1()).containsExactly((long) inZone1);
        assertThat(cluster.binds("n", NARROW)).isEqualTo(fits);
    }
}
