package io.numaledger.scheduling.pool;

import io.numaledger.evaluation.facts.NodeConstraints;
import io.numaledger.evaluation.facts.NodeFacts;
import org.junit.jupiter.api.Test;

import java.util.Collections;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.TreeMap;

import static org.assertj.core.api.Assertions.assertThat;

class NodePoolsTest {

    private static final String LABEL = "example.com/pool";

    @Test
    void isTheValueOfTheLabel() {
        NodePools pools = new NodePools(LABEL);

        assertThat(pools.of(node(Map.of(LABEL, "gpu", "other", "x")))).isEqualTo("gpu");
        assertThat(pools.of(node(Map.of("other", "x")))).isEmpty();
    }

    @Test
    void isOneForAllNodesWithoutALabel() {
        assertThat(new NodePools("").of(node(Map.of("", "gpu")))).isEmpty();
    }

    @Test
    void boundsTheNames() {
        NodePools pools = new NodePools(LABEL);
        for (int i = 0; i < NodePools.MOST; i++) {
            assertThat(pools.of(node(Map.of(LABEL, "pool-" + i)))).isEqualTo("pool-" + i);
        }

        assertThat(pools.of(node(Map.of(LABEL, "one-more")))).isEqualTo(NodePools.OTHER);
        assertThat(pools.of(node(Map.of(LABEL, "pool-7")))).isEqualTo("pool-7");
        assertThat(pools.of(node(Map.of()))).isEmpty();
    }

    private static NodeFacts node(Map<String, String> labels) {
        return new NodeFacts(
                "node",
                Optional.empty(),
                new TreeMap<>(),
                new TreeMap<>(),
                Optional.empty(),
                Optional.empty(),
                Optional.empty(),
                new NodeConstraints(
                        new TreeMap<>(),
                        false,
                        Optional.empty(),
                        List.of(),
                        new TreeMap<>(labels),
                        Collections.emptySortedSet()));
    }
}
