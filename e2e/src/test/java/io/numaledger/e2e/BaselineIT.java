package io.numaledger.e2e;

import io.numaledger.simulator.cluster.SimCluster;
import org.junit.jupiter.api.Test;

import static org.assertj.core.api.Assertions.assertThat;

/** What the default kube-scheduler makes of NUMA nodes that it does not know: the figure that the bridge has to bring to 0. */
class BaselineIT {

    @Test
    void theDefaultSchedulerSendsPodsWhereTheKubeletRefusesThem() {
        ChurnMix mix = ChurnMix.baseline();
        try (SimCluster cluster = RealKubernetes.cluster(mix.nodes());
                Churn churn = new Churn(cluster, mix)) {
            ChurnReport report = churn.run(
                    pod -> !NodeSums.read(cluster.client()).holding(pod).isEmpty());

            System.out.println(report.line("alone"));
            assertThat(report.ran()
                            + report.waiting()
                            + report.refused().values().stream()
                                    .mapToLong(Long::longValue)
                                    .sum())
                    .isEqualTo(mix.arrivals().size());
            assertThat(cluster.journal().count("TopologyAffinityError")).isGreaterThan(10);
        }
    }
}
