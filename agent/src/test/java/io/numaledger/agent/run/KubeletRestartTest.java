package io.numaledger.agent.run;

import io.numaledger.annotation.Annotations;
import io.numaledger.placement.AllocatableResources;
import io.numaledger.placement.ContainerAllocation;
import io.numaledger.placement.MemoryBlock;
import io.numaledger.placement.PodAllocation;
import io.numaledger.topology.CpuSet;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

import java.io.IOException;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Optional;

import static io.numaledger.agent.run.AgentOnServer.ALLOCATABLE;
import static io.numaledger.agent.run.AgentOnServer.GIB;
import static io.numaledger.agent.run.AgentOnServer.gpu;
import static io.numaledger.agent.run.AgentOnServer.holder;
import static org.assertj.core.api.Assertions.assertThat;

/** A restart of the kubelet: its socket disappears, it lists its pods one by one, and device plugins register late. */
class KubeletRestartTest {

    private static final AllocatableResources WITHOUT_DEVICES =
            new AllocatableResources(ALLOCATABLE.cpus(), ALLOCATABLE.memory(), List.of());
    private static final PodAllocation ONE = holder("one", "1-2", 1, gpu("0", 0));
    private static final PodAllocation TWO = holder("two", "8-11", 2, gpu("2", 1));

    /** 20 GiB on both NUMA nodes, which KAI's format cannot express. */
    private static final PodAllocation WIDE = new PodAllocation(
            "default",
            "wide",
            List.of(new ContainerAllocation(
                    "c", CpuSet.EMPTY, List.of(new MemoryBlock("memory", 20 * GIB, List.of(0, 1))), List.of())));

    @TempDir
    private Path directory;

    private AgentOnServer agent;

    @BeforeEach
    void start() throws IOException {
        agent = new AgentOnServer(directory, true);
    }

    @AfterEach
    void close() throws IOException {
        agent.close();
    }

    @Test
    void marksTheZonesAndWritesNothingElseWhileTheKubeletListsItsPodsOneByOne() throws IOException {
        runAll();
        agent.kubeletStops();
        assertThat(agent.reconcile().errors()).isNotEmpty();
        assertThat(agent.reconcile(Duration.ofMinutes(5)).errors()).isNotEmpty();
        assertThat(agent.writes()).hasSize(1);
        assertThat(kubelet()).hasValue("restarting");
        agent.kubelet.canAllocate(WITHOUT_DEVICES);
        agent.kubelet.lists();
        agent.kubeletStarts();
        agent.reconcileEverything(Duration.ofSeconds(1));
        agent.kubelet.lists(ONE);
        agent.reconcileEverything(Duration.ofSeconds(1));
        agent.kubelet.lists(ONE, WIDE);
        NodeAgent.Reconciliation unfinished = agent.reconcileEverything(Duration.ofSeconds(20));
        assertThat(unfinished.settled()).isFalse();
        assertThat(unfinished.notBefore())
                .as("no reconciliation without a pause")
                .isEmpty();
        assertThat(agent.writes()).isEmpty();
        agent.kubelet.canAllocate(ALLOCATABLE);
        agent.kubelet.lists(ONE, TWO, WIDE);
        agent.reconcileEverything(Duration.ofSeconds(1));
        assertThat(agent.writes()).hasSize(1);
        assertThat(kubelet()).isEmpty();
    }

    /** Its socket is back before the agent has asked. */
    @Test
    void marksAKubeletThatWasNotMissed() throws IOException {
        runAll();
        agent.kubeletStops();
        agent.kubelet.lists();
        agent.kubeletStarts();
        agent.reconcileEverything(Duration.ofSeconds(1));
        assertThat(kubelet()).hasValue("restarting");
        agent.kubelet.lists(ONE, TWO, WIDE);
        agent.reconcileEverything(Duration.ofSeconds(1));
        assertThat(kubelet()).isEmpty();
    }

    @Test
    void writesNothingWhenAConnectionEndsAndThePodsAreListed() throws IOException {
        runAll();
        agent.kubeletStops();
        agent.kubeletStarts();
        agent.reconcileEverything(Duration.ofSeconds(1));
        assertThat(agent.writes()).isEmpty();
    }

    @Test
    void waitsTenSecondsWhereNoPodRuns() throws IOException {
        agent.reconcile();
        agent.kubeletStops();
        agent.reconcile();
        agent.kubeletStarts();
        agent.reconcile(Duration.ofSeconds(9));
        assertThat(agent.reconcile(Duration.ofSeconds(9)).notBefore()).isPresent();
        assertThat(kubelet()).hasValue("restarting");
        agent.reconcile(Duration.ofSeconds(1));
        assertThat(kubelet()).isEmpty();
    }

