package io.numaledger.scheduling.gated;

import io.numaledger.objects.ClusterYaml;
import org.junit.jupiter.api.Test;

import java.time.Duration;

import static org.assertj.core.api.Assertions.assertThat;

/** Groups, and nodes of which something is not known for now. */
class HeldNodesTest {

    private final GatedCluster gated = new GatedCluster();

    @Test
    void aGroupWaitsForANodeWhoseKubeletRestarts() {
        gated.cluster.apply(ClusterYaml.restarting(ClusterYaml.node("a")));
        gated.create("default", "g", 2, 2, 0);
        gated.pass(Duration.ofSeconds(1));
        assertThat(gated.released).isEmpty();

        gated.nodes("a");
        gated.pass(Duration.ofSeconds(1));
        assertThat(gated.released).hasSize(2);
    }

    @Test
    void aGroupRunsOnTheOtherNodes() {
        gated.cluster.apply(ClusterYaml.restarting(ClusterYaml.node("a")));
        gated.nodes("b");
        gated.create("default", "g", 2, 2, 0);
        gated.pass(Duration.ofSeconds(1));

        assertThat(gated.released).hasSize(2).containsValue("b").doesNotContainValue("a");
    }
}
