package io.numaledger.e2e;

import io.numaledger.simulator.cluster.JournalEntry;
import io.numaledger.simulator.cluster.SimCluster;
import org.junit.jupiter.api.Test;

import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.TreeMap;
import java.util.stream.Collectors;

import static org.assertj.core.api.Assertions.assertThat;

/** What the default kube-scheduler makes of NUMA nodes that it does not know: the figure that the bridge has to bring to 0. */
class BaselineIT {

    private static final int PODS = 200;
    private static final long SEED = 20260;

    private static final String NODES = """
            nodes:
            - name: strict-1
              kubelet: {topologyManagerPolicy: single-numa-node}
              numaNodes: [{id: 0, cores: 16, threadsPerCore: 2, memory: 64Gi}, {id: 1, cores: 16, threadsPerCore: 2, memory: 64Gi}]
              devices: [{resource: nvidia.com/gpu, count: 4, numaNodes: [0]}, {resource: nvidia.com/gpu, count: 4, numaNodes: [1]}]
            - name: strict-2
              kubelet: {topologyManagerPolicy: single-numa-node}
              numaNodes: [{id: 0, cores: 16, threadsPerCore: 2, memory: 64Gi}, {id: 1, cores: 16, threadsPerCore: 2, memory: 64Gi}]
              devices: [{resource: nvidia.com/gpu, count: 4, numaNodes: [0]}, {resource: nvidia.com/gpu, count: 4, numaNodes: [1]}]
            - name: strict-pod
              kubelet: {topologyManagerPolicy: single-numa-node, topologyManagerScope: pod}
              numaNodes: [{id: 0, cores: 32, memory: 64Gi}, {id: 1, cores: 32, memory: 64Gi}]
            - name: four
              kubelet: {topologyManagerPolicy: single-numa-node}
              numaNodes: [{id: 0, cores: 16, memory: 32Gi}, {id: 1, cores: 16, memory: 32Gi}, {id: 2, cores: 16, memory: 32Gi}, {id: 3, cores: 16, memory: 32Gi}]
            - name: restricted
              kubelet: {topologyManagerPolicy: restricted}
              numaNodes: [{id: 0, cores: 32, memory: 64Gi}, {id: 1, cores: 32, memory: 64Gi}]
            - name: old
              kubeletVersion: "1.33"
              kubelet: {topologyManagerPolicy: single-numa-node}
              numaNodes: [{id: 0, cores: 32, memory: 64Gi}, {id: 1, cores: 32, memory: 64Gi}]
            """;

    @Test
    void theDefaultSchedulerSendsPodsWhereTheKubeletRefusesThem() {
        try (SimCluster cluster = RealKubernetes.cluster(NODES)) {
            ClusterPods pods = new ClusterPods(cluster);
            Random random = new Random(SEED);
            for (int i = 0; i < PODS; i++) {
                pods.create(pod("pod-%03d".formatted(i), random));
            }

            pods.awaitAllDecided();

            List<JournalEntry> journal = pods.journal();
            long refused = cluster.journal().count("TopologyAffinityError");
            System.out.printf(
                    "measured: baseline seed=%d pods=%d TopologyAffinityErrors=%d verdicts=%s%n",
                    SEED, PODS, refused, verdicts(journal));
            assertThat(journal).hasSize(PODS);
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

    private static TestPod pod(String name, Random random) {
        TestPod pod = TestPod.named(name).neverRestarted();
        String memory = "memory=" + (1 + random.nextInt(6)) + "Gi";
        return switch (random.nextInt(10)) {
            case 0, 1, 2 -> pod.burstable("main", "cpu=200m", "memory=256Mi");
            case 3, 4, 5 -> pod.with("main", "cpu=" + (1 + random.nextInt(3)), memory);
            case 6, 7 -> pod.with("main", "cpu=" + (8 + random.nextInt(10)), memory);
            case 8 -> pod.with("main", "cpu=2", memory).with("side", "cpu=1", "memory=512Mi");
            default -> pod.with("main", "cpu=2", memory, "nvidia.com/gpu=" + (1 + random.nextInt(3)));
        };
    }
}
