package io.numaledger.bridge.holder;

import io.numaledger.bridge.ClusterYaml;
import io.numaledger.bridge.TestCluster;
import io.numaledger.bridge.explain.Explanation;
import io.numaledger.bridge.explain.ExplanationJson;
import io.numaledger.bridge.explain.NodeJson;
import io.numaledger.bridge.snapshot.GpuLinkSettings;
import io.numaledger.bridge.snapshot.SnapshotSettings;
import io.numaledger.bridge.snapshot.UnknownNodes;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

import java.time.Duration;
import java.time.InstantSource;
import java.util.Arrays;
import java.util.List;
import java.util.TreeSet;

import static org.assertj.core.api.Assertions.assertThat;

class PodNamesTest {

    private static final PodNames OF_DEFAULT = PodNames.of("default");

    @ParameterizedTest(name = "{0}")
    @CsvSource(delimiter = '|', textBlock = """
            default/a                                 | default/a                            | default/a
            secret/b                                  | secret/b                             | a pod of another namespace
            secret/b;default/a                        | default/a, secret/b                  | default/a, a pod of another namespace
            secret/b;secret/c;default/a               | default/a, secret/b, secret/c        | default/a, 2 pods of other namespaces
            default/d;default/c;default/b;default/a;x/e | default/a, default/b, default/c and 2 more | default/a, default/b, default/c, a pod of another namespace and 1 more
            secret/b (deleted)                        | secret/b (deleted)                   | a deleted pod
            /*                                        | pods without a placement record      | pods without a placement record
            """)
    void namesHoldersThatTheReaderMayRead(String keys, String forAll, String forDefault) {
        List<Holder> holders = Arrays.stream(keys.split(";")).map(Holder::of).toList();

        assertThat(PodNames.ALL.list(holders)).isEqualTo(forAll);
        assertThat(OF_DEFAULT.list(holders)).isEqualTo(forDefault);
    }

    @Test
    void whatIsSaidAboutAPodIsForItsReaders() {
        Sentence sentence = Sentence.of("conflict: ")
                .plus(Sentence.about(Holder.of("secret/b"), "the record of secret/b has too much: container=main"));

        assertThat(PodNames.ALL.text(sentence))
                .isEqualTo("conflict: the record of secret/b has too much: container=main");
        assertThat(OF_DEFAULT.text(sentence)).isEqualTo("conflict: a pod of another namespace");
    }

    @Test
    void textsHaveNoControlCharacters() {
        assertThat(PodNames.ALL.text(Sentence.of("a\u001b[2J\u009b\nb\u202e")))
                .isEqualTo("a\\u001b[2J\\u009b\\u000ab\\u202e");
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
