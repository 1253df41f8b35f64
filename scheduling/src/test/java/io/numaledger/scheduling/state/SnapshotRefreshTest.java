package io.numaledger.scheduling.state;

import io.numaledger.objects.ClusterYaml;
import io.numaledger.scheduling.TestCluster;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

import static org.assertj.core.api.Assertions.assertThat;

class SnapshotRefreshTest {

    private static final String CPUS_1 = "cpu: \"1\", memory: 1Gi";

    private final TestCluster cluster = new TestCluster();
    private SnapshotRefresh refresh = new SnapshotRefresh(cluster.state);

    @BeforeEach
    void twoNodes() {
        cluster.apply(ClusterYaml.node("m"), ClusterYaml.node("n"));
        cluster.state.warmUp();
        refresh = new SnapshotRefresh(cluster.state);
    }

    @Test
    void buildsTheChangedNodeOnceForAllItsEvents() {
        long before = cluster.state.snapshotBuilds();
        cluster.apply(ClusterYaml.running("a", "n", CPUS_1, "1"), ClusterYaml.running("b", "n", CPUS_1, "2"));

        refresh.run();

        assertThat(cluster.state.snapshotBuilds()).isEqualTo(before + 1);
        assertThat(cluster.snapshot("n").pods()).hasSize(2);
        assertThat(cluster.state.snapshotBuilds()).isEqualTo(before + 1);
    }

    @Test
    void buildsWhatChangesAfterTheLastRun() {
        cluster.apply(ClusterYaml.running("a", "n", CPUS_1, "1"));
        refresh.run();
        long before = cluster.state.snapshotBuilds();
        cluster.apply(ClusterYaml.running("b", "m", CPUS_1, "2"));

        refresh.run();

        assertThat(cluster.state.snapshotBuilds()).isEqualTo(before + 1);
    }

    /** Waits a second. */
    @Test
    void buildsNothingWhileNothingChanges() {
        long before = cluster.state.snapshotBuilds();

        refresh.run();

        assertThat(cluster.state.snapshotBuilds()).isEqualTo(before);
    }
}
