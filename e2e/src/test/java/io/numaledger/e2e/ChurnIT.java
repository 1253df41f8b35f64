package io.numaledger.e2e;

import io.numaledger.simulator.cluster.SimCluster;
import org.junit.jupiter.api.condition.EnabledIfSystemProperty;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

import java.util.stream.Stream;

import static org.assertj.core.api.Assertions.assertThat;

/** The same churn with kube-scheduler alone and with the bridge. Takes minutes: {@code -Dnumaledger.churn=true} runs it. */
@EnabledIfSystemProperty(named = "numaledger.churn", matches = "true", disabledReason = "takes minutes")
class ChurnIT {

    static Stream<ChurnMix> mixes() {
        return Stream.of(ChurnMix.simple(), ChurnMix.devices());
    }

    @ParameterizedTest(name = "{0}")
    @MethodSource("mixes")
    void kubeSchedulerAlone(ChurnMix mix) {
        try (SimCluster cluster = RealKubernetes.cluster(mix.nodes());
                Churn churn = new Churn(cluster, mix)) {
            ChurnReport report = churn.run(
                    pod -> !NodeSums.read(cluster.client()).holding(pod).isEmpty());

            System.out.println(report.line("alone"));
            assertThat(report.refused()).isNotEmpty();
        }
    }

    @ParameterizedTest(name = "{0}")
    @MethodSource("mixes")
    void withTheBridge(ChurnMix mix) {
        try (BridgedCluster bridged = BridgedCluster.start(mix.nodes());
                Churn churn = new Churn(bridged.cluster(), mix)) {
            ChurnReport report = churn.run(bridged::fits);

            System.out.println(report.line("bridged") + " " + bridged.figures());
            assertThat(report.refused()).isEmpty();
            bridged.assertLedgerIsTheKubelets();
        }
    }
}
