package io.numaledger.e2e.bridge;

import io.numaledger.benchmarks.churn.ChurnMix;
import io.numaledger.benchmarks.churn.ChurnReport;
import io.numaledger.benchmarks.churn.ChurnRun;
import io.numaledger.e2e.support.ChartRights;
import io.numaledger.e2e.support.RealKubernetes;
import io.numaledger.simulator.deployment.BridgedCluster;
import org.junit.jupiter.api.Test;

import static org.assertj.core.api.Assertions.assertThat;

/** The pods of {@link BaselineIT} with the bridge: no kubelet refuses one, and at the end the bridge's state equals the kubelets'. */
class BridgeBaselineIT {

    @Test
    void noKubeletRefusesAPod() {
        ChurnMix mix = ChurnMix.baseline(RealKubernetes.otherKubelet());
        try (BridgedCluster bridged =
                        BridgedCluster.start(RealKubernetes.binaries(), mix.nodes(), ChartRights::credentials);
                ChurnRun churn = new ChurnRun(bridged.cluster(), mix)) {
            ChurnReport report = churn.run(bridged::fits);

            System.out.println(report.line("bridged") + " " + bridged.figures());
            assertThat(report.refused()).isEmpty();
            assertThat(report.ran() + report.waiting()).isEqualTo(mix.arrivals().size());
            System.out.println(bridged.awaitStateEqualsKubelets().summary());
        }
    }
}
