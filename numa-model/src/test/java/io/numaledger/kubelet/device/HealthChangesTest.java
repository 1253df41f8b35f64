package io.numaledger.kubelet.device;

import io.numaledger.fastpath.CompiledPod;
import io.numaledger.fastpath.FastPathEvaluator;
import io.numaledger.fastpath.FastPathModel;
import io.numaledger.fastpath.ResourceIndex;
import io.numaledger.fastpath.Verdict;
import io.numaledger.fastpath.ZoneTable;
import io.numaledger.kubelet.Admission;
import io.numaledger.kubelet.Decision;
import io.numaledger.kubelet.KubeletModel;
import io.numaledger.kubelet.Machine;
import io.numaledger.kubelet.NodeState;
import io.numaledger.kubelet.TwoNodeMachine;
import io.numaledger.kubelet.config.CpuManagerConfig;
import io.numaledger.kubelet.config.KubeletConfig;
import io.numaledger.kubelet.config.KubeletVersion;
import io.numaledger.kubelet.config.MemoryManagerConfig;
import io.numaledger.kubelet.config.TopologyManagerConfig;
import io.numaledger.kubelet.config.TopologyPolicyName;
import io.numaledger.kubelet.config.TopologyScope;
import io.numaledger.pod.PodRequest;
import io.numaledger.topology.AffinityMask;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.MethodSource;

import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.Set;
import java.util.SortedMap;
import java.util.SortedSet;
import java.util.TreeMap;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import java.util.stream.LongStream;

import static org.assertj.core.api.Assertions.assertThat;

/** Devices that fail, vanish and come back while pods hold them, on two NUMA nodes. */
class HealthChangesTest {

    private static final String GPU = "example.com/gpu";
    private static final List<TopologyPolicyName> POLICIES = List.of(TopologyPolicyName.values());

    private static KubeletModel model(TopologyPolicyName policy, List<Device> devices) {
        return model(37, policy, devices);
    }

    private static KubeletModel model(int minor, TopologyPolicyName policy, List<Device> devices) {
        return KubeletModel.start(
                new Machine(TwoNodeMachine.TOPOLOGY, new TreeMap<>(Map.of(GPU, devices))),
                new KubeletConfig(
                        new KubeletVersion(minor),
                        TopologyManagerConfig.of(policy, TopologyScope.POD),
                        CpuManagerConfig.OFF,
                        MemoryManagerConfig.OFF));
    }

    private static PodRequest pod(String name, long gpus) {
        return TwoNodeMachine.pod(name, Map.of(GPU, gpus));
    }

    private static Device device(int id, int numaNode, boolean healthy) {
        return new Device("gpu-" + id, AffinityMask.of(numaNode), healthy);
    }

    private static NodeState holdingTheFirst(KubeletModel model) {
        Decision decision = model.admit(model.empty(), pod("a", 1));
        assertThat(decision.state().devices().held(GPU)).containsExactly("gpu-0");
        return decision.state();
    }

    private static boolean admits(KubeletModel model, NodeState state, long gpus) {
        return model.admit(state, pod("b", gpus)).admission().isAdmitted();
    }

    @Test
    void givesTheHealthyDeviceBesideAHeldOneThatFailed() {
        NodeState state = holdingTheFirst(
                model(TopologyPolicyName.SINGLE_NUMA_NODE, List.of(device(0, 0, true), device(1, 0, true))));

        KubeletModel failed =
                model(TopologyPolicyName.SINGLE_NUMA_NODE, List.of(device(0, 0, false), device(1, 0, true)));

        assertThat(admits(failed, state, 1)).isTrue();
        assertThat(admits(failed, state, 2)).isFalse();
        assertThat(admits(failed, failed.ended(state, "a"), 2)).isFalse();
    }

