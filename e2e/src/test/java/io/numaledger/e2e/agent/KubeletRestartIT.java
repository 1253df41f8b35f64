package io.numaledger.e2e.agent;

import io.numaledger.apiservers.real.ChartAccounts;
import io.numaledger.e2e.support.ChartRights;
import io.numaledger.e2e.support.ClusterPods;
import io.numaledger.e2e.support.RealKubernetes;
import io.numaledger.e2e.support.RunningAgent;
import io.numaledger.nrt.NodeTopology;
import io.numaledger.nrt.TopologyAttributes;
import io.numaledger.simulator.cluster.KubeletState;
import io.numaledger.simulator.cluster.SimCluster;
import io.numaledger.simulator.cluster.SimNode;
import io.numaledger.simulator.oracle.PublishedComparison;
import io.numaledger.simulator.workload.SimplePod;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

import java.time.Duration;
import java.util.Optional;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

/** The mark of a node whose kubelet restarts: as long as it is there, the kubelet may count what ended pods held; after it, never. */
class KubeletRestartIT {

    private static SimCluster cluster;
    private static ChartAccounts accounts;
    private static ClusterPods pods;
    private static PublishedComparison published;

    @BeforeAll
    static void startCluster() {
        cluster = RealKubernetes.cluster("""
                nodes:
                - name: busy
                  numaNodes: [{id: 0, cores: 4, memory: 8Gi}, {id: 1, cores: 4, memory: 8Gi}]
                - name: empty
                  kubeletVersion: "%s"
                  numaNodes: [{id: 0, cores: 4, memory: 8Gi}, {id: 1, cores: 4, memory: 8Gi}]
                """.formatted(RealKubernetes.otherKubelet()));
        accounts = ChartRights.install(cluster);
        pods = new ClusterPods(cluster);
        published = new PublishedComparison(cluster);
    }

    @AfterAll
    static void stopCluster() {
        if (cluster != null) {
            cluster.close();
        }
    }

    @Test
    void aNodeWithPodsIsFreeAgainWhenTheKubeletListsThem() {
        SimNode node = cluster.node("busy");
        try (RunningAgent agent = agent(node)) {
            run(node, "stays", "cpu=1");
            afterEachRestartTakesWhatEndedMeanwhile(node);
        }
    }

    /** What the mark is for. */
    @Test
    void aPodThatIsBoundWhileTheKubeletIsAwayIsRefused() {
        SimNode node = cluster.node("busy");
        run(node, "ended-early", "cpu=4");
        node.stopKubelet();
        pods.delete("ended-early");
        pods.create(SimplePod.named("early").on(node.name()).with("main", "cpu=4", "memory=256Mi"));
        node.startKubelet();

        pods.awaitPhase("early", "Failed");
        pods.delete("early");
    }

    @Test
    void aNodeWithoutPodsIsFreeAgainAfterAWhile() {
        SimNode node = cluster.node("empty");
        try (RunningAgent agent = agent(node)) {
            afterEachRestartTakesWhatEndedMeanwhile(node);
        }
    }

    @ParameterizedTest
    @ValueSource(strings = {"busy", "empty"})
    void anAgentThatStartsWhileTheKubeletIsAwayMarksItsZones(String name) {
        SimNode node = cluster.node(name);
        agent(node).close();
        node.stopKubelet();
        try (RunningAgent agent = agent(node)) {
            awaitMark(node, Optional.of("restarting"));
            node.startKubelet();
            awaitMark(node, Optional.empty());
        }
    }

    /** Deleted without a grace period, the pod is gone from the API server at once; only the kubelet's state still has it. */
    private static void afterEachRestartTakesWhatEndedMeanwhile(SimNode node) {
        String ended = "ended-on-" + node.name();
        String next = "next-on-" + node.name();
        run(node, ended, "cpu=4");
        for (int i = 0; i < 3; i++) {
            node.stopKubelet();
            awaitMark(node, Optional.of("restarting"));
            pods.delete(i == 0 ? ended : next);
            assertThat(KubeletState.read(node.kubeletRoot()).containers())
                    .as("the kubelet's state")
                    .anySatisfy((uid, held) -> assertThat(held.toString()).contains("4-7"));
            node.startKubelet();
            awaitMark(node, Optional.empty());

            run(node, next, "cpu=4");
        }
        pods.delete(next);
    }

    private static void awaitMark(SimNode node, Optional<String> wanted) {
        await("attribute kubelet of %s is %s".formatted(node.name(), wanted))
                .atMost(Duration.ofSeconds(60))
                .pollInterval(Duration.ofMillis(20))
                .until(() -> published
                        .published(node.name())
                        .map(NodeTopology::attributes)
                        .map(attributes -> Optional.ofNullable(attributes.get(TopologyAttributes.KUBELET)))
                        .equals(Optional.of(wanted)));
    }

    private static void run(SimNode node, String name, String cpus) {
        pods.create(SimplePod.named(name).on(node.name()).with("main", cpus, "memory=256Mi"));
        pods.awaitPhase(name, "Running");
    }

    private static RunningAgent agent(SimNode node) {
        RunningAgent agent = RunningAgent.start(node, accounts.agent(node.name()));
        awaitMark(node, Optional.empty());
        return agent;
    }
}
