package io.numaledger.agent.run;

import io.numaledger.nrt.NodeTopology.ZoneResource;
import io.numaledger.placement.AllocatableResources;
import io.numaledger.placement.ContainerAllocation;
import io.numaledger.placement.DeviceAllocation;
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

import static org.assertj.core.api.Assertions.assertThat;

/** Devices that fail while pods hold them, and devices on NUMA nodes that the machine does not have. */
class DeviceHealthTest {

    private static final String GPU = "nvidia.com/gpu";

    @TempDir
    private Path directory;

    private AgentOnServer agent;

    @BeforeEach
    void start() throws IOException {
        agent = new AgentOnServer(directory, false);
    }

    @AfterEach
    void close() throws IOException {
        agent.close();
    }

    private static DeviceAllocation gpu(String id, int numaNode) {
        return new DeviceAllocation(GPU, id, List.of(numaNode));
    }

    private void kubeletHas(DeviceAllocation... healthy) throws IOException {
        AllocatableResources all = AgentOnServer.ALLOCATABLE;
        agent.kubelet.canAllocate(new AllocatableResources(all.cpus(), all.memory(), List.of(healthy)));
        assertThat(agent.reconcileEverything(Duration.ofSeconds(30)).errors()).isEmpty();
    }

    private ZoneResource gpusOfNode0() throws IOException {
        return agent.topology().numaZones().get(0).resources().get(GPU);
    }

    @Test
    void publishesWhichHeldDeviceIsUnhealthyUntilItsHolderEnds() throws IOException {
        agent.run("a");
        agent.kubelet.lists(new PodAllocation(
                "default", "a", List.of(new ContainerAllocation("c", CpuSet.EMPTY, List.of(), List.of(gpu("0", 0))))));
        kubeletHas(gpu("0", 0), gpu("1", 0));
        assertThat(gpusOfNode0()).isEqualTo(new ZoneResource(2, 2, 1));
        assertThat(agent.topology().attributes()).doesNotContainKey("unhealthyDevices");

        kubeletHas(gpu("1", 0));

        assertThat(gpusOfNode0()).isEqualTo(new ZoneResource(2, 1, 1));
        assertThat(agent.topology().attributes()).containsEntry("unhealthyDevices", "{\"nvidia.com/gpu\":[\"0\"]}");

        agent.kubelet.lists();
        agent.status("a", "Succeeded");
        agent.reconcile();

        assertThat(gpusOfNode0()).isEqualTo(new ZoneResource(1, 1, 1));
        assertThat(agent.topology().attributes()).doesNotContainKey("unhealthyDevices");
    }

    @Test
    void publishesAndLogsOnceThatAPluginReportsNumaNodesThatTheMachineLacks() throws IOException {
        try (CapturedLog log = new CapturedLog()) {
            kubeletHas(gpu("0", 9), gpu("1", -1), gpu("2", 1));
            kubeletHas(gpu("0", 9), gpu("1", -1), gpu("2", 1));

            assertThat(agent.topology().attributes()).containsEntry("devicesBeyondOneZone", "nvidia.com/gpu@!=2/2");
            assertThat(log.events().stream().filter(line -> line.startsWith("event=input.ignored source=kubelet")))
                    .singleElement()
                    .satisfies(
                            line -> assertThat(line).contains("resource=nvidia.com/gpu numaNodes=[-1, 9] devices=2"));
        }
    }
}
