package io.numaledger.scheduling.group;

import io.numaledger.evaluation.budget.EvaluationBudget;
import io.numaledger.evaluation.facts.PodFacts;
import io.numaledger.objects.ClusterYaml;
import io.numaledger.scheduling.TestClaims;
import io.numaledger.scheduling.TestCluster;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

import java.util.List;
import java.util.Random;
import java.util.Set;
import java.util.stream.IntStream;
import java.util.stream.LongStream;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

/** Nodes of two zones with 4 CPUs each, from which the kubelet takes CPUs of node-0 first; pods of 2 CPUs with a claim of one device. */
class GroupsWithClaimsTest {

    private static final String CPUS = "cpu: \"2\", memory: 1Gi";

    private final TestCluster cluster = new TestCluster();
    private final TestClaims claims = new TestClaims(cluster.state.claims());
    private final GroupPlanner planner = new GroupPlanner(cluster.state.claims(), 20_000);

    private PodFacts pod(String name, String alignment) {
        claims.claim(name, 1);
        return TestClaims.pod(name, CPUS, alignment);
    }

    private List<PodFacts> pods(int count, String alignment) {
        return IntStream.range(0, count)
                .mapToObj(index -> pod("p" + index, alignment))
                .toList();
    }

    private PlanningResult plan(List<PodFacts> pods) {
        List<GroupNode> nodes = cluster.state.uses(new EvaluationBudget(1_000_000_000)).stream()
                .map(use -> GroupNode.now(use, any -> true))
                .toList();
        return planner.plan(pods, pods.size(), nodes, any -> Set.of());
    }

    @Test
    void noMorePodsAreOnANodeThanItHasFreeDevices() {
        cluster.apply(ClusterYaml.node("a"), ClusterYaml.node("b"));
        claims.devices("a", 0, 0, 1);
        claims.devices("b", 1);
        claims.allocated("held", "a", 0);

        assertThat(plan(pods(4, "none")).placeable()).isEqualTo(3);
        GroupPlan plan = plan(pods(3, "none")).plan().orElseThrow();
        assertThat(plan.on("a")).hasSize(2);
        assertThat(plan.on("b")).hasSize(1);
    }

    @Test
    void devicesOfPodsThatDemandItAreOnTheirZones() {
        cluster.apply(ClusterYaml.node("a"), ClusterYaml.node("b"));
        claims.devices("a", 0, 0, 1);
        claims.devices("b", 1, 1, 1, 1);

        assertThat(plan(pods(4, "required")).placeable()).isEqualTo(3);
        assertThat(plan(pods(3, "required")).plan().orElseThrow().on("a")).hasSize(3);
    }

    @Test
    void podsOfSeveralKindsShareTheDevices() {
        cluster.apply(ClusterYaml.node("a"));
        claims.devices("a", 0, 0);
        claims.claim("two", 2);
        PodFacts two = TestClaims.pod("two", CPUS, "none");

        assertThat(plan(List.of(pod("one", "none"), two)).placeable()).isEqualTo(1);
        claims.devices("a", 0, 0, 0);
        assertThat(plan(List.of(pod("one", "none"), two)).placeable()).isEqualTo(2);
    }

    @Test
    void aPodWhoseClaimIsAllocatedRunsWhereItsDeviceIs() {
        cluster.apply(ClusterYaml.node("a"), ClusterYaml.node("b"));
        claims.devices("a", 0, 0);
        claims.devices("b", 0, 0);
        List<PodFacts> pods = pods(2, "none");
        claims.allocated("p1", "b", 0);

        assertThat(plan(pods).plan().orElseThrow().on("b")).contains(pods.get(1));
        assertThat(planner.equalPods(pods)).hasSize(2);
    }

    @Test
    void claimsThatAskForTheSameMakePodsAlike() {
        List<PodFacts> pods = pods(3, "required");
        assertThat(planner.equalPods(pods)).hasSize(1);
        claims.claim("p1", 1, TestClaims.ofCard(1));
        assertThat(planner.equalPods(pods)).hasSize(2);
        assertThat(planner.equalPods(List.of(pods.get(0), pod("other", "none"))))
                .hasSize(2);
        assertThat(planner.equalPods(List.of(pods.get(0), TestClaims.pod("x", CPUS, "required", "p0"), pods.get(2))))
                .as("two pods share a claim")
                .hasSize(2);
        assertThatThrownBy(() -> planner.equalPods(pods(1, "maybe")))
                .hasMessageStartingWith("invalid annotation: numaledger.io/claim-alignment='maybe'");
    }

    static LongStream seeds() {
        return LongStream.range(0, 200);
    }

    /** Of equal pods, each node takes two in node-0 and then two in node-1, until a device is missing or lies elsewhere. */
    @ParameterizedTest(name = "seed {0}")
    @MethodSource("seeds")
    void agreesWithCountingOneByOne(long seed) {
        Random random = new Random(seed);
        boolean isOrdered = random.nextBoolean();
        boolean required = random.nextBoolean();
        int nodes = 1 + random.nextInt(3);
        int room = 0;
        for (int node = 0; node < nodes; node++) {
            String name = "n" + node;
            cluster.apply(ClusterYaml.node(name).replace("v1.36.3", isOrdered ? "v1.36.3" : "v1.35.0"));
            int[] devices = random.ints(random.nextInt(6), -1, 2).toArray();
            claims.devices(name, devices);
            room += !required ? Math.min(4, devices.length) : isOrdered ? inOrder(devices) : inAnyOrder(devices);
        }
        List<PodFacts> pods = pods(1 + random.nextInt(8), required ? "required" : "preferred");

        assertThat(plan(pods).placeable()).isEqualTo(Math.min(pods.size(), room));
    }

    /** kube-scheduler allocates the first free device. */
    private static int inOrder(int... devices) {
        int pods = 0;
        while (pods < Math.min(4, devices.length) && devices[pods] == pods / 2) {
            pods++;
        }
        return pods;
    }

    private static int inAnyOrder(int... devices) {
        int inZone0 = (int) IntStream.of(devices).filter(zone -> zone == 0).count();
        int inZone1 = (int) IntStream.of(devices).filter(zone -> zone == 1).count();
        return inZone0 < 2 ? inZone0 : 2 + Math.min(2, inZone1);
    }
}
