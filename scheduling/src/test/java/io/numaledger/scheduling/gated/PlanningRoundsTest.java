package io.numaledger.scheduling.gated;

import io.numaledger.evaluation.facts.PodFacts;
import io.numaledger.evaluation.facts.PodGroupName;
import io.numaledger.evaluation.facts.PodGroupName.Kind;
import io.numaledger.objects.ClusterYaml;
import org.junit.jupiter.api.Test;

import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.stream.IntStream;

import static org.assertj.core.api.Assertions.assertThat;

class PlanningRoundsTest {

    private final PlanningRounds rounds = new PlanningRounds();
    private final Map<String, Integer> work = new HashMap<>();

    /** The groups of one round, in their order. */
    private List<String> round(List<GatedGroup> groups) {
        List<String> planned = new ArrayList<>();
        rounds.plan(groups, (group, budget) -> {
            planned.add(group.name().toString());
            var unused = budget.take(work.getOrDefault(group.name().namespace(), 1));
        });
        return planned;
    }

    /** @param age the lower, the older */
    private static GatedGroup group(String namespace, String name, int priority, int age) {
        return group(namespace, name, List.of(pod(namespace, name, priority, age)));
    }

    private static PodFacts pod(String namespace, String name, int priority, int age) {
        return ClusterYaml.parsePod(ClusterYaml.pod(
                        name,
                        "cpu: 1, memory: 1Gi",
                        ", creationTimestamp: \"2026-01-01T00:00:%02dZ\"".formatted(age),
                        "  priority: " + priority,
                        "")
                .replace("namespace: default", "namespace: " + namespace));
    }

    private static GatedGroup group(String namespace, String name, List<PodFacts> gated) {
        return new GatedGroup(
                new PodGroupName(Kind.LABEL, namespace, name),
                List.of(),
                List.of(),
                gated,
                List.of(),
                List.of(),
                1,
                Map.of());
    }

    @Test
    void theOrderIsPriorityThenTheTurnOfNamespacesThenAge() {
        List<GatedGroup> groups = List.of(
                group("a", "old", 0, 1),
                group("a", "older", 0, 0),
                group("a", "important", 10, 9),
                group("b", "young", 0, 8),
                group("b", "youngest", 0, 9));

        assertThat(round(groups)).containsExactly("a/important", "a/older", "b/young", "a/old", "b/youngest");
        assertThat(round(groups)).hasSize(5);
    }

    @Test
    void oneImportantPodDoesNotMakeItsGroupImportant() {
        List<GatedGroup> groups = List.of(
                group("a", "mixed", List.of(pod("a", "m-0", 1000, 0), pod("a", "m-1", 0, 0))),
                group("b", "important", 10, 9));

        assertThat(round(groups)).containsExactly("b/important", "a/mixed");
    }

    @Test
    void groupsThatUseUpTheirBudgetDelayTheirOwnNamespaceOnly() {
        work.put("hostile", Integer.MAX_VALUE);
        List<GatedGroup> groups = new ArrayList<>();
        IntStream.range(0, 5).forEach(i -> groups.add(group("hostile", "g" + i, 1000, i)));
        groups.add(group("other", "small", 0, 9));
        groups.add(group("other", "next", 0, 10));

        assertThat(round(groups)).containsExactly("hostile/g0", "other/small", "other/next");
        assertThat(round(groups)).containsExactly("hostile/g1", "other/small", "other/next");
        IntStream.range(2, 5).forEach(i -> assertThat(round(groups)).startsWith("hostile/g" + i));
        assertThat(round(groups)).as("all had their turn").startsWith("hostile/g0");
    }

    @Test
    void aNamespaceForWhichNothingWasLeftComesFirstSoonWhateverItsPriority() {
        List<GatedGroup> groups = new ArrayList<>();
        IntStream.range(0, 10).forEach(i -> {
            work.put("h" + i, Integer.MAX_VALUE);
            groups.add(group("h" + i, "large", 1000, i));
            groups.add(group("h" + i, "another", 1000, i));
        });
        groups.add(group("other", "small", 0, 9));

        List<Integer> waits = new ArrayList<>();
        int waited = 0;
        for (int i = 0; i < 60; i++) {
            boolean isPlanned = round(groups).contains("other/small");
            waited = isPlanned ? 0 : waited + 1;
            waits.add(waited);
        }

        assertThat(waits).as("two of eleven namespaces a round").allMatch(each -> each <= 5);
    }

    @Test
    void aGroupThatIsGoneIsForgotten() {
        work.put("a", Integer.MAX_VALUE);
        GatedGroup first = group("a", "first", 0, 0);
        GatedGroup second = group("a", "second", 0, 1);
        assertThat(round(List.of(first, second))).containsExactly("a/first");

        assertThat(round(List.of(first))).as("the only one left").containsExactly("a/first");
        assertThat(round(List.of(first, second))).containsExactly("a/second");
        assertThat(round(List.of(first, second))).containsExactly("a/first");
    }
}
