package io.numaledger.scheduling.healing;

import io.numaledger.evaluation.facts.PodFacts;
import io.numaledger.objects.ClaimReader;
import io.numaledger.objects.ClusterYaml;
import io.numaledger.objects.Documents;
import io.numaledger.objects.ResourceSliceReader;
import io.numaledger.scheduling.TestCluster;
import io.numaledger.scheduling.healing.Controllers.Controller;
import io.numaledger.scheduling.healing.Misplaced.Demand;
import io.numaledger.scheduling.preemption.Evictor;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

import java.io.IOException;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.TreeMap;

import static org.assertj.core.api.Assertions.assertThat;

/** On node {@code n}, all pods have a claim that holds a device of NUMA node 1. CPUs 1 to 4 are of NUMA node 0, and 5 to 8 of 1. */
class HealingTest {

    private static final Duration INTERVAL = Duration.ofMinutes(10);
    private static final String REQUIRED = "numaledger.io/claim-alignment: required";

    private Instant now = Instant.parse("2026-01-01T00:00:00Z");
    private final TestCluster cluster = new TestCluster((pod, reservation) -> {}, () -> now);
    private final Map<String, String> controllers = new TreeMap<>();
    private final Set<String> budgets = new HashSet<>();
    private final List<String> tried = new ArrayList<>();
    private final List<Misplaced> evicted = new ArrayList<>();
    /** What every controller makes. */
    private Optional<PodFacts> next = Optional.of(ClusterYaml.pending("next", "cpu: 100m, memory: 1Gi"));

    private final Healing healing = new Healing(
            cluster.state,
            new Healing.Settings(Set.of("default-scheduler"), INTERVAL),
            new BudgetEvictor(),
            pod -> Optional.ofNullable(controllers.get(pod.name())).map(uid -> new Controller(uid, next)),
            evicted::add,
            () -> now);

    private final class BudgetEvictor implements Evictor {

        @Override
        public void nominate(PodFacts pod, String node) {}

        @Override
        public void evict(PodFacts victim) throws IOException {
            tried.add(victim.name());
            if (budgets.contains(victim.name())) {
                throw new IOException("a disruption budget does not allow this eviction now");
            }
            cluster.state.podDeleted(victim);
        }
    }

    @BeforeEach
    void node() throws IOException {
        cluster.apply(ClusterYaml.node("n"));
        cluster.state
                .claims()
                .sliceChanged(
                        new ResourceSliceReader().slice(Documents.read("""
                        metadata: {name: s}
                        spec:
                          driver: vf.example.com
                          nodeName: n
                          pool: {name: n, generation: 1, resourceSliceCount: 1}
                          devices: [{name: vf-3, attributes: {resource.kubernetes.io/numaNode: {int: 1}}}]
                        """).get(0)));
        cluster.state
                .claims()
                .claimChanged(ClaimReader.claim(Documents.read("""
                        metadata: {name: c, namespace: default}
                        status: {allocation: {devices: {results: [{request: r, driver: vf.example.com, pool: n, device: vf-3}]}}}
                        """).get(0)));
    }

    /** With a controller of its own. */
    private String pod(String name, String annotation, String cpu) {
        controllers.put(name, "of-" + name);
        return ClusterYaml.running(name, "n", "cpu: \"1\", memory: 1Gi", cpu)
                .replace("annotations: {", "annotations: {" + annotation + ", ")
                .replace("  nodeName: n", "  nodeName: n\n  resourceClaims: [{name: vf, resourceClaimName: c}]")
                .replace("phase: Running", "phase: Running, startTime: \"2026-01-01T00:00:0%sZ\"".formatted(cpu));
    }

    private void after(Duration time) {
        now = now.plus(time);
        healing.check(true);
    }

    @Test
    void evictsTheYoungestPodAndOneInAnInterval() {
        cluster.apply(pod("old", REQUIRED, "1"), pod("young", REQUIRED, "2"));
        after(INTERVAL.minusSeconds(1));
        assertThat(tried).as("the last leader may just have evicted one").isEmpty();

        after(Duration.ofSeconds(1));
        after(INTERVAL.minusSeconds(1));
        assertThat(tried).containsExactly("young");
        after(Duration.ofSeconds(1));
        assertThat(tried).containsExactly("young", "old");
        assertThat(evicted.get(0).demand()).isEqualTo(Demand.CLAIM_ALIGNMENT);
        assertThat(evicted.get(0).sentence()).isEqualTo("CPUs on node-0; vf-3 of driver vf.example.com on node-1");
    }

    @Test
    void evictsAPodOverMoreZonesThanItAllows() {
        cluster.apply(pod(
                "astray",
                "kai.scheduler/max-numa-spread: '1', kai.scheduler/numa-placement-observed:"
                        + " '[{\"zone\":\"node-0\",\"amount\":{\"cpu\":\"1\"}},{\"zone\":\"node-1\",\"amount\":{\"memory\":\"1Gi\"}}]'",
                "1"));
        after(INTERVAL);

        assertThat(evicted.get(0).demand()).isEqualTo(Demand.MAX_NUMA_SPREAD);
        assertThat(evicted.get(0).sentence()).isEqualTo("the pod allows at most 1 NUMA zone and runs on 2");
    }

