package io.numaledger.benchmarks.groups;

import io.numaledger.benchmarks.groups.GroupMix.Arrival;
import org.junit.jupiter.api.Test;

import java.util.List;

import static org.assertj.core.api.Assertions.assertThat;

class GroupMixTest {

    @Test
    void groupsHaveOneTo16PodsOfOneToFourGpus() {
        List<Arrival> arrivals = GroupMix.of(1, 200).arrivals();

        assertThat(arrivals)
                .allMatch(arrival -> !arrival.gpus().isEmpty()
                        && arrival.gpus().size() <= 16
                        && arrival.gpus().stream().allMatch(gpus -> gpus >= 1 && gpus <= 4));
        assertThat(arrivals)
                .anyMatch(arrival -> arrival.gpus().size() == 16)
                .anyMatch(arrival -> arrival.gpus().stream().distinct().count() == 2)
                .anyMatch(Arrival::inOneRack);
    }

    @Test
    void groupsWithLinksHaveTwoGpusForEachPod() {
        List<Arrival> linked =
                GroupMix.of(1, 200).arrivals().stream().filter(Arrival::linked).toList();

        assertThat(linked)
                .hasSize(40)
                .allMatch(arrival ->
                        arrival.gpus().size() <= 8 && arrival.gpus().stream().allMatch(gpus -> gpus == 2));
    }

    @Test
    void allGpusOfAZoneAreLinkedOnEverySecondNode() {
        LinkedPods pods = LinkedPods.NONE
                .with(GroupMix.gpus("n1"), List.of("gpu-0", "gpu-3"), 2)
                .with(GroupMix.gpus("n1"), List.of("gpu-3", "gpu-4"), 2)
                .with(GroupMix.gpus("n2"), List.of("gpu-6", "gpu-7"), 2)
                .with(GroupMix.gpus("n2"), List.of("gpu-5", "gpu-6"), 2)
                .with(GroupMix.gpus("n2"), List.of(), 2);

        assertThat(pods).isEqualTo(new LinkedPods(2, 3));
    }

    @Test
    void oneSeedGivesTheSameGroups() {
        assertThat(GroupMix.of(7, 50)).isEqualTo(GroupMix.of(7, 50)).isNotEqualTo(GroupMix.of(8, 50));
    }
}