    /** The refusal names who holds devices, and one of those is not listed any more. */
    @Test
    void givesTheHealthyDeviceBesideAHeldOneThatVanished() {
        NodeState state = holdingTheFirst(
                model(TopologyPolicyName.SINGLE_NUMA_NODE, List.of(device(0, 0, true), device(1, 0, true))));

        KubeletModel vanished = model(TopologyPolicyName.SINGLE_NUMA_NODE, List.of(device(1, 0, true)));

        assertThat(admits(vanished, state, 1)).isTrue();
        assertThat(vanished.admit(state, pod("b", 2)).admission()).isInstanceOf(Admission.Refused.class);
        assertThat(vanished.devices().orElseThrow().allocations(state.devices(), "a", "c"))
                .singleElement()
                .satisfies(device -> assertThat(device.numaNodes()).isEmpty());
    }

    /** A failed device that is still listed counts for the width of a request; one that is not listed does not. */
    @Test
    void countsAFailedDeviceForTheWidthAndAVanishedOneNot() {
        List<Device> listed = List.of(device(0, 0, false), device(1, 0, true), device(2, 1, false), device(3, 1, true));
        List<Device> vanished = List.of(device(1, 0, true), device(3, 1, true));

        KubeletModel withFailed = model(TopologyPolicyName.RESTRICTED, listed);
        KubeletModel without = model(TopologyPolicyName.RESTRICTED, vanished);

        assertThat(admits(withFailed, withFailed.empty(), 2)).isFalse();
        assertThat(admits(without, without.empty(), 2)).isTrue();
    }

    /** As after a restart of the kubelet, which decides again on what its pods hold (devicesToAllocate). */
    @Test
    void refusesAPodWhoseOwnDeviceFailed() {
        NodeState state =
                holdingTheFirst(model(TopologyPolicyName.NONE, List.of(device(0, 0, true), device(1, 0, true))));

        Decision again = model(TopologyPolicyName.NONE, List.of(device(0, 0, false), device(1, 0, true)))
                .admit(state, pod("a", 1));

        assertThat(((Admission.Refused) again.admission()).refusal().message())
                .hasValue(
                        "Allocate failed due to previously allocated devices are no longer healthy; cannot allocate unhealthy devices example.com/gpu, which is unexpected");
    }

    /** Whatever has become of its device or its plugin (devicesToAllocate). */
    @Test
    void keepsAPodThatRunsWhileItsKubeletStartsAgain() {
        NodeState state =
                holdingTheFirst(model(TopologyPolicyName.NONE, List.of(device(0, 0, true), device(1, 0, true))));

        KubeletModel failed = model(TopologyPolicyName.NONE, List.of(device(0, 0, false), device(1, 0, true)));
        KubeletModel late = model(TopologyPolicyName.NONE, List.of());

        assertThat(failed.readmit(state, pod("a", 1)).state()).isEqualTo(state);
        assertThat(late.readmit(state, pod("a", 1)).state()).isEqualTo(state);
        assertThat(late.readmit(state, pod("a", 2)).admission().isAdmitted()).isFalse();
    }

    @ParameterizedTest(name = "1.{0}")
    @CsvSource({"33, false", "34, true", "38, true"})
    void panicsOverAHeldDeviceThatIsNotListedAmongOthers(int minor, boolean panics) {
        NodeState state =
                holdingTheFirst(model(TopologyPolicyName.BEST_EFFORT, List.of(device(0, 0, true), device(1, 0, true))));

        KubeletModel vanished = model(minor, TopologyPolicyName.BEST_EFFORT, List.of(device(1, 0, true)));

        assertThat(vanished.readmit(state, pod("a", 1)).admission())
                .isInstanceOf(panics ? Admission.KubeletFailure.class : Admission.Admitted.class);
    }

    static LongStream seeds() {
        return LongStream.range(0, 300);
    }

    @ParameterizedTest
    @MethodSource("seeds")
    void agreesWithSetsOfIds(long seed) {
        new Twin(new Random(seed)).run();
    }

    /** What the kubelet decides, from the definition: free is what is healthy less what is allocated, by id. */
    private static final class Twin {

