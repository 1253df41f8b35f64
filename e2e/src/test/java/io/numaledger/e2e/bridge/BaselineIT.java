package io.numaledger.e2e.bridge;

import io.numaledger.benchmarks.churn.ChurnMix;
import io.numaledger.benchmarks.churn.ChurnReport;
import io.numaledger.benchmarks.churn.ChurnRun;
import io.numaledger.e2e.support.RealKubernetes;
import io.numaledger.simulator.cluster.SimCluster;
import io.numaledger.simulator.workload.NodeResourcesFit;
import org.junit.jupiter.api.Test;

import static org.assertj.core.api.Assertions.assertThat;

/** How often the default kube-scheduler sends pods to nodes whose kubelet refuses them. The bridge must bring this to 0. */
class BaselineIT {

    @Test
    void theDefaultSchedulerSendsPodsWhereTheKubeletRefusesThem() {
        ChurnMix mix = ChurnMix.baseline(RealKubernetes.otherKubelet());
        try (SimCluster cluster = RealKubernetes.cluster(mix.nodes());
                ChurnRun churn = new ChurnRun(cluster, mix)) {
            ChurnReport report = churn.run(() -> NodeResourcesFit.read(cluster.client())::fits);

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
