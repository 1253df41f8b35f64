package io.numaledger.bridge.extender;

import io.numaledger.evaluation.facts.PodFacts;
import io.numaledger.objects.ClusterYaml;
import io.numaledger.objects.ObjectReader;
import io.numaledger.scheduling.TestCluster;
import io.numaledger.scheduling.state.NodeNames;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

import java.nio.charset.Charset;
import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.stream.IntStream;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

class ExtenderArgsTest {

    private static final List<String> KNOWN = List.of("a", "b", "node-1", "node-12", "a.long.name.of-a.node");

    private final TestCluster cluster = new TestCluster();

    @BeforeEach
    void nodes() {
        KNOWN.forEach(name -> cluster.apply(ClusterYaml.node(name)));
    }

    private NodeNames names(String text, Charset charset) {
        String body = "{\"NodeNames\":%s,\"Pod\":{\"metadata\":{\"name\":\"p\",\"namespace\":\"n\"}}}".formatted(text);
        return ExtenderArgs.read(body.getBytes(charset), cluster.state, new ObjectReader())
                .names();
    }

    @ParameterizedTest(name = "{0}")
    @CsvSource(delimiter = '|', quoteCharacter = '`', textBlock = """
            none                 | []                                          | ``
            as Go writes them    | ["a","node-1","a.long.name.of-a.node","b"]  | a node-1 a.long.name.of-a.node b
            one twice            | ["b","b"]                                   | b b
            unknown ones         | ["node-2","node-123","node-12"]             | node-2 node-123 node-12
            with spaces between  | [ "a" , "node-12" ]                         | a node-12
            with a space at last | ["a","node-12" ]                            | a node-12
            with escapes         | ["a","node\\u002d1","b"]                    | a node-1 b
            an unknown escape    | ["a","x\\\\y\\"z","b"]                      | a x\\y"z b
            not ASCII            | ["a","n\u00fc","b"]                         | a n\u00fc b
            the last one counts  | ["a"],"NodeNames":["b","\\u0061"]           | b a
            no list              | null                                        | ``
            """)
    void readsNames(String situation, String text, String expected) {
        List<String> names = expected.isEmpty() ? List.of() : List.of(expected.split(" "));
        for (Charset charset : List.of(StandardCharsets.UTF_8, StandardCharsets.UTF_16BE)) {
            NodeNames read = names(text, charset);
            assertThat(read).containsExactlyElementsOf(names);
            assertThat(IntStream.range(0, read.size()))
                    .allMatch(place -> read.isKnown(place) == KNOWN.contains(names.get(place)));
        }
    }

    @ParameterizedTest
    @ValueSource(strings = {"[\"a\",]", "[\"a\"\"b\"]", "[\"a\"", "[\"a", "[\"a\",\"b", "[", "[\"a\"}", "[\"a\\"})
    void refusesMalformedNames(String text) {
        assertThatThrownBy(() -> names(text, StandardCharsets.UTF_8))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessageStartingWith("malformed request: ");
    }

    @Test
    void readsNamesUpToTheEndOfTheText() {
        byte[] cut = "{\"Pod\":{},\"NodeNames\":[\"a\"".getBytes(StandardCharsets.UTF_8);
        assertThatThrownBy(() -> ExtenderArgs.read(cut, cluster.state, new ObjectReader()))
                .hasMessageStartingWith("malformed request: ");
    }

    private ExtenderArgs read(String status, String spec) {
        String uid = cluster.state.pods().get("default/p").orElseThrow().uid().orElseThrow();
        String metadata = "{\"name\":\"p\",\"namespace\":\"default\",\"uid\":\"%s\"}".formatted(uid);
        String body = "{\"Pod\":{\"metadata\":%s,\"spec\":%s,\"status\":%s},\"NodeNames\":[\"a\"]}"
                .formatted(metadata, spec, status);
        return ExtenderArgs.read(body.getBytes(StandardCharsets.UTF_8), cluster.state, new ObjectReader());
    }

    @Test
    void takesAPodFromTheWatchWithoutReadingIt() {
        PodFacts shown = ClusterYaml.pending("p", "cpu: \"1\", memory: 1Gi");
        cluster.state.podChanged(shown);

        assertThat(read("{\"phase\":\"Pending\",\"nominatedNodeName\":null}", "\"never read\"")
                        .pod())
                .isEqualTo(shown);
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "{\"nominatedNodeName\":\"a\"}",
                "{\"resourceClaimStatuses\":[{\"name\":\"x\"}]}",
                "{\"extendedResourceClaimStatus\":{\"resourceClaimName\":\"x\"}}"
            })
    void readsAPodOfWhichTheSchedulerMayKnowMore(String status) {
        cluster.state.podChanged(ClusterYaml.pending("p", "cpu: \"1\", memory: 1Gi"));

        assertThat(read(status, "{\"schedulerName\":\"another\"}").pod().scheduler())
                .isEqualTo("another");
    }

    @Test
    void readsAPodWhoseNominationTheSchedulerDoesNotKnow() {
        cluster.state.podChanged(
                ClusterYaml.pending("p", "cpu: \"1\", memory: 1Gi").nominatedFor("a"));

        assertThat(read("{}", "{}").nominatedNode()).isEmpty();
    }
}
