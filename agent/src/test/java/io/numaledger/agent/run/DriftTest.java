package io.numaledger.agent.run;

import io.numaledger.annotation.Annotations;
import io.numaledger.nrt.NodeTopology.Owner;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

import java.io.IOException;
import java.nio.file.Path;
import java.time.Duration;

import static io.numaledger.agent.run.AgentOnServer.holder;
import static org.assertj.core.api.Assertions.assertThat;

/** Repairs published objects that differ from what the agent wrote. */
class DriftTest {

    private static final String RECORD = "[{\"zone\":\"node-0\",\"amount\":{\"cpu\":\"2\",\"memory\":\"1073741824\"}}]";

    @TempDir
    private Path directory;

    private AgentOnServer agent;

    @BeforeEach
    void publishOnePod() throws IOException {
        agent = new AgentOnServer(directory, false);
        agent.run("p");
        agent.kubelet.lists(holder("p", "1-2", 1));
        assertThat(agent.reconcile().errors()).isEmpty();
        assertThat(agent.annotations("p")).containsEntry(Annotations.OBSERVED, RECORD);
        agent.writes();
    }

    @AfterEach
    void close() throws IOException {
        agent.close();
    }

    @Test
    void writesNothingWhereNothingDrifted() throws IOException {
        agent.reconcileEverything(Duration.ofMinutes(1));
        agent.reconcile();
        assertThat(agent.writes()).isEmpty();
    }

    @Test
    void repairsAForgedRecordWithOneWrite() throws IOException {
        agent.annotate("p", Annotations.OBSERVED, "[{\"zone\":\"node-1\",\"amount\":{\"cpu\":\"8\"}}]");
        agent.annotate("p", Annotations.PLACEMENT, "{}");
        agent.reconcile();
        assertThat(agent.metric("drift_repaired_total{kind=\"pod\"}")).isEqualTo(1);
        assertThat(agent.metric("drift_repaired_total{kind=\"nrt\"}")).isZero();
        assertThat(agent.writes()).hasSize(1);
        assertThat(agent.annotations("p"))
                .containsEntry(Annotations.OBSERVED, RECORD)
                .containsEntry(
                        Annotations.PLACEMENT,
                        "{\"version\":1,\"containers\":[{\"name\":\"c\",\"cpus\":\"1-2\",\"memory\":"
                                + "[{\"type\":\"memory\",\"bytes\":1073741824,\"numaNodes\":\"0\"}]}]}");
    }

    @Test
    void takesTheRecordsFromAPodThatLostItsResources() throws IOException {
        agent.kubelet.lists(holder("p", "", 0));
        agent.reconcile();
        assertThat(agent.annotations("p")).doesNotContainKeys(Annotations.OBSERVED, Annotations.PLACEMENT);
        assertThat(agent.available(0, "cpu")).isEqualTo(7000);
    }

    @Test
    void repairsATopologyThatWasEditedByHand() throws IOException {
        var before = agent.topology();
        agent.otherPublishes("kubectl-edit", "none");
        agent.reconcile();
        assertThat(agent.topology()).isEqualTo(before);
        assertThat(agent.metric("drift_repaired_total{kind=\"nrt\"}")).isEqualTo(1);
    }

    @Test
    void givesWayToASecondPublisherAfterTwoRepairs() throws IOException {
        for (int round = 0; round < 10; round++) {
            agent.otherPublishes("nfd-master", "none");
            agent.reconcile(Duration.ofSeconds(10));
        }
        assertThat(agent.writes()).hasSize(2);
        assertThat(agent.topology().attributes()).containsEntry("topologyManagerPolicy", "none");
    }

    @Test
    void takesTheTopologyBackWhenTheSecondPublisherIsGone() throws IOException {
        for (int round = 0; round < 3; round++) {
            agent.otherPublishes("nfd-master", "none");
            agent.reconcile(Duration.ofSeconds(10));
        }
        agent.writes();
        agent.reconcile(Duration.ofMinutes(11));
        agent.reconcile();
        assertThat(agent.writes()).hasSize(1);
        assertThat(agent.topology().zones()).hasSize(2);
    }

    @Test
    void writesADeletedTopologyAnewWithTheOwnerOfToday() throws IOException {
        agent.delete("/api/v1/nodes/worker");
        agent.createNode();
        agent.delete(AgentOnServer.NRT);
        agent.reconcile();
        assertThat(agent.metric("drift_repaired_total{kind=\"nrt\"}")).isEqualTo(1);
        assertThat(agent.topology().owner()).contains(Owner.node("worker", agent.nodeUid()));
    }

    @Test
    void givesTheTopologyTheOwnerOfToday() throws IOException {
        agent.delete("/api/v1/nodes/worker");
        agent.createNode();
        agent.reconcile(Duration.ofMinutes(10));
        assertThat(agent.topology().owner()).contains(Owner.node("worker", agent.nodeUid()));

        agent.delete("/api/v1/nodes/worker");
        agent.createNode();
        agent.kubeletStops();
        agent.kubeletStarts();
        agent.reconcile();
        assertThat(agent.topology().owner()).contains(Owner.node("worker", agent.nodeUid()));
    }

    @Test
    void publishesNoTopologyForANodeThatIsGone() throws IOException {
        agent.delete("/api/v1/nodes/worker");
        agent.delete(AgentOnServer.NRT);
        assertThat(agent.reconcile().errors())
                .singleElement()
                .asString()
                .startsWith("cannot publish the NodeResourceTopology of node worker: the API server refused:")
                .contains("status=404");
        agent.createNode();
        assertThat(agent.reconcile().errors()).isEmpty();
        assertThat(agent.topology().owner()).contains(Owner.node("worker", agent.nodeUid()));
    }

    @Test
    void doesNotCountAPodThatHasEnded() throws IOException {
        agent.status("p", "Succeeded");
        agent.reconcile();
        assertThat(agent.available(0, "cpu")).isEqualTo(7000);
        assertThat(agent.available(0, "memory")).isEqualTo(15 * AgentOnServer.GIB);
    }
}
