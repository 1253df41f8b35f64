package io.numaledger.agent.run;

import io.numaledger.placement.AllocatableResources;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

import java.io.IOException;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;

import static io.numaledger.agent.run.AgentOnServer.ALLOCATABLE;
import static io.numaledger.agent.run.AgentOnServer.gpu;
import static io.numaledger.agent.run.AgentOnServer.holder;
import static org.assertj.core.api.Assertions.assertThat;

/** The metrics of zones are what is published. */
class ZoneMetricsTest {

    @TempDir
    private Path directory;

    @Test
    void areThePublishedAmountsInBaseUnits() throws IOException {
        try (AgentOnServer agent = new AgentOnServer(directory, false)) {
            assertThat(agent.zoneMetrics()).isEmpty();

            agent.run("one");
            agent.kubelet.lists(holder("one", "1-2", 1, gpu("0", 0)));
            agent.reconcile();

            assertThat(agent.zoneMetrics())
                    .containsExactlyInAnyOrder(
                            "allocatable{resource=\"cpu\",zone=\"node-0\"} 7.0",
                            "allocatable{resource=\"cpu\",zone=\"node-1\"} 8.0",
                            "allocatable{resource=\"memory\",zone=\"node-0\"} 1.610612736E10",
                            "allocatable{resource=\"memory\",zone=\"node-1\"} 1.7179869184E10",
                            "allocatable{resource=\"nvidia.com/gpu\",zone=\"node-0\"} 2.0",
                            "allocatable{resource=\"nvidia.com/gpu\",zone=\"node-1\"} 2.0",
                            "available{resource=\"cpu\",zone=\"node-0\"} 5.0",
                            "available{resource=\"cpu\",zone=\"node-1\"} 8.0",
                            "available{resource=\"memory\",zone=\"node-0\"} 1.5032385536E10",
                            "available{resource=\"memory\",zone=\"node-1\"} 1.7179869184E10",
                            "available{resource=\"nvidia.com/gpu\",zone=\"node-0\"} 1.0",
                            "available{resource=\"nvidia.com/gpu\",zone=\"node-1\"} 2.0");
        }
    }

    @Test
    void endWithTheResource() throws IOException {
        try (AgentOnServer agent = new AgentOnServer(directory, false)) {
            agent.reconcile();
            agent.kubelet.canAllocate(new AllocatableResources(ALLOCATABLE.cpus(), List.of(), List.of(gpu("2", 1))));
            agent.reconcileEverything(Duration.ofMinutes(3));

            assertThat(agent.zoneMetrics())
                    .containsExactlyInAnyOrder(
                            "allocatable{resource=\"cpu\",zone=\"node-0\"} 7.0",
                            "allocatable{resource=\"cpu\",zone=\"node-1\"} 8.0",
                            "allocatable{resource=\"nvidia.com/gpu\",zone=\"node-1\"} 1.0",
                            "available{resource=\"cpu\",zone=\"node-0\"} 7.0",
                            "available{resource=\"cpu\",zone=\"node-1\"} 8.0",
                            "available{resource=\"nvidia.com/gpu\",zone=\"node-1\"} 1.0");
        }
    }
}
