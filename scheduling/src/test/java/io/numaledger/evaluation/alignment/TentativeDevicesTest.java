package io.numaledger.evaluation.alignment;

import io.numaledger.evaluation.budget.EvaluationBudget;
import io.numaledger.evaluation.claim.Device;
import io.numaledger.evaluation.claim.NumaNodes;
import io.numaledger.evaluation.facts.NodeFacts;
import io.numaledger.evaluation.facts.PodFacts;
import io.numaledger.placement.Amounts;
import io.numaledger.placement.Placement;
import io.numaledger.scheduling.TestClaims;
import io.numaledger.scheduling.TestCluster;
import io.numaledger.scheduling.dra.ClusterClaims;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Random;
import java.util.Set;
import java.util.TreeMap;
import java.util.function.Predicate;
import java.util.stream.IntStream;
import java.util.stream.LongStream;
import java.util.stream.Stream;

import static org.assertj.core.api.Assertions.assertThat;

class TentativeDevicesTest {

    private static final EvaluationBudget AMPLE = new EvaluationBudget(1_000_000_000);
    private static final String CPUS = "cpu: 2, memory: 1Gi";

    private final ClusterClaims cluster = new TestCluster().state.claims();
    private final TestClaims claims = new TestClaims(cluster);

    private static NodeFacts node(String name) {
        return new NodeFacts(name, Optional.empty(), new TreeMap<>(), new TreeMap<>());
    }

    private TentativeDevices node(boolean isOrdered) {
        return TentativeDevices.of(cluster, node("n"), isOrdered, AMPLE);
    }

    private static Optional<TentativeDevices> with(TentativeDevices node, PodFacts pod, int numaNode) {
        Placement placement = new Placement(new TreeMap<>(Map.of(numaNode, Amounts.of(Map.of("cpu", 2L)))));
        return node.with(pod, () -> List.of(Optional.of(placement)));
    }

    private PodFacts pod(String name, String alignment) {
        claims.claim(name, 1);
        return TestClaims.pod(name, CPUS, alignment);
    }

    @Test
    void aPodTakesDevicesFromTheNextOnes() {
        claims.devices("n", 0, 1);
        TentativeDevices one = with(node(true), pod("a", "required"), 0).orElseThrow();
        assertThat(with(one, pod("b", "required"), 0)).as("vf-1 is on node-1").isEmpty();
        TentativeDevices two = with(one, pod("b", "required"), 1).orElseThrow();
        assertThat(with(two, pod("c", "none"), 0)).as("no device is left").isEmpty();
    }

    @Test
    void podsShareAClaim() {
        claims.devices("n", 0);
        claims.claim("both", 1);
        TentativeDevices one =
                with(node(true), TestClaims.pod("a", CPUS, "none", "both"), 0).orElseThrow();
        assertThat(with(one, TestClaims.pod("b", CPUS, "none", "both"), 0)).isPresent();
        assertThat(with(one, pod("c", "none"), 0)).isEmpty();
    }

    @Test
    void anAllocatedClaimTiesItsPodToANode() {
        claims.devices("n", 0);
        claims.devices("other", 0);
        claims.allocated("a", "other", 0);
        assertThat(with(node(true), TestClaims.pod("a", CPUS, "none"), 0)).isEmpty();
        assertThat(with(TentativeDevices.of(cluster, node("other"), true, AMPLE), TestClaims.pod("a", CPUS, "none"), 0))
                .isPresent();
    }

    @Test
    void aDeviceIsFreeWhenAllPodsOfItsClaimHaveEnded() {
        claims.devices("n", 0);
        claims.allocated("held", "n", 0, "x", "y");
        PodFacts x = TestClaims.pod("x", CPUS, "none", "held");
        PodFacts y = TestClaims.pod("y", CPUS, "none", "held");
        PodFacts a = pod("a", "none");
        assertThat(with(node(true), a, 0)).isEmpty();
        assertThat(with(node(true).without(List.of(x)), a, 0)).as("y uses it").isEmpty();
        assertThat(with(node(true).without(List.of(x, y)), a, 0)).isPresent();
        claims.allocated("held", "n", 0);
        assertThat(with(node(true).without(List.of(x, y)), a, 0))
                .as("nobody gives it back")
                .isEmpty();
        assertThat(with(node(true).empty(), a, 0)).isPresent();
    }

