package io.numaledger.agent.kubelet;

import io.numaledger.agent.AgentMain;
import io.numaledger.agent.api.RequestBudget;
import io.numaledger.placement.AllocatableResources;
import io.numaledger.placement.PodAllocation;
import io.numaledger.placement.PodResourcesSnapshot;
import io.numaledger.podresources.PodResources;
import io.numaledger.podresources.PodResourcesException;
import io.numaledger.topology.CpuSet;
import org.junit.jupiter.api.Test;

import java.time.Duration;
import java.util.List;

import static org.assertj.core.api.Assertions.assertThat;

class BudgetedPodResourcesTest {

    @Test
    void allCallsTogetherKeepToTheBudget() throws PodResourcesException {
        BudgetedPodResources kubelet =
                new BudgetedPodResources(new Empty(), new RequestBudget(20, 2, System::nanoTime));
        long begin = System.nanoTime();
        kubelet.list();
        kubelet.allocatable();
        kubelet.get("a", "b");
        kubelet.list();
        assertThat(Duration.ofNanos(System.nanoTime() - begin)).isGreaterThanOrEqualTo(Duration.ofMillis(95));
    }

    @Test
    void aBudgetThatLetsNothingThroughIsAWrongFlag() {
        assertThat(AgentMain.execute("run", "--node-name=n", "--kubelet-qps=0")).isEqualTo(2);
        assertThat(AgentMain.execute("run", "--node-name=n", "--kubelet-burst=0"))
                .isEqualTo(2);
        assertThat(AgentMain.execute("run", "--node-name=n", "--qps=0")).isEqualTo(2);
    }

    private static final class Empty implements PodResources {
        @Override
        public PodResourcesSnapshot list() {
            return new PodResourcesSnapshot(List.of());
        }

        @Override
        public AllocatableResources allocatable() {
            return new AllocatableResources(CpuSet.EMPTY, List.of(), List.of());
        }

        @Override
        public PodAllocation get(String namespace, String name) {
            return new PodAllocation(namespace, name, List.of());
        }
    }
}