    @ParameterizedTest(name = "{0}")
    @CsvSource(delimiter = '|', textBlock = """
            aligned                 | cpus":"1          | cpus":"5
            only prefers it         | : required        | : preferred
            not to be read          | : required        | : somehow
            another scheduler's     | spec:             | spec: {schedulerName: other}
            static                  | annotations: {    | annotations: {kubernetes.io/config.mirror: x,
            of a group              | uid: uid-a        | uid: uid-a, labels: {numaledger.io/pod-group: g}
            not running             | phase: Running    | phase: Pending
            terminating             | uid: uid-a        | uid: uid-a, deletionTimestamp: "2026-01-01T00:00:00Z"
            """)
    void leavesAlone(String situation, String text, String replacement) {
        cluster.apply(pod("a", REQUIRED, "1")
                .replace(text, replacement)
                .replace("spec: {schedulerName: other}", "spec:\n  schedulerName: other"));
        after(INTERVAL);

        assertThat(tried).isEmpty();
    }

    @Test
    void leavesAPodAloneThatNothingMakesAgain() {
        cluster.apply(pod("old", REQUIRED, "1"), pod("bare", REQUIRED, "2"));
        controllers.remove("bare");
        after(INTERVAL);
        after(Duration.ofSeconds(10));

        assertThat(tried).containsExactly("old");
    }

    @Test
    void leavesAPodAloneThatItsTemplatePutsOnItsNode() {
        next = Optional.empty();
        cluster.apply(pod("a", REQUIRED, "1"));
        after(INTERVAL);

        assertThat(tried).isEmpty();
    }

    @ParameterizedTest(name = "{0}: {1} CPUs")
    @CsvSource({"the room of the evicted pod, 1, true", "more than that, 2, false"})
    void leavesAPodAloneIfNoNodeWouldTakeTheNextOne(String situation, int cpus, boolean evicts) {
        next = Optional.of(ClusterYaml.pending("a", "cpu: \"%d\", memory: 1Gi".formatted(cpus)));
        cluster.apply(
                pod("a", REQUIRED, "1"),
                ClusterYaml.running("rest-of-0", "n", "cpu: \"3\", memory: 1Gi", "2-4"),
                ClusterYaml.running("zone-1", "n", "cpu: \"4\", memory: 1Gi", "5-8"));
        after(INTERVAL);

        assertThat(tried.isEmpty()).isNotEqualTo(evicts);
    }

    @Test
    void leavesAPodAloneWhoseRoomIsPromisedToAnother() {
        next = Optional.of(ClusterYaml.pending("a", "cpu: \"1\", memory: 1Gi"));
        cluster.apply(
                pod("a", REQUIRED, "1"),
                ClusterYaml.running("rest-of-0", "n", "cpu: \"3\", memory: 1Gi", "2-4"),
                ClusterYaml.running("zone-1", "n", "cpu: \"4\", memory: 1Gi", "5-8"),
                ClusterYaml.pod(
                        "first",
                        "cpu: \"1\", memory: 1Gi",
                        "",
                        "  priority: 10",
                        ", phase: Pending, nominatedNodeName: n"));
        after(INTERVAL);

        assertThat(tried).isEmpty();
    }

    /** The kubelet would place the next pod as this one. Its device stays where it is while another pod uses the claim. */
    @ParameterizedTest(name = "reserved for {0}: {1}")
    @CsvSource({"uid-a, true", "uid-beside, false"})
    void leavesAPodAloneWhoseNextWouldBeMisalignedAgain(String user, boolean evicts) throws IOException {
        cluster.state
                .claims()
                .claimChanged(
                        ClaimReader.claim(Documents.read("""
                        metadata: {name: c, namespace: default}
                        status:
                          allocation: {devices: {results: [{request: r, driver: vf.example.com, pool: n, device: vf-3}]}}
                          reservedFor: [{resource: pods, name: x, uid: %s}]
                        """.formatted(user)).get(0)));
        next = Optional.of(ClusterYaml.parsePod(
                        pod("a", REQUIRED, "1").replace("  nodeName: n\n", "").replace("phase: Running, ", "")))
                .map(PodFacts::withoutRecords);
        cluster.apply(pod("a", REQUIRED, "1"));
        after(INTERVAL);

        assertThat(tried.isEmpty()).isNotEqualTo(evicts);
    }

