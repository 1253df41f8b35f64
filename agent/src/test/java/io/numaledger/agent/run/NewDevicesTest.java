package io.numaledger.agent.run;

import io.numaledger.nrt.NodeTopology;
import io.numaledger.placement.AllocatableResources;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

import java.io.IOException;
import java.nio.file.Path;
import java.util.List;

import static io.numaledger.agent.run.AgentOnServer.ALLOCATABLE;
import static io.numaledger.agent.run.AgentOnServer.gpu;
import static io.numaledger.agent.run.AgentOnServer.holder;
import static org.assertj.core.api.Assertions.assertThat;

/** A pod holds a device of a plugin that has registered since the kubelet was asked for its devices. */
class NewDevicesTest {

    @TempDir
    private Path directory;

    @Test
    void publishesTheHealthyDevicesBesideTheOneThatIsHeld() throws IOException {
        try (AgentOnServer agent = new AgentOnServer(directory, false)) {
            agent.kubelet.canAllocate(new AllocatableResources(ALLOCATABLE.cpus(), ALLOCATABLE.memory(), List.of()));
            agent.reconcile();
            agent.kubelet.canAllocate(ALLOCATABLE);
            agent.run("one");
            agent.kubelet.lists(holder("one", "1-2", 1, gpu("0", 0)));
            agent.reconcile();
            assertThat(gpus(agent, 0)).isEqualTo(new NodeTopology.ZoneResource(2, 2, 1));
            assertThat(gpus(agent, 1)).isEqualTo(new NodeTopology.ZoneResource(2, 2, 2));
        }
    }

    private static NodeTopology.ZoneResource gpus(AgentOnServer agent, int numaNode) throws IOException {
        return agent.topology().numaZones().get(numaNode).resources().get("nvidia.com/gpu");
    }
}
