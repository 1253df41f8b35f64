package io.numaledger.scheduling.topology;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.MethodSource;

import java.util.Collections;
import java.util.List;
import java.util.Map;
import java.util.SortedMap;
import java.util.TreeMap;
import java.util.stream.IntStream;
import java.util.stream.Stream;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.junit.jupiter.params.provider.Arguments.arguments;

/** Topology objects, as anybody may have written them who may write them. */
class TopologyLevelsTest {

    static Stream<Arguments> bombs() {
        List<String> many = IntStream.range(0, 100_000).mapToObj(i -> "l" + i).toList();
        return Stream.of(
                arguments("many levels", many, "a topology has at most 32 levels, not 100000"),
                arguments(
                        "many equal levels",
                        Collections.nCopies(100_000, "zone"),
                        "a topology has at most 32 levels, not 100000"),
                arguments(
                        "a label that comes twice",
                        List.of("a", "b", "a"),
                        "a topology level needs a label of its own, not 'a'"),
                arguments("an empty label", List.of("a", ""), "a topology level needs a label of its own, not ''"),
                arguments(
                        "a long label",
                        List.of("a".repeat(1 << 20)),
                        "a label of a topology level has at most 317 characters, not 1048576"),
                arguments("no level", List.of(), "a topology needs levels"));
    }

    @ParameterizedTest(name = "{0}")
    @MethodSource("bombs")
    void refusesInOneSentence(String what, List<String> labels, String why) {
        assertThatThrownBy(() -> TopologyLevels.ofLabels(labels))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessage(why);
    }

    @Test
    void refusesTheSameInAnAnnotation() {
        String levels = String.join(
                ",", IntStream.range(0, 5_000).mapToObj(i -> "l" + i).toList());

        assertThatThrownBy(() -> TopologyRequest.of(Map.of("numaledger.io/topology-levels", levels), new Topologies()))
                .hasMessage("a topology has at most 32 levels, not 5000");
    }

    @Test
    void nodesWhoseLabelsHaveEqualValuesAreInOneDomainOfEachLevel() {
        TopologyLevels levels = TopologyLevels.ofLabels(
                IntStream.range(0, 32).mapToObj(i -> "l" + i).toList());
        SortedMap<String, String> labels = new TreeMap<>();
        levels.labels().forEach(label -> labels.put(label, "x"));
        DomainTree tree = DomainTree.of(levels, new TreeMap<>(Map.of("a", labels, "b", labels)));

        assertThat(tree.size())
                .as("the cluster, a domain for each level, and two nodes")
                .isEqualTo(1 + 32 + 2);
        assertThat(tree.domainOf("a", 32)).isEqualTo(tree.domainOf("b", 32));
    }
}
