package io.numaledger.agent.run;

import io.numaledger.annotation.Annotations;
import io.numaledger.placement.AllocatableResources;
import io.numaledger.placement.ContainerAllocation;
import io.numaledger.placement.DeviceAllocation;
import io.numaledger.placement.MemoryBlock;
import io.numaledger.placement.PodAllocation;
import io.numaledger.topology.CpuSet;
import io.numaledger.topology.MachineTopology;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

import java.io.IOException;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;

import static io.numaledger.agent.run.AgentOnServer.ALLOCATABLE;
import static io.numaledger.agent.run.AgentOnServer.gpu;
import static io.numaledger.agent.run.AgentOnServer.holder;
import static org.assertj.core.api.Assertions.assertThat;

/** Faults of other exporters. The comment of each test names the exporter. */
class FaultSuiteTest {

    private static final MachineTopology NOTHING = new MachineTopology(CpuSet.EMPTY, List.of(), List.of());

    @TempDir
    private Path directory;

    private AgentOnServer agent;

    @BeforeEach
    void publishOnePod() throws IOException {
        agent = new AgentOnServer(directory, false);
        agent.run("p");
        agent.kubelet.lists(holder("p", "1-2", 1));
        assertThat(agent.reconcile().errors()).isEmpty();
        agent.writes();
    }

    @AfterEach
    void close() throws IOException {
        agent.close();
    }

    /** nfd-topology-updater reads the allocatable resources once, and never learns of later device plugins. */
    @Test
    void publishesDevicesOfAPluginThatCameLater() throws IOException {
        agent.kubelet.canAllocate(withDevices(new DeviceAllocation("example.com/fpga", "f0", List.of(1))));
        agent.reconcileEverything(Duration.ofSeconds(10));
        assertThat(agent.available(1, "example.com/fpga")).isEqualTo(1);
    }

    /** resource-topology-exporter panics if a device has a NUMA node that the machine does not have. */
    @Test
    void publishesTheRestBesideADeviceOfAnImpossibleNumaNode() throws IOException {
        agent.kubelet.canAllocate(withDevices(new DeviceAllocation("example.com/fpga", "f0", List.of(-1))));
        agent.run("odd");
        agent.kubelet.lists(
                holder("p", "1-2", 1),
                holder("odd", "3", 0, new DeviceAllocation("example.com/fpga", "f0", List.of(-1))));
        assertThat(agent.reconcileEverything(Duration.ofSeconds(10)).errors()).isEmpty();
        assertThat(agent.available(0, "cpu")).isEqualTo(4000);
        assertThat(agent.annotations("odd"))
                .containsEntry(Annotations.OBSERVED, "[{\"zone\":\"node-0\",\"amount\":{\"cpu\":\"1\"}}]");
    }

    /** nfd-topology-updater aborts the scan if the API server does not know one of the pods. */
    @Test
    void chargesAPodThatTheApiServerDoesNotShow() throws IOException {
        agent.kubelet.lists(holder("p", "1-2", 1), holder("static", "8-9", 0));
        assertThat(agent.reconcile().errors()).isEmpty();
        assertThat(agent.available(1, "cpu")).isEqualTo(6000);
    }

    @Test
    void publishesTheRestBesidePodsWithImpossibleAmountsOfMemory() throws IOException {
        agent.run("a");
        agent.run("b");
        agent.kubelet.lists(
                holder("p", "1-2", 1), withMemory("a", Long.MAX_VALUE, 1), withMemory("b", Long.MAX_VALUE, 0, 1));
        assertThat(agent.reconcile().errors()).isEmpty();
        assertThat(agent.available(0, "memory")).isZero();
        assertThat(agent.available(1, "memory")).isZero();
        assertThat(agent.available(0, "cpu")).isEqualTo(5000);
        assertThat(agent.annotations("a"))
                .containsEntry(
                        Annotations.OBSERVED,
                        "[{\"zone\":\"node-1\",\"amount\":{\"memory\":\"9223372036854775807\"}}]");
    }

    private static PodAllocation withMemory(String name, long bytes, Integer... numaNodes) {
        List<MemoryBlock> memory = List.of(new MemoryBlock("memory", bytes, List.of(numaNodes)));
        return new PodAllocation(
                "default", name, List.of(new ContainerAllocation("c", CpuSet.EMPTY, memory, List.of())));
    }

    @Test
    void reportsAnUnexpectedExceptionOnceAndGoesOn() throws IOException {
        try (CapturedLog log = new CapturedLog()) {
            agent.machineFails(new IllegalStateException("sysfs is odd"));
            assertThat(agent.reconcile(Duration.ofMinutes(5)).errors())
                    .singleElement()
                    .asString()
                    .startsWith("internal error, please report it: java.lang.IllegalStateException: sysfs is odd at ");
            agent.reconcile();
            assertThat(log.events()).singleElement().asString().contains("event=reconciliation.failed");
        }
        agent.machineIs(AgentOnServer.MACHINE);
        assertThat(agent.reconcile().errors()).isEmpty();
    }

    @Test
    void anErrorIsAFailureLikeTheOthers() throws IOException {
        agent.machineFails(new StackOverflowError());
        assertThat(agent.reconcile(Duration.ofMinutes(5)).errors())
                .singleElement()
                .asString()
                .startsWith("internal error, please report it: java.lang.StackOverflowError at ");
        agent.machineIs(AgentOnServer.MACHINE);
        assertThat(agent.reconcile().errors()).isEmpty();
    }

