package io.numaledger.scheduling.queue;

import io.numaledger.evaluation.budget.EvaluationBudget;
import io.numaledger.evaluation.claim.ClaimConstraint;
import io.numaledger.evaluation.claim.Device;
import io.numaledger.evaluation.claim.DeviceRequest;
import io.numaledger.evaluation.claim.DeviceRequest.AllocationMode;
import io.numaledger.evaluation.claim.ResourceClaim;
import io.numaledger.evaluation.facts.PodFacts;
import io.numaledger.evaluation.fit.Evaluation;
import io.numaledger.objects.ClusterYaml;
import io.numaledger.scheduling.TestClaims;
import io.numaledger.scheduling.TestCluster;
import io.numaledger.scheduling.state.NodeNames;
import io.numaledger.scheduling.state.NodeUse;
import io.numaledger.scheduling.state.RecentCostlyPods;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.atomic.AtomicReference;
import java.util.stream.IntStream;

import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.Assertions.assertTimeout;

/**
 * Pods whose claims take long to evaluate: what they cost is bounded for each call, also for calls about other pods, and nothing of the
 * others changes.
 */
class CostlyPodsTest {

    private static final Duration LIMIT = Duration.ofSeconds(60);
    private static final int NODES = 20;
    private static final String CPUS = "cpu: \"2\", memory: 1Gi";
    private static final String CPUS_4 = "cpu: \"4\", memory: 1Gi";

    private final AtomicReference<Instant> time = new AtomicReference<>(Instant.parse("2026-01-01T00:01:00Z"));
    private final TestCluster cluster = new TestCluster((pod, reservation) -> {}, time::get);
    private final TestClaims claims = new TestClaims(cluster.state.claims());
    private final List<String> nodes =
            IntStream.range(0, NODES).mapToObj(at -> "n" + at).toList();

    /** Claims that take long. */
    enum Shape {
        /** Eight devices of one card, half of which are near, and a selector that is not evaluated. */
        MANY_COMBINATIONS(1, 1, 8, false),
        /** Sixty claims of 32 requests. */
        MANY_REQUESTS(60, 32, 1, false),
        /** Sixty claims of 32 requests for devices that may be shared. */
        MANY_REQUESTS_OF_SHARED_DEVICES(60, 32, 1, true);

        private final int claims;
        private final int requests;
        private final int count;
        private final boolean shared;

        Shape(int claims, int requests, int count, boolean shared) {
            this.claims = claims;
            this.requests = requests;
            this.count = count;
            this.shared = shared;
        }

        private Device device(String node, int index) {
            Device device = TestClaims.device(node, index, index % 2, index / 8);
            return new Device(
                    device.id(),
                    device.node(),
                    device.numaNodes(),
                    device.attributes(),
                    device.capacity(),
                    device.taints(),
                    shared,
                    false);
        }

        private ResourceClaim claim(String name) {
            List<DeviceRequest> all = IntStream.range(0, requests)
                    .mapToObj(at -> new DeviceRequest(
                            "r-" + at,
                            List.of(new DeviceRequest.Alternative(
                                    "",
                                    "vf",
                                    List.of("device.driver.matches('^vf')"),
                                    AllocationMode.EXACT_COUNT,
                                    count,
                                    false,
                                    List.of(),
                                    Collections.emptySortedMap()))))
                    .toList();
            List<ClaimConstraint> card = count > 1
                    ? List.of(
                            new ClaimConstraint(List.of(), Optional.of(TestClaims.DRIVER + "/card"), Optional.empty()))
                    : List.of();
            return new ResourceClaim(
                    "default", name, name, all, card, Optional.empty(), Collections.emptySortedSet(), List.of());
        }
    }

    private void devices(Shape shape, int count) {
        nodes.forEach(node -> {
            cluster.apply(ClusterYaml.node(node));
            claims.devices(
                    node,
                    IntStream.range(0, count)
                            .mapToObj(at -> shape.device(node, at))
                            .toList());
        });
    }

    /** A pod that was created long ago, and its claims. */
    private PodFacts costly(Shape shape, String name) {
        List<String> names =
                IntStream.range(0, shape.claims).mapToObj(at -> name + "-" + at).toList();
        names.forEach(each -> cluster.state.claims().claimChanged(shape.claim(each)));
        PodFacts pod = ClusterYaml.parsePod(ClusterYaml.pod(
                name,
                CPUS,
                ", creationTimestamp: '2025-01-01T00:00:00Z', annotations: {numaledger.io/claim-alignment: required}",
                "  resourceClaims: [%s]"
                        .formatted(String.join(
                                ", ",
                                names.stream()
                                        .map(each -> "{name: %1$s, resourceClaimName: %1$s}".formatted(each))
                                        .toList())),
                ""));
        cluster.state.podChanged(pod);
        return pod;
    }

