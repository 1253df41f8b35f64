package io.numaledger.e2e;

import io.fabric8.kubernetes.api.model.Pod;
import io.numaledger.simulator.cluster.SimCluster;
import org.junit.jupiter.api.condition.EnabledIfSystemProperty;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

import java.util.function.Predicate;
import java.util.stream.Stream;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * The same churn with kube-scheduler alone, with it beside the agents, and with the bridge. Takes minutes: {@code -Dnumaledger.churn=fitting,arriving,simple,devices} runs
 * it, or some of it.
 */
@EnabledIfSystemProperty(named = ChurnIT.PROPERTY, matches = ".+", disabledReason = "takes minutes")
class ChurnIT {

    static final String PROPERTY = "numaledger.churn";

    static Stream<ChurnMix> mixes() {
        String wanted = System.getProperty(PROPERTY, "");
        return Stream.of(ChurnMix.fitting(), ChurnMix.arriving(), ChurnMix.simple(), ChurnMix.devices())
                .filter(mix -> wanted.contains(mix.name()));
    }

    @ParameterizedTest(name = "{0}")
    @MethodSource("mixes")
    void kubeSchedulerAlone(ChurnMix mix) {
        try (SimCluster cluster = RealKubernetes.cluster(mix.nodes());
                Churn churn = new Churn(cluster, mix)) {
            ChurnReport report = churn.run(bySums(cluster));

            System.out.println(report.line("alone"));
            assertThat(report.pods()).hasSize(mix.arrivals().size());
        }
    }

    /** What the agents cost on the same two CPUs is none of the bridge's. */
    @ParameterizedTest(name = "{0}")
    @MethodSource("mixes")
    void kubeSchedulerBesideAgents(ChurnMix mix) {
        try (SimCluster cluster = RealKubernetes.cluster(mix.nodes());
                AgentOfEachNode agents = new AgentOfEachNode(cluster)) {
            agents.awaitPublished(cluster);
            warmUp(cluster, mix, bySums(cluster));
            try (Churn churn = new Churn(cluster, mix)) {
                ChurnReport report = churn.run(bySums(cluster));

                System.out.println(report.line("beside-agents"));
                assertThat(report.pods()).hasSize(mix.arrivals().size());
            }
        }
    }

    private static Predicate<Pod> bySums(SimCluster cluster) {
        return pod -> !NodeSums.read(cluster.client()).holding(pod).isEmpty();
    }

    /** Speed alone is measured of processes that run for a while, as they do in a cluster. */
    private static void warmUp(SimCluster cluster, ChurnMix mix, Predicate<Pod> fits) {
        if (mix.isOfSpeed()) {
            try (Churn churn = new Churn(cluster, mix)) {
                System.out.println(churn.run(fits).line("cold"));
                churn.clear();
            }
        }
    }

    @ParameterizedTest(name = "{0}")
    @MethodSource("mixes")
    void withTheBridge(ChurnMix mix) {
        try (BridgedCluster bridged = BridgedCluster.start(mix.nodes())) {
            warmUp(bridged.cluster(), mix, bridged::fits);
            try (Churn churn = new Churn(bridged.cluster(), mix)) {
                ChurnReport report = churn.run(bridged::fits);

                System.out.println(report.line("bridged") + " " + bridged.figures());
                assertThat(report.refused()).isEmpty();
                bridged.assertLedgerIsTheKubelets();
            }
        }
    }
}
