package io.numaledger.kubectl.ui;

import com.fasterxml.jackson.databind.JsonNode;
import io.numaledger.kubectl.zones.ClusterSource;
import io.numaledger.objects.ClusterYaml;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.InstantSource;
import java.util.Map;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

class WaitingDataTest {

    private static final String CPUS_4 = "cpu: \"4\", memory: 1Gi";
    private static final String WAITING = ClusterYaml.pod("w", CPUS_4, "", "", ", phase: Pending");

    @TempDir
    private Path directory;

    private WaitingData data(String objects) throws IOException {
        Path dump = Files.writeString(directory.resolve("dump.yaml"), objects);
        ClusterSource cluster = GivenCluster.ofDump(dump);
        return new WaitingData(
                new ShownCluster(cluster::zones, new Changes(), () -> {}, InstantSource.system()), cluster);
    }

    private JsonNode read(String objects, String path) throws IOException {
        return data(objects).read(path, Map.of());
    }

    /** A node of which each zone has a pod with this many CPUs. */
    private static String node(String name, int inZone0, int inZone1) {
        return ClusterYaml.node(name) + running(name + "-0", name, 1, inZone0) + running(name + "-1", name, 5, inZone1);
    }

    private static String running(String pod, String node, int first, int cpus) {
        return ClusterYaml.running(
                pod, node, "cpu: \"%d\", memory: 1Gi".formatted(cpus), "%d-%d".formatted(first, first + cpus - 1));
    }

    @Test
    void listsPodsWithoutANodeTheOldestFirst() throws IOException {
        JsonNode list = read(GivenCluster.gpus(), "");

        assertThat(list.path("pods").findValuesAsText("pod"))
                .containsExactly("ml/training-0", "ml/training-1", "ml/notebook", "ml/huge");
        assertThat(list.at("/pods/0/said").asText()).startsWith("0/4 nodes are available: ");
        assertThat(list.at("/pods/0/group").asText()).isEqualTo("ml/training");
        assertThat(list.at("/groups").toString())
                .isEqualTo(
                        "[{\"group\":\"ml/training\",\"waiting\":2,\"minMember\":2,\"pods\":[\"ml/training-0\",\"ml/training-1\"]}]");
    }

    @Test
    void putsNodesWithTheSameReasonTogether() throws IOException {
        JsonNode answer =
                read(node("a", 1, 2) + node("b", 2, 3) + ClusterYaml.node("c", "none") + WAITING, "pod/default/w");

        assertThat(answer.path("nodes").asInt()).isEqualTo(3);
        assertThat(answer.path("fitting").toString()).isEqualTo("{\"count\":1,\"names\":[\"c\"]}");
        assertThat(answer.path("classes").toString())
                .isEqualTo("[{\"sentence\":\"no zone can take 4 cpu\",\"count\":2,\"names\":[\"a\",\"b\"]}]");
    }

    @Test
    void namesTheNodesThatNearlyTakeThePodAndWhatWouldHaveToEnd() throws IOException {
        String ending =
                ClusterYaml.node("z") + ClusterYaml.terminating(running("z-0", "z", 1, 3)) + running("z-1", "z", 5, 1);

        JsonNode nearest = read(node("a", 3, 2) + node("b", 1, 3) + ending + WAITING, "pod/default/w")
                .path("nearest");

        assertThat(nearest.findValuesAsText("node")).containsExactly("z", "b", "a");
        assertThat(nearest.findValuesAsText("advice"))
                .containsExactly(
                        "wait: the pod fits as soon as the terminating pods have ended",
                        "the pod would fit without default/b-0",
                        "the pod would fit without default/a-0");
        assertThat(nearest.at("/1/message").asText()).startsWith("needs 4 cpu on 1 zone; ");
    }

    /** The order of near misses reads the sentences of the advice. */
    @ParameterizedTest(name = "{0}")
    @CsvSource(delimiter = '|', textBlock = """
            two pods           | 2 | the pod would fit without default/n-0 and default/n-2
            a smaller request  | 3 | the pod does not fit this node even without other pods; it would fit with
            """)
    void knowsTheSentencesOfAdvice(String situation, int change, String beginning) throws IOException {
        String objects = change == 2
                ? ClusterYaml.node("n")
                        + running("n-0", "n", 1, 2)
                        + running("n-2", "n", 3, 2)
                        + running("n-1", "n", 5, 2)
                        + running("n-3", "n", 7, 2)
                : ClusterYaml.node("n") + WAITING.replace("\"4\"", "\"5\"").replace("name: w", "name: large");

        WaitingData data = data(objects + WAITING);
        JsonNode nearest = data.read(change == 2 ? "pod/default/w" : "pod/default/large", Map.of())
                .path("nearest");

        assertThat(nearest.at("/0/advice").asText()).startsWith(beginning);
    }

    @Test
    void proposesToUncordonANode() throws IOException {
        String node = ClusterYaml.node("n")
                .replaceFirst("(?m)^(metadata: [{]name: n[}])$", "$1\nspec: {unschedulable: true}");

        assertThat(read(node + WAITING, "pod/default/w").path("nearest").findValuesAsText("advice"))
                .containsExactly("uncordon the node: the pod would fit then");
    }

    @Test
    void explainsAGroup() throws IOException {
        JsonNode group = read(GivenCluster.gpus(), "group/ml/training");

        assertThat(group.path("needed").asInt()).isEqualTo(2);
        assertThat(group.path("fits").asBoolean()).isFalse();
        assertThat(group.path("evictions").toString())
                .isEqualTo("[{\"pod\":\"ml/infer-0\",\"node\":\"gpu-1\",\"target\":\"gpu-4\"}]");
    }

    @Test
    void saysThatThereIsNoSuchPod() {
        assertThatThrownBy(() -> read(ClusterYaml.node("n") + WAITING, "pod/default/x"))
                .hasMessageContaining("x");
    }

    @Test
    void aReportHasTheReasonsOfTheOldestPodsAndOfGroups() throws IOException {
        assertThat(data(GivenCluster.gpus()).inReport())
                .containsExactly(
                        "",
                        "pod/ml/training-0",
                        "pod/ml/training-1",
                        "pod/ml/notebook",
                        "pod/ml/huge",
                        "group/ml/training");
    }
}