        private final Random random;
        private final TopologyPolicyName policy;
        private final SortedMap<String, Device> listed = new TreeMap<>();
        private final SortedMap<String, SortedSet<String>> held = new TreeMap<>();
        private final List<Device> all = new ArrayList<>();
        private KubeletModel model;
        private NodeState state;

        Twin(Random random) {
            this.random = random;
            this.policy = POLICIES.get(random.nextInt(POLICIES.size()));
            IntStream.range(0, 2 + random.nextInt(7)).forEach(i -> all.add(device(i, random.nextInt(2), true)));
            all.forEach(device -> listed.put(device.id(), device));
            this.model = model(policy, List.copyOf(listed.values()));
            this.state = model.empty();
        }

        void run() {
            for (int step = 0; step < 40; step++) {
                switch (random.nextInt(4)) {
                    case 0 -> change(all.get(random.nextInt(all.size())));
                    case 1 -> end();
                    default -> admit("pod-" + step, 1 + random.nextInt(4));
                }
                assertThat(model.removeStaleState(state).devices().held(GPU)).isEqualTo(heldIds());
            }
        }

        private void change(Device device) {
            switch (random.nextInt(3)) {
                case 0 -> listed.remove(device.id());
                case 1 -> listed.put(device.id(), new Device(device.id(), device.numaNodes(), false));
                default -> listed.put(device.id(), device);
            }
            model = model(policy, List.copyOf(listed.values()));
        }

        private void end() {
            if (!held.isEmpty()) {
                String pod = List.copyOf(held.keySet()).get(random.nextInt(held.size()));
                held.remove(pod);
                state = model.ended(state, pod);
            }
        }

        private void admit(String name, int count) {
            Decision decision = model.admit(state, pod(name, count));
            assertThat(decision.admission().isAdmitted())
                    .as("%s: %d of %s, free %s", policy, count, listed.values(), free())
                    .isEqualTo(admits(count));
            assertFastPathAgrees(name, count, decision.admission().isAdmitted());
            state = decision.state();
            if (decision.admission().isAdmitted()) {
                SortedSet<String> ids = state.devices().heldByPod(name, GPU);
                assertThat(free()).containsAll(ids);
                assertThat(ids).hasSize(count);
                held.put(name, ids);
            }
        }

        private void assertFastPathAgrees(String name, int count, boolean admitted) {
            ResourceIndex index = new ResourceIndex();
            ZoneTable table = ZoneTable.of(model);
            NodeState now = model.removeStaleState(state);
            FastPathModel.of(model, table, index)
                    .flatMap(fast -> fast.counts(now, table.free(now))
                            .map(counts -> fast.evaluate(
                                    new FastPathEvaluator(), counts, CompiledPod.of(pod(name, count), index))))
                    .filter(verdict -> verdict != Verdict.UNDECIDED)
                    .ifPresent(verdict -> assertThat(!verdict.isRefused()).isEqualTo(admitted));
        }

        private Set<String> heldIds() {
            return held.values().stream().flatMap(Set::stream).collect(Collectors.toSet());
        }

        private List<String> free() {
            return listed.values().stream()
                    .filter(Device::healthy)
                    .map(Device::id)
                    .filter(id -> !heldIds().contains(id))
                    .toList();
        }

        private long free(int numaNode) {
            return free().stream()
                    .filter(id -> listed.get(id).numaNodes().contains(numaNode))
                    .count();
        }

        private boolean admits(int count) {
            boolean oneNode = Math.max(free(0), free(1)) >= count;
            return switch (policy) {
                case NONE, BEST_EFFORT -> free().size() >= count;
                case SINGLE_NUMA_NODE -> oneNode;
                case RESTRICTED -> isNarrow(count) ? oneNode : free().size() >= count;
            };
        }

        /** One NUMA node would be enough if the machine were empty and healthy. */
        private boolean isNarrow(int count) {
            return IntStream.range(0, 2)
                    .anyMatch(node -> listed.values().stream()
                                    .filter(device -> device.numaNodes().contains(node))
                                    .count()
                            >= count);
        }
    }
}
