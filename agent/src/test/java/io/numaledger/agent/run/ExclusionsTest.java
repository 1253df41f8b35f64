package io.numaledger.agent.run;

import io.numaledger.agent.AgentMain;
import io.numaledger.agent.exclude.Exclusions;
import io.numaledger.agent.exclude.PodPattern;
import io.numaledger.annotation.Annotations;
import io.numaledger.nrt.NodeTopology;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

import java.io.IOException;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.TreeSet;

import static io.numaledger.agent.run.AgentOnServer.gpu;
import static io.numaledger.agent.run.AgentOnServer.holder;
import static org.assertj.core.api.Assertions.assertThat;

/** Excluded resources and pods are removed from zones and annotations by the next reconciliation. */
class ExclusionsTest {

    @TempDir
    private Path directory;

    private AgentOnServer agent;

    @BeforeEach
    void publishTwoPods() throws IOException {
        agent = new AgentOnServer(directory, false);
        agent.run("p");
        agent.run("debug-1");
        agent.kubelet.lists(holder("p", "1-2", 1, gpu("0", 0)), holder("debug-1", "3", 0));
        assertThat(agent.reconcile().errors()).isEmpty();
        agent.writes();
    }

    @AfterEach
    void close() throws IOException {
        agent.close();
    }

    @Test
    void takesAnExcludedPodsRecordsAndItsChargeAway() throws IOException {
        String before = fingerprint();
        agent.leaveOut(new Exclusions(new TreeSet<>(), List.of(PodPattern.parse("def*/debug-?")), new TreeMap<>()));
        agent.reconcile();
        assertThat(agent.annotations("debug-1")).isEmpty();
        assertThat(agent.annotations("p")).containsKeys(Annotations.OBSERVED, Annotations.PLACEMENT);
        assertThat(agent.available(0, "cpu")).isEqualTo(5000);
        assertThat(fingerprint()).isNotEqualTo(before);
        agent.writes();
        agent.reconcile();
        assertThat(agent.writes()).isEmpty();
    }

    /** nfd-topology-updater fails with a null pointer if a pod holds an excluded resource. */
    @Test
    void leavesResourcesThatAreHeldOutOfZonesAndRecords() throws IOException {
        agent.leaveOut(
                new Exclusions(new TreeSet<>(List.of("cpu", "memory", "nvidia.com/gpu")), List.of(), new TreeMap<>()));
        assertThat(agent.reconcile().errors()).isEmpty();
        assertThat(agent.topology().numaZones().values())
                .extracting(NodeTopology.Zone::resources)
                .allSatisfy(resources -> assertThat(resources).isEmpty());
        assertThat(agent.annotations("p")).isEmpty();
    }

    @Test
    void leavesTheOtherResourcesAsTheyWere() throws IOException {
        agent.leaveOut(new Exclusions(new TreeSet<>(List.of("memory")), List.of(), new TreeMap<>()));
        agent.reconcile();
        assertThat(agent.topology().numaZones().get(0).resources()).containsOnlyKeys("cpu", "nvidia.com/gpu");
        assertThat(agent.annotations("p"))
                .containsEntry(
                        Annotations.OBSERVED,
                        "[{\"zone\":\"node-0\",\"amount\":{\"cpu\":\"2\",\"nvidia.com/gpu\":\"1\"}}]");
    }

    @Test
    void publishesADeviceUnderItsNewName() throws IOException {
        agent.leaveOut(
                new Exclusions(new TreeSet<>(), List.of(), new TreeMap<>(Map.of("nvidia.com/gpu", "example.com/gpu"))));
        agent.reconcile();
        assertThat(agent.available(0, "example.com/gpu")).isEqualTo(1);
        assertThat(agent.topology().numaZones().get(0).resources()).doesNotContainKey("nvidia.com/gpu");
        assertThat(agent.annotations("p").get(Annotations.OBSERVED)).contains("\"example.com/gpu\":\"1\"");
    }

    @Test
    void endsWithStatusTwoOverAFlagThatExcludesNothing() {
        assertThat(AgentMain.execute("run", "--node-name=worker", "--exclude-pod=debug-1"))
                .isEqualTo(2);
        assertThat(AgentMain.execute("run", "--node-name=worker", "--rename-device=a"))
                .isEqualTo(2);
        assertThat(AgentMain.execute("run", "--node-name=worker", "--config=" + directory.resolve("none")))
                .isEqualTo(2);
    }

    private String fingerprint() throws IOException {
        return agent.topology().attributes().get("nodeTopologyPodsFingerprint");
    }
}
