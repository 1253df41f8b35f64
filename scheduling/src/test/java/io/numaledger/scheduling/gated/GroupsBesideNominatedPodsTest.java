package io.numaledger.scheduling.gated;

import io.numaledger.objects.ClusterYaml;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

import static org.assertj.core.api.Assertions.assertThat;

/** Pod {@code first} needs a whole zone and is nominated for node {@code a}, which has two zones of 4 CPUs. */
class GroupsBesideNominatedPodsTest {

    private final GatedCluster gated = new GatedCluster();

    private void nominate() {
        gated.cluster.apply(ClusterYaml.pod(
                "first", "cpu: \"4\", memory: 1Gi", "", "  priority: 10", ", phase: Pending, nominatedNodeName: a"));
    }

    @ParameterizedTest
    @CsvSource({"9, 0", "10, 0", "11, 2"})
    void aGroupOfNoHigherPriorityLeavesRoomForIt(int priority, int released) {
        gated.nodes("a");
        nominate();
        gated.create("default", "group", 2, 2, priority);
        gated.groups.check();

        assertThat(gated.released).hasSize(released);

        gated.cluster.deletePod("first");
        gated.groups.check();
        assertThat(gated.released).hasSize(2);
    }

    @Test
    void alsoWhileItsVictimTerminates() {
        gated.nodes("a");
        gated.fill("a", 1);
        gated.cluster.apply(
                ClusterYaml.terminating(ClusterYaml.running("victim", "a", "cpu: \"2\", memory: 1Gi", "1-2")));
        nominate();
        gated.createOf("default", "group", 1, 1, 2, 0);
        gated.groups.check();

        assertThat(gated.released).isEmpty();
    }
}
