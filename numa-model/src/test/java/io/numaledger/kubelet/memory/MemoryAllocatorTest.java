package io.numaledger.kubelet.memory;

import io.numaledger.kubelet.TwoNodeMachine;
import io.numaledger.kubelet.hint.ProviderHints;
import io.numaledger.kubelet.hint.TopologyHint;
import io.numaledger.placement.MemoryBlock;
import io.numaledger.pod.PodRequest;
import io.numaledger.topology.AffinityMask;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

import java.util.List;
import java.util.Map;
import java.util.Optional;

import static io.numaledger.kubelet.TwoNodeMachine.GIB;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

/** Allocatable are 7 GiB of NUMA node 0 and 8 GiB of NUMA node 1. */
class MemoryAllocatorTest {

    private final MemoryAllocator allocator =
            new MemoryAllocator(TwoNodeMachine.RULES, TwoNodeMachine.TOPOLOGY, TwoNodeMachine.NUMA_NODES);

    private static PodRequest pod(String name, long gib) {
        return TwoNodeMachine.pod(name, Map.of("cpu", 1L, "memory", gib * GIB));
    }

    private String hints(MemoryState state, PodRequest pod) {
        ProviderHints hints = allocator.hints(state, pod, pod.containers().get(0));
        return Optional.ofNullable(hints.byResource().get("memory"))
                .flatMap(list -> list)
                .map(TwoNodeMachine::text)
                .orElse("no preference");
    }

    private MemoryState holding(MemoryState state, String pod, long gib, Integer... numaNodes) {
        return allocator.hold(state, pod, "c", List.of(new MemoryBlock("memory", gib * GIB, List.of(numaNodes))));
    }

    private static long freeGib(MemoryState state, int numaNode) {
        return state.nodes().get(numaNode).free().get("memory") / GIB;
    }

    @ParameterizedTest(name = "{0} GiB")
    @CsvSource(delimiter = '|', textBlock = """
             2 | {0} preferred, {1} preferred, {0,1}
             8 | {1} preferred, {0,1}
            10 | {0,1} preferred
            16 | no preference
            """)
    void prefersTheNarrowestMasksOfTheEmptyMachine(long gib, String expected) {
        assertThat(hints(allocator.empty(), pod("a", gib))).isEqualTo(expected);
    }

    @Test
    void staysNotPreferredWhereTheEmptyMachineWouldNeedFewerNumaNodes() {
        MemoryState state = holding(holding(allocator.empty(), "x", 10, 0, 1), "y", 1, 0, 1);

        assertThat(hints(state, pod("a", 2)))
                .as("single NUMA nodes of a group are not offered")
                .isEqualTo("{0,1}");
    }

    @Test
    void offersNoGroupWithANumaNodeThatIsUsedAlone() {
        MemoryState state = holding(allocator.empty(), "x", 1, 0);

        assertThat(hints(state, pod("a", 10))).isEqualTo("no preference");
        assertThat(hints(state, pod("b", 2))).isEqualTo("{0} preferred, {1} preferred");
    }

    @Test
    void fillsTheLowestNumaNodeOfAGroupFirst() {
        PodRequest pod = pod("a", 10);

        MemoryState after = allocator
                .allocate(allocator.empty(), pod, pod.containers().get(0), TopologyHint.of(AffinityMask.of(0, 1), true))
                .state();

        assertThat(after.heldBy("a", "c")).containsExactly(new MemoryBlock("memory", 10 * GIB, List.of(0, 1)));
        assertThat(freeGib(after, 0)).isZero();
        assertThat(freeGib(after, 1)).isEqualTo(5);
    }

    @Test
    void allocatesNothingForAPodThatIsNotGuaranteed() {
        PodRequest pod = TwoNodeMachine.pod("a", Map.of("nvidia.com/gpu", 1L));

        assertThat(allocator
                        .allocate(allocator.empty(), pod, pod.containers().get(0), TopologyHint.ANY)
                        .state())
                .isEqualTo(allocator.empty());
    }

    @Test
    void rejectsABlockOfAnUnknownNumaNode() {
        assertThatThrownBy(() -> holding(allocator.empty(), "x", 1, 2))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessage(
                        "a container holds memory that this machine does not have: pod=x container=c type=memory numaNodes=[2]; check whether it is recorded for another node");
    }
}
