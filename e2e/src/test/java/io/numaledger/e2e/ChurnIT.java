package io.numaledger.e2e;

import io.numaledger.simulator.cluster.SimCluster;
import org.junit.jupiter.api.condition.EnabledIfSystemProperty;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

import java.util.stream.Stream;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * The same churn with kube-scheduler alone, with it beside the agents, and with the bridge. Takes minutes: {@code -Dnumaledger.churn=fitting,simple,devices} runs
 * it, or some of it.
 */
@EnabledIfSystemProperty(named = ChurnIT.PROPERTY, matches = ".+", disabledReason = "takes minutes")
class ChurnIT {

    static final String PROPERTY = "numaledger.churn";

    static Stream<ChurnMix> mixes() {
        String wanted = System.getProperty(PROPERTY, "");
        return Stream.of(ChurnMix.fitting(), ChurnMix.simple(), ChurnMix.devices())
                .filter(mix -> wanted.contains(mix.name()));
    }

    @ParameterizedTest(name = "{0}")
    @MethodSource("mixes")
    void kubeSchedulerAlone(ChurnMix mix) {
        try (SimCluster cluster = RealKubernetes.cluster(mix.nodes());
                Churn churn = new Churn(cluster, mix)) {
            ChurnReport report = churn.run(
                    pod -> !NodeSums.read(cluster.client()).holding(pod).isEmpty());

            System.out.println(report.line("alone"));
            assertThat(report.pods()).hasSize(mix.arrivals().size());
        }
    }

    /** What the agents cost on the same two CPUs is none of the bridge's. */
    @ParameterizedTest(name = "{0}")
    @MethodSource("mixes")
    void kubeSchedulerBesideAgents(ChurnMix mix) {
        try (SimCluster cluster = RealKubernetes.cluster(mix.nodes());
                AgentOfEachNode agents = new AgentOfEachNode(cluster);
                Churn churn = new Churn(cluster, mix)) {
            agents.awaitPublished(cluster);
            ChurnReport report = churn.run(
                    pod -> !NodeSums.read(cluster.client()).holding(pod).isEmpty());

            System.out.println(report.line("beside-agents"));
            assertThat(report.pods()).hasSize(mix.arrivals().size());
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
