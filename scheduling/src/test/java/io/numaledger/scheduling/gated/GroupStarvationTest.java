package io.numaledger.scheduling.gated;

import io.numaledger.evaluation.budget.EvaluationBudget;
import io.numaledger.evaluation.facts.PodFacts;
import io.numaledger.evaluation.fit.Evaluation;
import io.numaledger.evaluation.fit.Evaluation.Fits;
import io.numaledger.objects.ClusterYaml;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

import java.time.Duration;
import java.util.ArrayDeque;
import java.util.Deque;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.TreeMap;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * A group of large pods beside a stream of small ones that fills the cluster: two fill a zone, and never end at once. Nodes have two zones of
 * 4 CPUs; the pods of the group ask for 3, and the small ones for 2 and run for 15 s.
 */
class GroupStarvationTest {

    private static final int LIFETIME = 15;
    private static final int FULL = 20;
    private static final int NEVER = 100_000;

    private final GatedCluster gated = new GatedCluster();
    private final Deque<PodFacts> waiting = new ArrayDeque<>();

    /** Running pod → the second in which it ends. */
    private final Map<String, Integer> running = new HashMap<>();

    /** Node → how many small pods were bound there. */
    private final Map<String, Integer> bound = new TreeMap<>();

    private String[] nodes = {};
    private int priority;
    private int second;
    private int created;

    private void nodes(String... names) {
        nodes = names;
        gated.nodes(names);
    }

    /** Pods end; a small one comes, and each that waits is bound if it may; groups are planned. */
    private void pass(int seconds) {
        for (int end = second + seconds; second < end; ) {
            second++;
            running.entrySet().removeIf(each -> {
                boolean isOver = each.getValue() <= second;
                if (isOver) {
                    gated.cluster.deletePod(each.getKey());
                }
                return isOver;
            });
            if (waiting.size() < 5) {
                waiting.add(small("small-" + created++));
            }
            waiting.removeIf(pod -> List.of(nodes).stream().anyMatch(node -> run(pod, node, LIFETIME)));
            gated.pass(Duration.ofSeconds(1));
        }
    }

    private PodFacts small(String name) {
        return ClusterYaml.parsePod(
                ClusterYaml.pod(name, "cpu: \"2\", memory: 1Gi", "", "  priority: " + priority, ""));
    }

    /** The scheduler binds the pod where filter and bind allow it, and it is observed where the kubelet places it. */
    private boolean run(PodFacts pod, String node, int lifetime) {
        if (gated.cluster
                .state
                .reserved()
                .refusal(node, pod, new EvaluationBudget(1_000_000_000))
                .isPresent()) {
            return false;
        }
        Optional<Evaluation> evaluation = gated.cluster.state.binds().bind(node, pod, each -> each);
        if (!(evaluation.orElseThrow() instanceof Fits fits)) {
            return false;
        }
        String cpus = fits.placement()
                .orElseThrow()
                .allocation()
                .running()
                .containers()
                .get(0)
                .cpus()
                .toString();
        String document = ClusterYaml.running(pod.name(), node, "cpu: \"2\", memory: 1Gi", cpus);
        gated.cluster.apply(document.replaceFirst(
                "namespace: default", "namespace: default, creationTimestamp: \"%s\"".formatted(gated.now())));
        running.put(pod.name(), second + lifetime);
        bound.merge(node, 1, Integer::sum);
        return true;
    }

    /** How long the group waits until it is released whole, in seconds. */
    private int waited(int pods) {
        for (int begun = second; second - begun < 300; ) {
            pass(1);
            if (gated.released.size() == pods) {
                return second - begun;
            }
        }
        return NEVER;
    }