    @Test
    void anAgentThatRestartsMarksAndUnmarksWhatAnEarlierOnePublished() throws IOException {
        runAll();
        agent.kubeletStops();
        agent.agentRestarts();
        agent.reconcile();
        assertThat(kubelet()).hasValue("restarting");
        assertThat(agent.available(0, "cpu")).isEqualTo(5000);
        agent.kubelet.lists(ONE, TWO);
        agent.kubeletStarts();
        agent.agentRestarts();
        agent.reconcile();
        assertThat(kubelet()).hasValue("restarting");
        agent.kubelet.lists(ONE, TWO, WIDE);
        agent.reconcile();
        assertThat(kubelet()).isEmpty();
    }

    /** The kubelet cannot learn of its pods then. */
    @Test
    void takesNoPodForGoneWhileTheApiServerIsAway() throws IOException {
        runAll();
        agent.watchesPods();
        agent.losesApiServer("one");
        agent.kubeletStops();
        agent.kubelet.lists();
        agent.kubeletStarts();
        agent.reconcileWatching(Duration.ofSeconds(1));
        agent.reconcileWatching(Duration.ofMinutes(5));
        assertThat(agent.reconcileWatching(Duration.ofMinutes(5)).settled()).isFalse();
        assertThat(kubelet()).hasValue("restarting");
        assertThat(agent.available(0, "cpu")).isEqualTo(5000);
        assertThat(agent.annotations("one")).containsKey(Annotations.OBSERVED);
    }

    @Test
    void marksNothingWhereNothingIsPublished() throws IOException {
        agent.kubeletStops();
        agent.reconcile();
        assertThat(agent.writes()).isEmpty();
    }

    private Optional<String> kubelet() throws IOException {
        return Optional.ofNullable(agent.topology().attributes().get("kubelet"));
    }

    @Test
    void showsNothingFreeThatIsHeldThoughTheKubeletDoesNotListIt() throws IOException {
        runAll();
        agent.kubelet.lists();
        agent.kubelet.canAllocate(WITHOUT_DEVICES);
        agent.kubeletStops();
        agent.kubeletStarts();
        agent.reconcileEverything(Duration.ofSeconds(1));
        assertThat(agent.available(0, "cpu")).isEqualTo(5000);
        assertThat(agent.available(1, "cpu")).isEqualTo(4000);
        assertThat(agent.available(0, "memory") + agent.available(1, "memory")).isEqualTo(8 * GIB);
        assertThat(agent.available(0, "nvidia.com/gpu")).isEqualTo(1);
        assertThat(agent.annotations("one")).containsKey(Annotations.OBSERVED);
    }

    @Test
    void believesTheKubeletAfterAMinute() throws IOException {
        runAll();
        agent.kubeletStops();
        agent.kubelet.lists(ONE, WIDE);
        agent.kubelet.canAllocate(WITHOUT_DEVICES);
        agent.kubeletStarts();
        agent.reconcileEverything(Duration.ofSeconds(1));
        agent.reconcileEverything(Duration.ofSeconds(61));
        assertThat(agent.annotations("two")).doesNotContainKey(Annotations.OBSERVED);
        assertThat(agent.available(1, "cpu")).isEqualTo(8000);
        assertThat(agent.topology().numaZones().get(1).resources()).doesNotContainKey("nvidia.com/gpu");
    }

    @Test
    void publishesAnUnhealthyDeviceAtOnceWhenNothingRestarted() throws IOException {
        runAll();
        agent.kubelet.canAllocate(new AllocatableResources(
                ALLOCATABLE.cpus(), ALLOCATABLE.memory(), List.of(gpu("0", 0), gpu("2", 1), gpu("3", 1))));
        agent.reconcileEverything(Duration.ofSeconds(5));
        assertThat(agent.available(0, "nvidia.com/gpu")).isZero();
    }

    private void runAll() throws IOException {
        for (String name : List.of("one", "two", "wide")) {
            agent.run(name);
        }
        agent.kubelet.lists(ONE, TWO, WIDE);
        assertThat(agent.reconcile().errors()).isEmpty();
        assertThat(agent.available(0, "memory") + agent.available(1, "memory")).isEqualTo(8 * GIB);
        agent.writes();
    }
}