    @Test
    void triesAPodThatABudgetProtectsLessAndLessOften() {
        cluster.apply(pod("a", REQUIRED, "1"), pod("b", REQUIRED, "2"));
        budgets.addAll(Set.of("a", "b"));
        after(INTERVAL);
        after(Duration.ofSeconds(10));
        assertThat(tried).as("no failed attempt counts for the rate").containsExactly("b", "a");

        cluster.deletePod("a");
        for (int i = 0; i < 6 * 10; i++) {
            after(Duration.ofSeconds(10));
        }
        assertThat(tried).as("after 1, 2 and 4 minutes").containsExactly("b", "a", "b", "b", "b");
        budgets.clear();
        after(Duration.ofMinutes(8));
        assertThat(evicted).hasSize(1);
    }

    @Test
    void evictsThreePodsOfAControllerADay() {
        for (int i = 0; i <= Healing.MOST_OF_CONTROLLER; i++) {
            cluster.apply(pod("again-" + i, REQUIRED, Integer.toString(i + 1)));
            controllers.put("again-" + i, "set");
            after(INTERVAL);
        }
        assertThat(evicted).hasSize(Healing.MOST_OF_CONTROLLER);

        after(Healing.PERIOD);
        assertThat(evicted).hasSize(Healing.MOST_OF_CONTROLLER + 1);
    }

    /** Of namespace {@code other}, with the claim of the other pods. */
    private String ofOther(String name, String cpu) throws IOException {
        cluster.state
                .claims()
                .claimChanged(ClaimReader.claim(Documents.read("""
                        metadata: {name: c, namespace: other}
                        status: {allocation: {devices: {results: [{request: r, driver: vf.example.com, pool: n, device: vf-3}]}}}
                        """).get(0)));
        return pod(name, REQUIRED, cpu).replace("namespace: default", "namespace: other");
    }

    /** What a tenant does to its own pods delays the pods of others by a check at most. */
    @Test
    void aTenantThatTogglesItsDemandKeepsNobodyWaiting() throws IOException {
        cluster.apply(ofOther("stranger", "1"));
        now = now.plus(INTERVAL);
        for (int check = 0; tried.isEmpty() && check < Healing.PERIOD.toSeconds() / 10; check++) {
            cluster.apply(
                    pod("bare-0", check % 2 == 0 ? REQUIRED : "example.com/any: x", "2"),
                    pod("bare-1", check % 2 == 1 ? REQUIRED : "example.com/any: x", "3"));
            controllers.keySet().removeIf(name -> name.startsWith("bare-"));
            after(Duration.ofSeconds(10));
        }

        assertThat(tried).containsExactly("stranger");
        assertThat(now).isEqualTo("2026-01-01T00:10:10Z");
    }

    @Test
    void podsThatABudgetProtectsKeepNobodyWaiting() throws IOException {
        for (int i = 2; i <= 4; i++) {
            cluster.apply(pod("protected-" + i, REQUIRED, Integer.toString(i)));
            budgets.add("protected-" + i);
        }
        cluster.apply(ofOther("stranger", "1"));
        after(INTERVAL);

        assertThat(tried).containsExactly("protected-4", "stranger");
        assertThat(evicted)
                .singleElement()
                .satisfies(each -> assertThat(each.pod().name()).isEqualTo("stranger"));
    }

    @Test
    void namespacesTakeTurns() throws IOException {
        cluster.apply(pod("a", REQUIRED, "2"), pod("b", REQUIRED, "3"), ofOther("stranger", "1"));
        after(INTERVAL);
        after(INTERVAL);
        after(INTERVAL);

        assertThat(tried)
                .as("the youngest, then the namespace that was left out")
                .containsExactly("b", "stranger", "a");
    }

    @Test
    void aCheckTriesOnePodOfEachOfTenNamespacesAtMost() {
        for (int i = 0; i < 2 * Healing.MOST_TRIED; i++) {
            String name = "of-%d".formatted(i);
            cluster.apply(pod(
                            name,
                            "kai.scheduler/max-numa-spread: '1', kai.scheduler/numa-placement-observed:"
                                    + " '[{\"zone\":\"node-0\",\"amount\":{\"cpu\":\"1\"}},{\"zone\":\"node-1\",\"amount\":{\"memory\":\"1Gi\"}}]'",
                            "1")
                    .replace("namespace: default", "namespace: " + name));
            budgets.add(name);
        }
        after(INTERVAL);
        List<String> first = List.copyOf(tried);
        after(Duration.ofSeconds(10));

        assertThat(first).hasSize(Healing.MOST_TRIED);
        assertThat(tried).hasSize(2 * Healing.MOST_TRIED).doesNotHaveDuplicates();
    }

    @Test
    void waitsAnIntervalAfterItHasBegunToLead() {
        cluster.apply(pod("a", REQUIRED, "1"));
        now = now.plus(INTERVAL);
        healing.check(false);
        after(INTERVAL.minusSeconds(1));
        assertThat(tried).isEmpty();

        after(Duration.ofSeconds(1));
        assertThat(tried).containsExactly("a");
    }
}