    @Test
    void claimsThatAreNotMadeYetNeedNothing() {
        assertThat(with(node(true), TestClaims.pod("a", CPUS, "none", "later"), 0))
                .isPresent();
        assertThat(with(node(true), TestClaims.pod("a", CPUS, "maybe", "later"), 0))
                .as("an invalid demand fits nowhere")
                .isEmpty();
    }

    static LongStream seeds() {
        return LongStream.range(0, 300);
    }

    /** @param numaNode where the kubelet would place the pod */
    private record Wanted(PodFacts pod, int count, Optional<Integer> card, boolean required, int numaNode) {

        boolean suits(Device device) {
            return card.isEmpty() || TestClaims.card(device) == card.get();
        }

        boolean isNear(Device device) {
            return device.numaNodes()
                    .known()
                    .map(NumaNodes.Known::nodes)
                    .filter(nodes -> nodes.contains(numaNode))
                    .isPresent();
        }
    }

    private Wanted wanted(Random random, int index) {
        int count = 1 + random.nextInt(2);
        Optional<Integer> card = random.nextBoolean() ? Optional.of(random.nextInt(2)) : Optional.empty();
        boolean required = random.nextBoolean();
        claims.claim("p" + index, count, card.map(TestClaims::ofCard).stream().toArray(String[]::new));
        return new Wanted(
                TestClaims.pod("p" + index, CPUS, required ? "required" : "none"),
                count,
                card,
                required,
                random.nextInt(2));
    }

    private List<Device> devices(Random random) {
        List<Device> devices = IntStream.range(0, random.nextInt(6))
                .mapToObj(index -> TestClaims.device("n", index, random.nextInt(3) - 1, random.nextInt(2)))
                .toList();
        claims.devices("n", devices);
        return devices;
    }

    /** In a random order of pools, any free devices may be allocated. */
    @ParameterizedTest(name = "seed {0}")
    @MethodSource("seeds")
    void agreesWithTryingEveryAssignment(long seed) {
        Random random = new Random(seed);
        List<Device> devices = devices(random);
        TentativeDevices node = node(false);
        List<Wanted> placed = new ArrayList<>();
        for (int index = 0; index < 5; index++) {
            Wanted wanted = wanted(random, index);
            placed.add(wanted);
            boolean exists = canServe(placed, 0, devices, new HashSet<>());
            Optional<TentativeDevices> after = with(node, wanted.pod(), wanted.numaNode());
            assertThat(after.isPresent()).as("pod %d", index).isEqualTo(exists);
            if (!exists) {
                placed.remove(wanted);
            }
            node = after.orElse(node);
        }
    }

    private static boolean canServe(List<Wanted> pods, int at, List<Device> devices, Set<Device> taken) {
        if (at == pods.size()) {
            return true;
        }
        Wanted pod = pods.get(at);
        return subsets(devices, pod.count()).anyMatch(set -> {
            if (!set.stream()
                    .allMatch(device ->
                            !taken.contains(device) && pod.suits(device) && (!pod.required() || pod.isNear(device)))) {
                return false;
            }
            Set<Device> all = new HashSet<>(taken);
            all.addAll(set);
            return canServe(pods, at + 1, devices, all);
        });
    }

    private static Stream<List<Device>> subsets(List<Device> devices, int size) {
        return IntStream.range(0, 1 << devices.size())
                .filter(bits -> Integer.bitCount(bits) == size)
                .mapToObj(bits -> IntStream.range(0, devices.size())
                        .filter(bit -> (bits & 1 << bit) != 0)
                        .mapToObj(devices::get)
                        .toList());
    }

    /** Since 1.36, the first devices that fit are allocated. */
    @ParameterizedTest(name = "seed {0}")
    @MethodSource("seeds")
    void followsKubeScheduler(long seed) {
        Random random = new Random(seed);
        List<Device> devices = devices(random);
        TentativeDevices node = node(true);
        Set<Device> taken = new HashSet<>();
        for (int index = 0; index < 5; index++) {
            Wanted wanted = wanted(random, index);
            List<Device> first = devices.stream()
                    .filter(Predicate.not(taken::contains))
                    .filter(wanted::suits)
                    .limit(wanted.count())
                    .toList();
            boolean fits = first.size() == wanted.count()
                    && (!wanted.required() || first.stream().allMatch(wanted::isNear));
            Optional<TentativeDevices> after = with(node, wanted.pod(), wanted.numaNode());
            assertThat(after.isPresent()).as("pod %d", index).isEqualTo(fits);
            if (fits) {
                taken.addAll(first);
            }
            node = after.orElse(node);
        }
    }
}