    /** KAI's exporter caches by name: a pod that is created again has no record for up to a minute. */
    @Test
    void recordsAPodThatCameBackUnderItsNameAtTheNextPass() throws IOException {
        agent.delete(AgentOnServer.pod("p") + "?gracePeriodSeconds=0");
        agent.run("p");
        agent.reconcile();
        assertThat(agent.annotations("p")).containsKeys(Annotations.OBSERVED, Annotations.PLACEMENT);
    }

    /** KAI's exporter never removes a record. */
    @Test
    void removesAForgedRecordFromAPodThatHoldsNothing() throws IOException {
        agent.run("plain");
        agent.kubelet.lists(holder("p", "1-2", 1), holder("plain", "", 0));
        agent.annotate("plain", Annotations.OBSERVED, "[{\"zone\":\"node-0\",\"amount\":{\"cpu\":\"7\"}}]");
        agent.reconcile();
        assertThat(agent.annotations("plain")).isEmpty();
        assertThat(agent.available(0, "cpu")).isEqualTo(5000);
    }

    /** nfd-topology-updater keeps unhealthy devices and can publish a negative available amount. */
    @Test
    void showsAHeldUnhealthyDeviceAsNoLongerAllocatable() throws IOException {
        agent.kubelet.lists(holder("p", "1-2", 1, gpu("0", 0), gpu("1", 0)));
        agent.kubelet.canAllocate(
                new AllocatableResources(CpuSet.range(1, 15), ALLOCATABLE.memory(), List.of(gpu("1", 0))));
        agent.reconcileEverything(Duration.ofSeconds(10));
        var gpus = agent.topology().numaZones().get(0).resources().get("nvidia.com/gpu");
        assertThat(gpus.allocatable()).isEqualTo(1);
        assertThat(gpus.available()).isZero();
    }

    /** All three write or list at each interval; resource-topology-exporter and nfd-topology-updater in random order. */
    @Test
    void writesNothingInAnHourWithoutAChange() throws IOException {
        for (int minute = 0; minute < 60; minute++) {
            agent.reconcileEverything(Duration.ofMinutes(1));
        }
        assertThat(agent.writes()).isEmpty();
    }

    /** KAI's exporter and resource-topology-exporter read the CPUs once. KAI's exporter ends if sysfs is empty. */
    @Test
    void outlivesAnEmptySysfsAndSeesCpusThatCameLater() throws IOException {
        agent.machineIs(NOTHING);
        assertThat(agent.reconcile(Duration.ofMinutes(5)).errors()).isEmpty();
        assertThat(agent.topology().zones()).isEmpty();
        agent.machineIs(AgentOnServer.MACHINE);
        agent.reconcileEverything(Duration.ofSeconds(10));
        assertThat(agent.available(0, "cpu")).isEqualTo(5000);
    }

    @Test
    void readsTheMachineAnewWhenTheKubeletWasRestarted() throws IOException {
        agent.machineIs(NOTHING);
        agent.reconcile();
        assertThat(agent.topology().zones()).isNotEmpty();

        agent.kubeletStops();
        assertThat(agent.reconcile().errors()).isNotEmpty();
        agent.kubeletStarts();
        agent.reconcile(Duration.ofSeconds(10));

        assertThat(agent.topology().zones()).isEmpty();
    }

    /** KAI's exporter logs a line each second. */
    @Test
    void logsNothingWhileNothingChanges() throws IOException {
        try (CapturedLog log = new CapturedLog()) {
            for (int minute = 0; minute < 60; minute++) {
                agent.reconcileEverything(Duration.ofMinutes(1));
            }
            assertThat(log.events()).isEmpty();
        }
    }

    /** resource-topology-exporter drops events above its rate limit. nfd-topology-updater writes several times per pod. */
    @Test
    void losesNothingOfABurstAndWritesFewTimes() throws IOException {
        for (int pods = 1; pods <= 30; pods++) {
            agent.kubelet.lists(holder("p", "1-2", 1), holder("burst", "8-" + (8 + pods % 8), 0));
            agent.reconcile(Duration.ofMillis(33));
        }
        agent.kubelet.lists(holder("p", "1-2", 1), holder("burst", "8-9", 0));
        NodeAgent.Reconciliation last = agent.reconcile(Duration.ofMillis(33));
        assertThat(agent.writes()).hasSizeBetween(1, 4);
        assertThat(last.notBefore()).isPresent();
        agent.reconcileAt(last.notBefore().get());
        assertThat(agent.available(1, "cpu")).isEqualTo(6000);
    }

    /** resource-topology-exporter counts creations and updates, but not its patches. */
    @Test
    void countsItsPatchesAsWrites() throws IOException {
        long topologies = agent.metric("api_writes_total{kind=\"nrt\",result=\"ok\"}");
        long pods = agent.metric("api_writes_total{kind=\"pod\",result=\"ok\"}");
        agent.kubelet.lists(holder("p", "1-3", 1));
        agent.reconcile();
        assertThat(agent.metric("api_writes_total{kind=\"nrt\",result=\"ok\"}")).isEqualTo(topologies + 1);
        assertThat(agent.metric("api_writes_total{kind=\"pod\",result=\"ok\"}")).isEqualTo(pods + 1);
    }

    private static AllocatableResources withDevices(DeviceAllocation... more) {
        List<DeviceAllocation> devices = new ArrayList<>(ALLOCATABLE.devices());
        devices.addAll(List.of(more));
        return new AllocatableResources(ALLOCATABLE.cpus(), ALLOCATABLE.memory(), devices);
    }
}
