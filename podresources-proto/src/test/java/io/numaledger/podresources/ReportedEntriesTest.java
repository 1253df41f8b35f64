package io.numaledger.podresources;

import io.numaledger.placement.ReportedEntries;
import io.numaledger.placement.ReportedEntries.Entry;
import io.numaledger.podresources.v1.ContainerDevices;
import io.numaledger.podresources.v1.ContainerMemory;
import io.numaledger.podresources.v1.ContainerResources;
import io.numaledger.podresources.v1.NUMANode;
import io.numaledger.podresources.v1.TopologyInfo;
import org.junit.jupiter.api.Test;

import java.util.List;

import static org.assertj.core.api.Assertions.assertThat;

class ReportedEntriesTest {

    private static TopologyInfo nodes(long... ids) {
        TopologyInfo.Builder topology = TopologyInfo.newBuilder();
        for (long id : ids) {
            topology.addNodes(NUMANode.newBuilder().setID(id));
        }
        return topology.build();
    }

    private static final io.numaledger.podresources.v1.PodResources POD =
            io.numaledger.podresources.v1.PodResources.newBuilder()
                    .setNamespace("a")
                    .setName("p")
                    .addContainers(ContainerResources.newBuilder()
                            .setName("one")
                            .addAllCpuIds(List.of(1L, 1L))
                            .addDevices(ContainerDevices.newBuilder()
                                    .setResourceName("x/nic")
                                    .addDeviceIds("d")
                                    .setTopology(nodes(0, -1))))
                    .addContainers(ContainerResources.newBuilder()
                            .setName("two")
                            .addCpuIds(1L)
                            .addMemory(ContainerMemory.newBuilder().setSize(5).setTopology(nodes(1))))
                    .build();

    @Test
    void keepsRepetitionsAndImpossibleNodes() {
        assertThat(new PodResourcesReader(warning -> {}, true).pod(POD).reported())
                .contains(new ReportedEntries(
                        List.of(1L, 1L, 1L),
                        List.of(new Entry("x/nic", 1, List.of(0L, -1L))),
                        List.of(new Entry("memory", 5, List.of(1L)))));
    }

    @Test
    void keepsNothingUnlessAsked() {
        assertThat(new PodResourcesReader(warning -> {}, false).pod(POD).reported())
                .isEmpty();
    }
}
