package io.numaledger.scheduling.group;

import io.numaledger.evaluation.budget.EvaluationBudget;
import io.numaledger.objects.ClusterYaml;
import io.numaledger.scheduling.TestCluster;
import io.numaledger.scheduling.topology.DomainTree;
import io.numaledger.scheduling.topology.TopologyLevels;
import io.numaledger.scheduling.topology.TopologyLevels.Level;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

import java.util.List;
import java.util.Optional;

import static org.assertj.core.api.Assertions.assertThat;

class DomainTreesTest {

    private static final TopologyLevels RACKS = new TopologyLevels(List.of(new Level("rack", Optional.empty())));
    private static final TopologyLevels BLOCKS = new TopologyLevels(List.of(new Level("block", Optional.empty())));

    private final TestCluster cluster = new TestCluster();
    private final DomainTrees trees = new DomainTrees();

    private static String node(String name, String rack, String block) {
        return ClusterYaml.node(name)
                .replace(
                        "metadata: {name: %s}\nstatus".formatted(name),
                        "metadata: {name: %s, labels: {rack: %s, block: %s}}\nstatus".formatted(name, rack, block));
    }

    private DomainTree tree(TopologyLevels levels) {
        return trees.of(levels, cluster.state.uses(new EvaluationBudget(1_000_000_000)));
    }

    private List<String> racks() {
        DomainTree tree = tree(RACKS);
        return tree.atDepth(1, 0).stream()
                .map(domain -> tree.name(domain) + tree.nodes(domain))
                .toList();
    }

    @BeforeEach
    void start() {
        cluster.apply(node("a", "r1", "b1"), node("b", "r2", "b1"));
        assertThat(racks()).containsExactly("r1[a]", "r2[b]");
    }

    @Test
    void aTreeIsKeptWhilePodsComeAndNodesKeepTheirLabels() {
        DomainTree racks = tree(RACKS);
        DomainTree blocks = tree(BLOCKS);

        cluster.apply(ClusterYaml.running("x", "a", "cpu: \"2\", memory: 1Gi", "1-2"));
        cluster.apply(node("a", "r1", "b1").replace("nvidia.com/gpu: \"2\"", "nvidia.com/gpu: \"1\""));

        assertThat(tree(RACKS)).isSameAs(racks);
        assertThat(tree(BLOCKS)).isSameAs(blocks);
    }

    @Test
    void aLabelChanges() {
        cluster.apply(node("a", "r2", "b1"));

        assertThat(racks()).containsExactly("r2[a, b]");
    }

    @Test
    void aNodeIsAdded() {
        cluster.apply(node("c", "r1", "b1"));

        assertThat(racks()).containsExactly("r1[a, c]", "r2[b]");
    }

    /** The labels of all nodes together stay the same. */
    @Test
    void aNodeIsReplaced() {
        cluster.state.nodeDeleted("a");
        cluster.apply(node("a2", "r1", "b1"));

        assertThat(racks()).containsExactly("r1[a2]", "r2[b]");
    }
}
