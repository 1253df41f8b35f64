package io.numaledger.e2e;

import io.numaledger.simulator.cluster.JournalEntry;
import io.numaledger.simulator.cluster.SimCluster;
import org.junit.jupiter.api.Test;

import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.stream.Collectors;

import static org.assertj.core.api.Assertions.assertThat;

/** What the default kube-scheduler makes of NUMA nodes that it does not know: the figure that the bridge has to bring to 0. */
class BaselineIT {

    @Test
    void theDefaultSchedulerSendsPodsWhereTheKubeletRefusesThem() {
        try (SimCluster cluster = RealKubernetes.cluster(BaselineMix.NODES)) {
            ClusterPods pods = new ClusterPods(cluster);
            BaselineMix mix = new BaselineMix();
            for (int i = 0; i < BaselineMix.PODS; i++) {
                pods.create(mix.next());
            }

            pods.awaitAllDecided();

            List<JournalEntry> journal = pods.journal();
            long refused = cluster.journal().count("TopologyAffinityError");
            System.out.printf(
                    "measured: baseline seed=%d pods=%d TopologyAffinityErrors=%d verdicts=%s%n",
                    BaselineMix.SEED, BaselineMix.PODS, refused, verdicts(journal));
            assertThat(journal).hasSize(BaselineMix.PODS);
            assertThat(refused).isPositive();
        }
    }

    private static Map<String, Long> verdicts(List<JournalEntry> journal) {
        return journal.stream()
                .collect(Collectors.groupingBy(
                        entry -> entry.verdict().reason().isEmpty()
                                ? entry.verdict().phase()
                                : entry.verdict().reason(),
                        TreeMap::new,
                        Collectors.counting()));
    }
}
