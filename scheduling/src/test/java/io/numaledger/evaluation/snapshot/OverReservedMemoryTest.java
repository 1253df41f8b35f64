package io.numaledger.evaluation.snapshot;

import io.numaledger.objects.ClusterYaml;
import io.numaledger.scheduling.TestCluster;
import org.junit.jupiter.api.Test;

import static org.assertj.core.api.Assertions.assertThat;

/** More memory of zone 0 is reserved than it has: its kubelet's number wraps around, and it gives out memory without end. */
class OverReservedMemoryTest {

    private final TestCluster cluster = new TestCluster();

    private static String node(String allocatable) {
        return ClusterYaml.node("n")
                .replace("memoryManagerPolicy, value: None", "memoryManagerPolicy, value: Static")
                .replace(
                        "- {name: cpus, value: 0-4}",
                        "- {name: cpus, value: 0-4}\n  - {name: memoryBytes, value: \"1073741824\"}")
                .replace(
                        "- {name: cpu, capacity: \"5\"",
                        "- {name: memory, capacity: \"%1$s\", allocatable: \"%1$s\", available: \"%1$s\"}\n  - {name: cpu, capacity: \"5\""
                                .formatted(allocatable));
    }

    @Test
    void theMemoryIsLeftOut() {
        cluster.apply(node("9223372036854775807"));

        assertThat(cluster.snapshot("n").model().leftOut()).contains("memory");
        assertThat(cluster.snapshot("n").confidence()).isEqualTo(Confidence.PREDICTED);
    }

    @Test
    void halfOfTheZoneIsAllocatable() {
        cluster.apply(node("536870912"));

        assertThat(cluster.snapshot("n").assumptions()).isEmpty();
    }
}
