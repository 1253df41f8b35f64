package io.numaledger.e2e.bridge;

import io.numaledger.benchmarks.churn.ChurnMix;
import io.numaledger.benchmarks.churn.ChurnReport;
import io.numaledger.benchmarks.churn.ChurnRun;
import io.numaledger.e2e.support.ChartRights;
import io.numaledger.e2e.support.RealKubernetes;
import io.numaledger.evaluation.snapshot.Confidence;
import io.numaledger.kubelet.config.KubeletVersion;
import io.numaledger.simulator.cluster.KubeBinaries;
import io.numaledger.simulator.deployment.BridgedCluster;
import org.junit.jupiter.api.Test;

import java.util.List;

import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

/** A cluster that is upgraded node by node: kubelets of all versions that lie beside the main one. */
class MixedKubeletsIT {

    @Test
    void noKubeletOfAnyVersionRefusesAPod() {
        KubeBinaries binaries = RealKubernetes.binaries();
        List<String> kubelets = binaries.kubelets();
        assumeTrue(kubelets.size() > 1, "skipped: %s has one kubelet only".formatted(KubeBinaries.VARIABLE));
        ChurnMix mix = ChurnMix.mixed(kubelets);
        try (BridgedCluster bridged = BridgedCluster.start(binaries, mix.nodes(), ChartRights::credentials);
                ChurnRun churn = new ChurnRun(bridged.cluster(), mix)) {
            assertThat(bridged.bridge().cluster().snapshots())
                    .allSatisfy(node -> assertThat(node.confidence())
                            .as(node.name())
                            .isEqualTo(
                                    isModelled(node.node().kubeletVersion().orElseThrow())
                                            ? Confidence.EXACT
                                            : Confidence.PREDICTED));

            ChurnReport report = churn.run(bridged::fits);

            System.out.println(report.line("mixed") + " kubelets=" + kubelets + " " + bridged.figures());
            assertThat(report.refused()).isEmpty();
            assertThat(report.ran() + report.waiting()).isEqualTo(mix.arrivals().size());
            System.out.println(bridged.awaitStateEqualsKubelets().summary());
        }
    }

    private static boolean isModelled(String version) {
        return !KubeletVersion.parse(version).isLaterThanModelled();
    }
}
