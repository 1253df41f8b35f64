package io.numaledger.bridge.extender;

import io.numaledger.evaluation.facts.PodFacts;
import io.numaledger.objects.ClusterYaml;
import io.numaledger.scheduling.TestCluster;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Random;
import java.util.stream.LongStream;
import java.util.stream.Stream;

import static org.assertj.core.api.Assertions.assertThat;

/** A node of two zones with 4 CPUs and a GPU each is reserved for pods, and others must leave room for them. */
class ReservedRoomTest {

    private static final int PODS = 5;

    private final TestCluster cluster = new TestCluster();

    static LongStream seeds() {
        return LongStream.range(0, 400);
    }

    private void nominate(String name, String limits, int priority) {
        cluster.apply(ClusterYaml.pod(name, limits, "", "", ", phase: Pending, nominatedNodeName: n")
                .replaceFirst("spec:\n", "spec:\n  priority: %d\n".formatted(priority)));
    }

    private void plan(String name, String limits, int priority) {
        PodFacts pod = ClusterYaml.parsePod(ClusterYaml.pod(name, limits, "", "  priority: " + priority, ""));
        assertThat(cluster.state.reserved().plan(cluster.state.use("n").orElseThrow(), 1 + priority, List.of(pod)))
                .isTrue();
    }

    private static String cpus(int count) {
        return "cpu: \"%d\", memory: 1Gi".formatted(count);
    }

    private boolean isDisplaced(String limits) {
        PodFacts pod = ClusterYaml.pending("newcomer", limits);
        assertThat(cluster.evaluate(List.of("n"), pod).get(0).admits()).isTrue();
        return cluster.state
                .reserved()
                .refusal("n", pod, cluster.state.budget(pod, 1))
                .isPresent();
    }

    @Test
    void twoPodsThatFitTogetherKeepTheirPlaces() {
        cluster.apply(ClusterYaml.node("n"));
        nominate("first", cpus(3), 10);
        nominate("second", cpus(3), 10);

        assertThat(isDisplaced(cpus(2))).as("one of them would have no zone").isTrue();
        assertThat(isDisplaced(cpus(1))).isFalse();
    }

    /** Zone 0 has 2 CPUs left. Either of the pods of 4 fits zone 1, but not both, and that of 5 fits nowhere. */
    @Test
    void podsThatDoNotFitAnywayKeepNothingFromOthers() {
        cluster.apply(ClusterYaml.node("n"), ClusterYaml.running("a", "n", cpus(2), "1-2"));
        nominate("one", cpus(4), 10);
        nominate("two", cpus(4), 10);
        nominate("never", cpus(5), 20);

        assertThat(isDisplaced(cpus(2))).isFalse();
        assertThat(isDisplaced(cpus(3))).isTrue();
    }

    @Test
    void aPodWithAnInvalidAnnotationKeepsNothing() {
        cluster.apply(
                ClusterYaml.node("n"),
                ClusterYaml.pod(
                        "invalid",
                        cpus(4),
                        ", annotations: {kai.scheduler/max-numa-spread: none}",
                        "",
                        ", phase: Pending, nominatedNodeName: n"));

        assertThat(isDisplaced(cpus(2))).isFalse();
    }

    /** Pod x was bound while a terminated: x has zone 0 if a ended before, else zone 1. Only in the former case, the newcomer harms. */
    @Test
    void noPodIsDisplacedInAnyStateOfTheNode() {
        String a = ClusterYaml.running("a", "n", cpus(4), "1-4");
        String gpu = ClusterYaml.pod(
                "g",
                "nvidia.com/gpu: 1",
                ", annotations: {numaledger.io/placement: '{\"containers\":[{\"name\":\"c\",\"devices\":[{\"resource\":\"nvidia.com/gpu\",\"id\":\"g0\",\"numaNodes\":[0]}]}]}'}",
                "  nodeName: n",
                ", phase: Running");
        cluster.apply(ClusterYaml.node("n"), ClusterYaml.terminating(a), gpu);
        PodFacts x = ClusterYaml.pending("x", cpus(3));
        assertThat(cluster.state
                        .binds()
                        .<Boolean>bind(
                                "n", x, evaluation -> evaluation.orElseThrow().admits()))
                .isTrue();
        assertThat(cluster.state.snapshots("n").orElseThrow().others()).isNotEmpty();
        nominate("first", cpus(4), 10);

        assertThat(isDisplaced("cpu: \"1\", memory: 1Gi, nvidia.com/gpu: 1")).isTrue();
    }