    /** After a minute, places are reserved. All pods that they have to wait for have ended 15 s later. */
    @ParameterizedTest(name = "{0} pods")
    @CsvSource({"1", "3", "4", "6"})
    void aGroupRunsAsSoonAsThePodsHaveEndedBehindWhichPlacesAreKept(int pods) {
        nodes("a", "b", "c");
        pass(FULL);

        gated.create("default", "big", pods, pods, 0);

        assertThat(waited(pods)).isBetween(60, 60 + LIFETIME + 3);
    }

    /** Two places are needed: those of one node. */
    @Test
    void smallPodsGoOnBesideThePlaces() {
        nodes("a", "b", "c");
        pass(FULL);
        gated.create("default", "big", 2, 2, 0);
        pass(62);
        bound.clear();

        pass(LIFETIME - 3);

        assertThat(bound).containsOnlyKeys("b", "c");
    }

    @Test
    void placesAreNotKeptFromMoreImportantPods() {
        nodes("a", "b");
        priority = 1;
        pass(FULL);
        gated.create("default", "big", 2, 2, 0);

        assertThat(waited(2)).isEqualTo(NEVER);
        assertThat(bound.values().stream().mapToInt(Integer::intValue).sum())
                .as("none of them waits")
                .isGreaterThan(8 * 300 / LIFETIME - 20);
    }

    /** Node a is full of pods that run for ever, and have for an hour. */
    @Test
    void noPlaceIsKeptBehindPodsThatRunForLong() {
        nodes("a");
        for (int i = 0; i < 4; i++) {
            run(small("service-" + i), "a", NEVER);
        }
        gated.pass(Duration.ofHours(1));
        nodes("b");
        nodes = new String[] {"a", "b"};
        pass(FULL);

        gated.create("default", "big", 2, 2, 0);

        assertThat(waited(2)).isBetween(60, 60 + LIFETIME + 3);
        assertThat(gated.released).containsValue("b").doesNotContainValue("a");
    }

    /** Nothing tells them from the others at first. */
    @Test
    void anotherPlaceIsKeptWhereThePodsOfTheFirstOneDoNotEnd() {
        nodes("a");
        for (int i = 0; i < 4; i++) {
            run(small("service-" + i), "a", NEVER);
        }
        nodes("b");
        nodes = new String[] {"a", "b"};
        pass(FULL);
        for (int i = 0; i < 4; i++) {
            gated.cluster.deletePod("service-" + i);
            run(small("service-" + i + "-again"), "a", NEVER);
        }

        gated.create("default", "big", 2, 2, 0);
        gated.pass(Duration.ofSeconds(1));

        assertThat(waited(2)).isLessThan(60 + 2 * 60 + LIFETIME + 3);
        assertThat(gated.released).doesNotContainValue("a");
    }

    /** A later group whose pods are small does not take what ended pods leave for the first one. */
    @Test
    void anotherGroupOfEqualPriorityDoesNotTakeTheirPlace() {
        nodes("a", "b");
        pass(FULL);
        gated.create("default", "big", 4, 4, 0);
        pass(62);

        gated.createOf("other", "late", 1, 1, 2, 0);
        pass(5);

        assertThat(gated.released).doesNotContainKey("late-0");
        pass(LIFETIME - 4);
        assertThat(gated.released).containsOnlyKeys("big-0", "big-1", "big-2", "big-3");
    }

    /** What is kept behind pods that do not end is kept no longer than other places. */
    @Test
    void placesBehindPodsThatDoNotEndAreKeptForFiveMinutes() {
        nodes("a");
        for (int i = 0; i < 2; i++) {
            run(small("service-" + i), "a", NEVER);
        }
        nodes("a");
        gated.create("default", "big", 2, 2, 0);
        pass(70);
        assertThat(gated.cluster.state.reserved().hasPlanned()).isTrue();
        bound.clear();
        pass(200);
        assertThat(bound).as("the free zone is kept, too").isEmpty();

        pass(100);

        assertThat(gated.cluster.state.reserved().hasPlanned()).isFalse();
        assertThat(bound).isNotEmpty();
    }
}
