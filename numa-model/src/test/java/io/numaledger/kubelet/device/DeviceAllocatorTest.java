package io.numaledger.kubelet.device;

import io.numaledger.kubelet.TwoNodeMachine;
import io.numaledger.kubelet.admission.Refusal;
import io.numaledger.kubelet.admission.StepResult;
import io.numaledger.kubelet.hint.TopologyHint;
import io.numaledger.pod.PodRequest;
import io.numaledger.topology.AffinityMask;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.TreeSet;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

/** Two GPUs on each of two NUMA nodes, an unhealthy one on NUMA node 1, and two licences without topology. */
class DeviceAllocatorTest {

    private static final String GPU = "nvidia.com/gpu";
    private static final String LICENCE = "example.com/licence";

    private final DeviceAllocator allocator = new DeviceAllocator(
            TwoNodeMachine.RULES,
            new TreeMap<>(Map.of(
                    GPU,
                    List.of(
                            new Device("gpu-0", AffinityMask.of(0), true),
                            new Device("gpu-1", AffinityMask.of(0), true),
                            new Device("gpu-2", AffinityMask.of(1), true),
                            new Device("gpu-3", AffinityMask.of(1), true),
                            new Device("gpu-4", AffinityMask.of(1), false)),
                    LICENCE,
                    List.of(new Device("l-0", AffinityMask.NONE, true), new Device("l-1", AffinityMask.NONE, true)))),
            new TreeMap<>(),
            TwoNodeMachine.NUMA_NODES);

    private static PodRequest pod(String resource, long count) {
        return TwoNodeMachine.pod("a", Map.of(resource, count));
    }

    private DeviceState holding(String... ids) {
        return allocator.hold(DeviceState.EMPTY, "x", "c", GPU, new TreeSet<>(List.of(ids)));
    }

    private String hints(DeviceState state, PodRequest pod, String resource) {
        return allocator
                .hints(state, pod, pod.containers().get(0))
                .byResource()
                .get(resource)
                .map(TwoNodeMachine::text)
                .orElse("no preference");
    }

    private StepResult<DeviceState> allocate(DeviceState state, PodRequest pod, TopologyHint hint) {
        return allocator.allocate(state, pod, pod.containers().get(0), hint, DeviceDraws.lowest());
    }

    /** With its unhealthy GPU, NUMA node 1 has three: the kubelet counts it for the width that it prefers. */
    @ParameterizedTest(name = "{0} GPUs, held: {1}")
    @CsvSource(delimiter = '|', textBlock = """
            1 |             | {0} preferred, {1} preferred, {0,1}
            3 |             | {0,1}
            4 |             | {0,1} preferred
            1 | gpu-0 gpu-1 | {1} preferred, {0,1}
            2 | gpu-0 gpu-2 | {0,1}
            3 | gpu-0 gpu-1 | ''
            """)
    void offersTheNumaNodesWithEnoughFreeDevices(long count, String held, String expected) {
        DeviceState state = held == null ? DeviceState.EMPTY : holding(held.split(" "));

        assertThat(hints(state, pod(GPU, count), GPU)).isEqualTo(expected);
    }

    @Test
    void hasNoPreferenceForDevicesWithoutTopology() {
        assertThat(hints(DeviceState.EMPTY, pod(LICENCE, 2), LICENCE)).isEqualTo("no preference");
    }

    @Test
    void takesDevicesOfTheHintFirst() {
        DeviceState after = allocate(DeviceState.EMPTY, pod(GPU, 2), TopologyHint.of(AffinityMask.of(1), true))
                .state();

        assertThat(after.heldBy("a", "c").get(GPU)).containsExactly("gpu-2", "gpu-3");
    }

    @Test
    void failsWhenTooFewHealthyDevicesAreFree() {
        Refusal refusal = allocate(holding("gpu-0", "gpu-1"), pod(GPU, 3), TopologyHint.ANY)
                .refused()
                .orElseThrow();

        assertThat(refusal.reason()).isEqualTo(Refusal.Reason.UNEXPECTED_ADMISSION);
        assertThat(refusal.resources()).hasSize(1);
        assertThat(refusal.resources().get(0).need()).isEqualTo(3);
        assertThat(refusal.resources().get(0).free())
                .as("without the unhealthy one")
                .isEqualTo(2);
        assertThat(refusal.resources().get(0).holders()).containsExactly("x");
    }

    @Test
    void rejectsDevicesThatDoNotExistOrAreHeldTwice() {
        assertThatThrownBy(() -> holding("gpu-9"))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessageStartingWith(
                        "a container holds a device that this machine does not have: pod=x container=c");
        DeviceState state = holding("gpu-0");
        assertThatThrownBy(() -> allocator.hold(state, "y", "c", GPU, new TreeSet<>(List.of("gpu-0"))))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessageStartingWith("a container holds a device that another holds: pod=y container=c");
    }
}
