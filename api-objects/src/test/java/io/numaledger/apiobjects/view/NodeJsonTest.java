package io.numaledger.apiobjects.view;

import com.fasterxml.jackson.databind.node.ObjectNode;
import io.numaledger.cli.Colours;
import io.numaledger.evaluation.snapshot.GpuLinkSettings;
import io.numaledger.evaluation.snapshot.SnapshotSettings;
import io.numaledger.evaluation.snapshot.UnknownNodes;
import io.numaledger.objects.ClusterYaml;
import io.numaledger.scheduling.TestCluster;
import io.numaledger.scheduling.explain.Explanation;
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

    /** Cores of two CPUs, and one of three. */
    @Test
    void saysHowMuchOneContainerGetsWhereItIsLessThanWhatIsFree() {
        TestCluster cluster = new TestCluster();
        cluster.apply(
                ClusterYaml.node("n")
                        .replace("value: \"0:0;1:1;2:2;3:3;4:4\"", "value: \"0:0,4;1:1,2,3\"")
                        .replace("value: \"5:5;6:6;7:7;8:8\"", "value: \"5:5,6;7:7,8\"")
                        .replace(
                                "zones:\n", "- {name: cpuManagerPolicyOptionFullPcpusOnly, value: \"true\"}\nzones:\n"),
                ClusterYaml.running("a", "n", "cpu: \"1\", memory: 1Gi", "1"));

        ObjectNode node = NodeJson.of(cluster.snapshot("n"));

        assertThat(node.at("/zones/0/free/cpu").asText()).isEqualTo("3");
        assertThat(node.at("/zones/0/largestRequest").toString()).isEqualTo("{\"cpu\":\"2\"}");
        assertThat(node.at("/zones/1").has("largestRequest")).isFalse();
        assertThat(NodeText.of(node, false, Colours.NONE))
                .contains("node-0   free: cpu 3 of 4 (at most 2 in one container), nvidia.com/gpu 1 of 1");
    }
}
