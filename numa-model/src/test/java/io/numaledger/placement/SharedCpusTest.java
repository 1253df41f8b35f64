package io.numaledger.placement;

import io.numaledger.topology.CpuSet;
import org.junit.jupiter.api.Test;

import java.util.List;

import static org.assertj.core.api.Assertions.assertThat;

class SharedCpusTest {

    @Test
    void namesACpuAndBothItsPods() {
        assertThat(SharedCpus.of(List.of(pod("b", "2-3,10"), pod("a", "0-2,8-9")), CpuSet.parse("4-5,7,12")))
                .hasToString("[cpu=2 pods=default/a,default/b]");
    }

    @Test
    void namesAReservedCpuThatAPodHolds() {
        assertThat(SharedCpus.of(List.of(pod("a", "0-1")), CpuSet.of(1)))
                .hasToString("[cpu=1 pods=default/a reserved=true]");
    }

    @Test
    void findsNothingWhereEachCpuHasOneHolder() {
        assertThat(SharedCpus.of(List.of(pod("a", "1-2"), pod("b", "3")), CpuSet.of(0)))
                .isEmpty();
    }

    private static PodAllocation pod(String name, String cpus) {
        return new PodAllocation(
                "default", name, List.of(new ContainerAllocation("main", CpuSet.parse(cpus), List.of(), List.of())));
    }
}