    @Test
    void ofTwoNominatedPodsOfOnePriorityTheOlderGoesFirst() {
        cluster.apply(ClusterYaml.node("n"), ClusterYaml.running("a", "n", cpus(4), "1-4"));
        nominate("one", cpus(3), 10);
        nominate("two", cpus(3), 10);
        PodFacts one = cluster.state.pods().get("default/one").orElseThrow();
        PodFacts two = cluster.state.pods().get("default/two").orElseThrow();

        assertThat(Stream.of(one, two)
                        .filter(pod -> cluster.state
                                .reserved()
                                .refusal("n", pod, cluster.state.budget(pod, 1))
                                .isPresent()))
                .hasSize(1);
    }

    /** The kubelet gives a pod the first zone that has its CPUs. */
    @ParameterizedTest
    @MethodSource("seeds")
    void agreesWithPlacingEverySet(long seed) {
        Random random = new Random(seed);
        int[] used = {random.nextInt(4), random.nextInt(4)};
        boolean[] ends = {random.nextBoolean(), random.nextBoolean()};
        cluster.apply(ClusterYaml.node("n"));
        for (int zone = 0; zone < 2; zone++) {
            if (used[zone] > 0) {
                int first = zone == 0 ? 1 : 5;
                String pod =
                        ClusterYaml.running("u" + zone, "n", cpus(used[zone]), first + "-" + (first + used[zone] - 1));
                cluster.apply(ends[zone] ? ClusterYaml.terminating(pod) : pod);
            }
        }
        int newcomer = 1 + random.nextInt(3);
        List<Integer> reserved = new ArrayList<>();
        for (int i = 0; i < 1 + random.nextInt(PODS); i++) {
            int cpus = 1 + random.nextInt(4);
            int priority = random.nextInt(8) == 0 ? -1 : PODS - i;
            if (random.nextBoolean()) {
                nominate("p" + i, cpus(cpus), priority);
            } else {
                plan("p" + i, cpus(cpus), priority);
            }
            if (priority >= 0) {
                reserved.add(cpus);
            }
        }
        List<Integer> sizes = reserved.stream().distinct().toList();
        reserved.sort(Comparator.comparing(sizes::indexOf)); // equal pods one after the other
        int[] now = {4 - used[0], 4 - used[1]};
        int[] with = now.clone();
        if (!place(with, newcomer)) {
            return;
        }
        int[] gain = {ends[0] ? used[0] : 0, ends[1] ? used[1] : 0};

        boolean harms = harms(now, with, reserved) || harms(plus(now, gain), plus(with, gain), reserved);
        PodFacts pod = ClusterYaml.pending("newcomer", cpus(newcomer));
        assertThat(List.of(
                        cluster.state
                                .reserved()
                                .refusal("n", pod, cluster.state.budget(pod, 1))
                                .isEmpty(),
                        cluster.binds("n", pod)))
                .as(
                        "free=%d+%d gain=%d+%d newcomer=%d reserved=%s",
                        now[0], now[1], gain[0], gain[1], newcomer, reserved)
                .containsOnly(!harms);
    }

    private static boolean harms(int[] without, int[] with, List<Integer> reserved) {
        for (int set = 1; set < 1 << reserved.size(); set++) {
            if (fit(without.clone(), reserved, set) && !fit(with.clone(), reserved, set)) {
                return true;
            }
        }
        return false;
    }

    private static boolean fit(int[] free, List<Integer> reserved, int set) {
        for (int i = 0; i < reserved.size(); i++) {
            if ((set >> i & 1) == 1 && !place(free, reserved.get(i))) {
                return false;
            }
        }
        return true;
    }

    private static boolean place(int[] free, int cpus) {
        for (int zone = 0; zone < free.length; zone++) {
            if (free[zone] >= cpus) {
                free[zone] -= cpus;
                return true;
            }
        }
        return false;
    }

    private static int[] plus(int[] free, int[] gain) {
        return new int[] {free[0] + gain[0], free[1] + gain[1]};
    }
}
