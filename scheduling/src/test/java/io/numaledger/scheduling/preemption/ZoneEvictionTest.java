package io.numaledger.scheduling.preemption;

import io.numaledger.evaluation.facts.DisruptionBudget;
import io.numaledger.evaluation.facts.LabelSelector;
import io.numaledger.evaluation.facts.PodFacts;
import io.numaledger.objects.ClusterYaml;
import io.numaledger.scheduling.TestCluster;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

import java.io.IOException;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;

import static org.assertj.core.api.Assertions.assertThat;

/** Nodes {@code m} and {@code n} have two zones of 4 CPUs. On {@code m} two pods hold 2 CPUs of each zone, on {@code n} two hold 1. */
class ZoneEvictionTest {

    private Instant now = Instant.parse("2026-01-01T00:00:00Z");
    private final TestCluster cluster = new TestCluster((pod, reservation) -> {}, () -> now);
    private final List<String> done = new ArrayList<>();
    private DisruptionBudgets budgets = DisruptionBudgets.NONE;
    private final ZoneEviction eviction =
            new ZoneEviction(cluster.state, () -> budgets, new RecordingEvictor(), () -> now);

    private final class RecordingEvictor implements Evictor {

        @Override
        public void nominate(PodFacts pod, String node) {
            done.add("nominate %s %s".formatted(pod.name(), node));
        }

        @Override
        public void evict(PodFacts victim) throws IOException {
            done.add("evict " + victim.name());
        }
    }

    @BeforeEach
    void pods() {
        cluster.apply(
                ClusterYaml.node("m"),
                ClusterYaml.node("n"),
                runs("m-0a", "m", 2, "1-2"),
                runs("m-0b", "m", 2, "3-4"),
                runs("m-1a", "m", 2, "5-6"),
                runs("m-1b", "m", 2, "7-8"),
                runs("n-0", "n", 1, "1"),
                runs("n-1", "n", 1, "5"));
    }

    private static String runs(String name, String node, int cpus, String ids) {
        return ClusterYaml.running(name, node, "cpu: \"%d\", memory: 1Gi".formatted(cpus), ids);
    }

    private static String waiting(String name, int priority, String more) {
        return ClusterYaml.pod(name, "cpu: \"4\", memory: 1Gi", "", "", ", phase: Pending" + more)
                .replaceFirst("spec:\n", "spec:\n  priority: %d\n".formatted(priority));
    }

    private void check(String... pods) {
        cluster.apply(pods);
        eviction.check(List.of(pods).stream()
                .map(ClusterYaml::parsePod)
                .map(pod -> cluster.state.pods().get(pod.key()).orElseThrow())
                .toList());
    }

    @Test
    void evictsTheFewestPodsAndNobodyElseMeanwhile() {
        check(waiting("p", 10, ""));
        assertThat(done).containsExactly("nominate p n", "evict n-1");

        now = now.plus(Duration.ofMinutes(1));
        check(waiting("p", 10, ""));
        assertThat(done).as("the victim may take its time").hasSize(2);
    }

    @Test
    void evictsNobodyOnANodeWhoseKubeletRestarts() {
        cluster.apply(ClusterYaml.restarting(ClusterYaml.node("n")));
        check(waiting("p", 10, ""));

        assertThat(done).contains("nominate p m").doesNotContain("evict n-0", "evict n-1");
    }

    @Test
    void plansForTheMostImportantPodFirstAndForOneAtATime() {
        check(waiting("p", 10, ""), waiting("q", 20, ""));
        assertThat(done).containsExactly("nominate q n", "evict n-1");

        cluster.apply(waiting("q", 20, ", nominatedNodeName: n"));
        cluster.apply(ClusterYaml.terminating(runs("n-1", "n", 1, "5")));
        check(waiting("p", 10, ""));
        assertThat(done)
                .as("zone 1 of n is for q")
                .containsExactly("nominate q n", "evict n-1", "nominate p n", "evict n-0");
    }

    /** Pods of a tenant for which no plan is found, again and again. */
    @Test
    void importantPodsOfOneNamespaceKeepNobodyWaiting() {
        List<String> pods = new ArrayList<>();
        for (int i = 0; i < 120; i++) {
            pods.add(waiting("never-" + i, 1000, "").replace("cpu: \"4\"", "cpu: \"5\""));
        }
        pods.add(waiting("stranger", 10, "").replace("namespace: default", "namespace: other"));
        for (int second = 0; done.isEmpty() && second < 60; second++) {
            check(pods.toArray(String[]::new));
            now = now.plusSeconds(1);
        }

        assertThat(done).containsExactly("nominate stranger n", "evict n-1");
        assertThat(now).isEqualTo("2026-01-01T00:00:02Z");
    }

    @Test
    void evictsNobodyForAPodThatCanRunOrIsNotMoreImportant() {
        cluster.deletePod("n-0");
        check(waiting("p", 10, ""));
        assertThat(done).isEmpty();

        cluster.apply(runs("n-0", "n", 1, "1"));
        check(waiting("equal", 0, ""));
        check(waiting("never", 10, "").replaceFirst("spec:\n", "spec:\n  preemptionPolicy: Never\n"));
        assertThat(done).isEmpty();
    }

    @Test
    void neverViolatesADisruptionBudget() {
        budgets = new DisruptionBudgets(List.of(
                new DisruptionBudget("default", "all", Optional.of(new LabelSelector(List.of(), Map.of())), 0)));
        check(waiting("p", 10, ""));

        assertThat(done).isEmpty();
    }

    /** kube-scheduler has been told whom it may evict, and its nomination is not seen yet. */
    @Test
    void evictsNobodyWhileKubeSchedulerEvictsOthers() {
        cluster.apply(waiting("p", 10, ""));
        cluster.state
                .nominated()
                .victimsNamed(
                        cluster.state.pods().get("default/p").orElseThrow(),
                        Map.of(
                                "n",
                                List.of(cluster.state.pods().get("default/n-0").orElseThrow())));

        check(waiting("p", 10, ""));

        assertThat(done).isEmpty();
    }

    @Test
    void plansAgainAfterTwoMinutes() {
        check(waiting("p", 10, ""));
        now = now.plus(ZoneEviction.PLAN_TIMEOUT).plusSeconds(1);
        check(waiting("p", 10, ""));

        assertThat(done).hasSize(4);
    }
}
