package io.numaledger.evaluation.snapshot;

import io.numaledger.objects.ClusterYaml;
import io.numaledger.scheduling.TestCluster;
import org.junit.jupiter.api.Test;

import static org.assertj.core.api.Assertions.assertThat;

/** The kubelet of a node with CPUs that went offline gives them out until it restarts. */
class OfflineCpusTest {

    private final TestCluster cluster = new TestCluster();

    @Test
    void aNodeIsNotExactBeforeItsKubeletHasRestarted() {
        cluster.apply(ClusterYaml.node("n").replace("attributes:\n- {name: topologyManagerPolicy", """
                        attributes:
                        - {name: offlineCpus, value: 10-11}
                        - {name: topologyManagerPolicy"""));

        assertThat(cluster.snapshot("n").confidence()).isEqualTo(Confidence.PREDICTED);
        assertThat(cluster.snapshot("n").assumptions())
                .containsExactly(Assumption.of(Assumption.Kind.OFFLINE_CPUS, "cpus=10-11"));

        cluster.apply(ClusterYaml.node("n"));

        assertThat(cluster.snapshot("n").confidence()).isEqualTo(Confidence.EXACT);
    }
}
