package io.numaledger.scheduling.state;

import io.numaledger.evaluation.facts.NodeFacts;
import io.numaledger.scheduling.TestCluster;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

import java.io.IOException;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Optional;
import java.util.Random;
import java.util.TreeMap;
import java.util.stream.IntStream;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

class NodeNamesTest {

    private static final int NODES = 300;

    private final ClusterState cluster = new TestCluster().state;

    @BeforeEach
    void nodes() {
        IntStream.range(0, NODES)
                .forEach(i -> cluster.nodeChanged(
                        new NodeFacts("node-" + i, Optional.empty(), new TreeMap<>(), new TreeMap<>())));
    }

    /** The order of one call is the first guess for the next. */
    @Test
    void findsNamesInAnyOrder() throws IOException {
        Random random = new Random(3);
        List<String> names = new ArrayList<>(IntStream.range(0, NODES + 50)
                .mapToObj(i -> i < NODES ? "node-" + i : i % 2 == 0 ? "stranger-" + i : "node-" + i)
                .toList());
        for (int call = 0; call < 20; call++) {
            Collections.shuffle(names, random);
            names.set(random.nextInt(names.size()), names.get(0));
            NodeNames named = cluster.nodeNames();
            named.addAll(names);
            assertThat(named).containsExactlyElementsOf(names);
            assertThat(written(named)).isEqualTo(names);
            for (int place = 0; place < names.size(); place++) {
                assertThat(named.isKnown(place))
                        .as(names.get(place))
                        .isEqualTo(cluster.snapshot(names.get(place)).isPresent());
            }
        }
    }

    private static List<String> written(NodeNames named) throws IOException {
        List<String> written = new ArrayList<>();
        for (int place = 0; place < named.size(); place++) {
            named.write(place, (buffer, start, length) -> written.add(new String(buffer, start, length, UTF_8)));
        }
        return written;
    }

    /** A caller may send any text as a name. */
    @Test
    void writesNamesAsJsonStrings() throws IOException {
        cluster.nodeChanged(new NodeFacts("known\"\n\u00fc", Optional.empty(), new TreeMap<>(), new TreeMap<>()));
        NodeNames named = cluster.nodeNames();
        named.addAll(List.of("known\"\n\u00fc", "strange\"\n\u00fc", "node-1"));
        assertThat(written(named)).containsExactly("known\\\"\\u000a\u00fc", "strange\\\"\\u000a\u00fc", "node-1");
    }

    @Test
    void canBeClearedAndFilledAgain() {
        NodeNames named = cluster.nodeNames();
        named.addAll(List.of("node-1", "stranger"));
        named.clear();
        assertThat(named).isEmpty();
        named.addAll(List.of("node-2", "node-1"));
        assertThat(named).containsExactly("node-2", "node-1");
    }

    @Test
    void rejectsAPlaceBeyondItsEnd() {
        NodeNames named = cluster.nodeNames();
        named.add("node-1");
        assertThatThrownBy(() -> named.get(1)).isInstanceOf(IndexOutOfBoundsException.class);
    }
}
