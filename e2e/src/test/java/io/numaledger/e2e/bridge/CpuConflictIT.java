package io.numaledger.e2e.bridge;

import io.numaledger.evaluation.holder.PodNames;
import io.numaledger.scheduling.explain.NodeWarnings;
import io.numaledger.scheduling.state.ClusterState;
import io.numaledger.simulator.cluster.SimNode;
import io.numaledger.simulator.workload.SimplePod;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;

import java.io.IOException;
import java.nio.file.Files;
import java.util.List;
import java.util.Set;
import java.util.stream.Collectors;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

/**
 * Cores of unequal size: on node {@code t} a thread is offline, and the kubelet gives one CPU to two pods. On {@code h}, with cores of two
 * kinds, it gives a reserved CPU to a pod (kubernetes #124066, #140495).
 */
class CpuConflictIT {

    @RegisterExtension
    static final BridgedNodes nodes = BridgedNodes.own(() -> BridgedNodes.start("""
            nodes:
            - name: t
              kubelet: {topologyManagerPolicy: best-effort, reservedSystemCPUs: "4,5,7,12"}
              numaNodes:
              - {id: 0, coreCpus: ["0,8", "1,9", "2,10", "3,11"], memory: 8Gi}
              - {id: 1, coreCpus: ["4,12", "5,13", "6,14", "7"], memory: 8Gi}
            - name: h
              kubelet: {topologyManagerPolicy: best-effort, reservedSystemCPUs: "1"}
              numaNodes:
              - {id: 0, coreCpus: ["0,1", "2,3", "4,5", "6,7", "8", "9", "10", "11"], memory: 8Gi}
            """, List.of()));

    private static List<String> warnings(String node) {
        ClusterState cluster = nodes.bridge().cluster();
        return NodeWarnings.of(cluster.snapshot(node).orElseThrow(), cluster.podsOn(node)).stream()
                .map(PodNames.ALL::text)
                .toList();
    }

    private static void awaitEvents(String text, String... pods) {
        await(text)
                .atMost(BridgedNodes.TIMEOUT)
                .until(() -> nodes.client().v1().events().inNamespace("default").list().getItems().stream()
                        .filter(event -> event.getReason().equals("CpusShared")
                                && event.getMessage().equals(text))
                        .map(event -> event.getInvolvedObject().getName())
                        .collect(Collectors.toSet())
                        .equals(Set.of(pods)));
    }

    @Test
    void aCpuOfTwoPodsIsNamedWithBoth() {
        nodes.cordon(Set.of("h"));
        nodes.create(SimplePod.named("a"), 5);
        nodes.awaitRunning("a", 1);
        nodes.create(SimplePod.named("b"), 3);
        nodes.awaitRunning("b", 1);

        String twice = "the kubelet gave CPU 2 to default/a, default/b; they slow each other down: delete one of them";
        awaitEvents(twice, "a", "b");
        assertThat(warnings("t")).containsExactly(twice);
    }

    @Test
    void aReservedCpuOfAPodIsNamedBeforeTheKubeletEndsOverIt() throws IOException {
        nodes.cordon(Set.of("t"));
        nodes.create(SimplePod.named("c"), 5);
        nodes.awaitRunning("c", 1);

        String reserved =
                "the kubelet gave the reserved CPU 1 to default/c; end what holds reserved CPUs before you restart the kubelet, because it does not start again over this state";
        awaitEvents(reserved, "c");
        assertThat(warnings("h")).containsExactly(reserved);
        SimNode node = nodes.cluster().cluster().node("h");
        node.stopKubelet();
        node.startKubelet();
        try {
            await("the kubelet ends")
                    .atMost(BridgedNodes.TIMEOUT)
                    .until(() -> node.kubeletPid().isEmpty());
            assertThat(Files.readString(node.kubeletLog())).contains("not all reserved cpus");
        } finally {
            node.stopKubelet();
            Files.delete(node.kubeletRoot().resolve("cpu_manager_state"));
            node.startKubelet();
        }
    }
}
