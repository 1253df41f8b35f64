package io.numaledger.bridge.view;

import io.numaledger.bridge.ClusterYaml;
import io.numaledger.bridge.TestCluster;
import io.numaledger.bridge.explain.Explanation;
import io.numaledger.bridge.snapshot.GpuLinkSettings;
import io.numaledger.bridge.snapshot.SnapshotSettings;
import io.numaledger.bridge.snapshot.UnknownNodes;
import org.junit.jupiter.api.Test;

import java.time.Duration;
import java.time.InstantSource;
import java.util.TreeSet;

import static org.assertj.core.api.Assertions.assertThat;

class NodeJsonTest {

    @Test
    void theStatusSaysThatTheKubeletRestarts() {
        TestCluster cluster = new TestCluster();
        cluster.apply(ClusterYaml.restarting(ClusterYaml.node("n")));

        assertThat(NodeJson.status(NodeJson.of(cluster.snapshot("n")))).isEqualTo("Unknown,KubeletRestarting");
    }

    /** A node that is charged with its available amounts only. */
    @Test
    void unknownHoldersAreSaidInWords() {
        TestCluster cluster = new TestCluster(
                new SnapshotSettings(
                        true, new TreeSet<>(), UnknownNodes.DEFAULT, Duration.ZERO, GpuLinkSettings.DEFAULT),
                (pod, reservation) -> {},
                InstantSource.system());
        cluster.apply(ClusterYaml.node("n").replace("available: \"4\"", "available: \"1\""));

        String explained =
                Explanation.ofAll(cluster.state, ClusterYaml.pending("x", "cpu: \"4\", memory: 1Gi")).stream()
                        .map(each -> ExplanationJson.full(each).toString())
                        .findFirst()
                        .orElseThrow();
        String node = NodeJson.of(cluster.snapshot("n")).toString();

        assertThat(explained)
                .contains("has 1 free, held by pods without a placement record\"")
                .contains("\"holders\":[\"pods without a placement record\"]");
        assertThat(node).contains("\"pod\":\"pods without a placement record\"");
        assertThat(explained + node).doesNotContain("*");
    }
}
