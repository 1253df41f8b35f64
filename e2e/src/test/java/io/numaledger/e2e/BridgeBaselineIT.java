package io.numaledger.e2e;

import org.junit.jupiter.api.Test;

import static org.assertj.core.api.Assertions.assertThat;

/** The baseline's pods with the bridge: no kubelet refuses any, and at the end the ledger is what the kubelets hold. */
class BridgeBaselineIT {

    @Test
    void noKubeletRefusesAPod() {
        RealKubernetes.binaries();
        ChurnMix mix = ChurnMix.baseline();
        try (BridgedCluster bridged = BridgedCluster.start(mix.nodes());
                Churn churn = new Churn(bridged.cluster(), mix)) {
            ChurnReport report = churn.run(bridged::fits);

            System.out.println(report.line("bridged") + " " + bridged.figures());
            assertThat(report.refused()).isEmpty();
            assertThat(report.ran() + report.waiting()).isEqualTo(mix.arrivals().size());
            bridged.assertLedgerIsTheKubelets();
        }
    }
}