    private static PodFacts stranger(String limits) {
        return ClusterYaml.pending("stranger", limits);
    }

    private OlderPods older(PodFacts younger, List<PodFacts> pods) {
        return new OlderPods(
                cluster.state,
                cluster.evaluator,
                younger,
                pods.stream().map(pod -> new PendingPod(pod, 0, 0)).toList(),
                new RefusingNodes(),
                cluster.state.budget(younger, NODES));
    }

    private List<String> reserved(PodFacts younger, List<PodFacts> pods) {
        OlderPods older = older(younger, pods);
        NodeNames names = NodeNames.of(cluster.state.index(), nodes);
        List<String> reserved = new ArrayList<>();
        for (int place = 0; place < names.size(); place++) {
            if (older.reservedFor(names, place).isPresent()) {
                reserved.add(names.get(place));
            }
        }
        return reserved;
    }

    @ParameterizedTest
    @EnumSource
    void costOtherPodsLittle(Shape shape) {
        devices(shape, 64);
        List<PodFacts> pods = IntStream.range(0, 200)
                .mapToObj(at -> costly(shape, "costly-" + at))
                .toList();
        assertTimeout(LIMIT, () -> {
            for (int call = 0; call < 10; call++) {
                assertThat(reserved(stranger("cpu: \"1\", memory: 1Gi"), pods)).isEmpty();
            }
        });
    }

    @ParameterizedTest
    @EnumSource
    void areSentToNodesUntilTheirClaimsAreAllocated(Shape shape) {
        devices(shape, 2_000);
        PodFacts pod = costly(shape, "costly");
        assertTimeout(LIMIT, () -> {
            for (int call = 0; call < 3; call++) {
                assertThat(cluster.evaluate(nodes, pod)).allMatch(Evaluation::admits);
            }
        });
        assertThat(cluster.state.costlyPods().count()).isEqualTo(1);
        time.updateAndGet(now -> now.plus(RecentCostlyPods.DURATION));
        assertThat(cluster.state.costlyPods().count()).isZero();
    }

    @Test
    void keepOtherOlderPodsTheirNodes() {
        Shape shape = Shape.MANY_COMBINATIONS;
        devices(shape, 64);
        nodes.forEach(node -> cluster.apply(ClusterYaml.running("on-" + node, node, CPUS_4, "1-4")));
        List<PodFacts> pods = new ArrayList<>();
        IntStream.range(0, 5).forEach(at -> pods.add(costly(shape, "costly-" + at)));
        pods.add(ClusterYaml.pending("older", CPUS_4));
        assertThat(reserved(stranger("cpu: \"1\", memory: 1Gi"), pods)).isNotEmpty();
        assertThat(reserved(stranger("cpu: \"1\", memory: 1Gi"), pods))
                .as("the costly pods are known by now")
                .hasSize(NODES);
    }

    /** Each evaluation has a budget of its own. */
    @Test
    void costLittleOnANodeOfManySharedDevices() {
        Shape shape = Shape.MANY_REQUESTS_OF_SHARED_DEVICES;
        devices(shape, 720);
        PodFacts pod = costly(shape, "costly");
        assertTimeout(LIMIT, () -> {
            for (int i = 0; i < 3 * NODES; i++) {
                NodeUse use = cluster.state
                        .use(nodes.get(i % NODES), new EvaluationBudget(5_000))
                        .orElseThrow();
                assertThat(use.now().admitsByZones(pod)).isTrue();
            }
        });
    }

    /** Else it would be of use to be costly. */
    @Test
    void doNotTakeTheRoomOfNominatedPods() {
        Shape shape = Shape.MANY_COMBINATIONS;
        devices(shape, 2_000);
        nodes.forEach(node -> cluster.apply(ClusterYaml.running("on-" + node, node, CPUS_4, "1-4")));
        PodFacts nominated = ClusterYaml.pending("nominated", CPUS_4);
        cluster.state.nominated().nominate(nominated, "n0");
        PodFacts pod = costly(shape, "costly");
        EvaluationBudget budget = cluster.state.budget(pod, 1);
        assertThat(cluster.state.reserved().refusal("n0", pod, budget)).isPresent();
        assertThat(cluster.state.reserved().refusal("n1", pod, budget)).isEmpty();
    }
}
