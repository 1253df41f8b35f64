package io.numaledger.e2e.bridge;

import io.numaledger.e2e.support.ClusterPods;
import io.numaledger.e2e.support.RealKubernetes;
import io.numaledger.simulator.cluster.KubeBinaries;
import io.numaledger.simulator.cluster.SimCluster;
import io.numaledger.simulator.hardware.NodeSpecYaml;
import io.numaledger.simulator.workload.SimplePod;
import org.junit.jupiter.api.Test;

import java.time.Duration;
import java.util.Map;
import java.util.stream.IntStream;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

/** Without the bridge: what {@link NativeGangIT} prevents. */
class NativeGangBaselineIT {

    private static final Duration TIMEOUT = Duration.ofMinutes(3);

    /** Two nodes have two zones of 8 CPUs each: by node-level requests six pods of 5 CPUs fit, by zones four. */
    @Test
    void aGangOfSixIsBoundWholeAndBrokenByTheKubelets() {
        KubeBinaries binaries = RealKubernetes.binaries();
        try (SimCluster cluster = NativeGroups.enable(
                        SimCluster.builder(binaries).nodes(NodeSpecYaml.parse("""
                                nodes:
                                - name: a
                                  kubelet: {topologyManagerPolicy: single-numa-node}
                                  numaNodes:
                                  - {id: 0, cores: 8, memory: 16Gi}
                                  - {id: 1, cores: 8, memory: 16Gi}
                                - name: b
                                  kubelet: {topologyManagerPolicy: single-numa-node}
                                  numaNodes:
                                  - {id: 0, cores: 8, memory: 16Gi}
                                  - {id: 1, cores: 8, memory: 16Gi}
                                """)), binaries)
                .start()) {
            ClusterPods pods = new ClusterPods(cluster);
            new NativeGroups(cluster, binaries).create("six", 6, Map.of());
            IntStream.range(0, 6)
                    .forEach(i -> pods.create(
                            SimplePod.named("six-" + i).ofPodGroup("six").with("c", "cpu=5", "memory=1Gi")));

            await().atMost(TIMEOUT).until(() -> cluster.journal().count("TopologyAffinityError") == 2);
            await().atMost(TIMEOUT)
                    .until(() -> pods.all().stream()
                                    .filter(pod -> pod.getStatus().getPhase().equals("Running"))
                                    .count()
                            == 4);
            assertThat(pods.all()).allMatch(pod -> pod.getSpec().getNodeName() != null);
        }
    }
}
