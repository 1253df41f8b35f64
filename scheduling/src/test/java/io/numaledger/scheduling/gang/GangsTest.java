package io.numaledger.scheduling.gang;

import io.numaledger.evaluation.budget.EvaluationBudget;
import io.numaledger.evaluation.facts.PodFacts;
import io.numaledger.evaluation.facts.PodGroup;
import io.numaledger.evaluation.facts.PodGroupName;
import io.numaledger.evaluation.facts.PodGroupName.Kind;
import io.numaledger.evaluation.fit.Evaluation.Refused;
import io.numaledger.objects.ClusterYaml;
import io.numaledger.scheduling.TestClaims;
import io.numaledger.scheduling.TestCluster;
import io.numaledger.scheduling.group.GroupListener;
import io.numaledger.scheduling.group.GroupListener.Outcome;
import io.numaledger.scheduling.group.GroupPlan;
import io.numaledger.scheduling.group.PlanReservations;
import io.numaledger.scheduling.group.PlanningResult;
import io.numaledger.scheduling.group.PodGroups;
import io.numaledger.scheduling.state.NodeNames;
import org.junit.jupiter.api.Test;

import java.time.Duration;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalInt;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;
import java.util.function.Function;
import java.util.stream.Collectors;
import java.util.stream.IntStream;

import static org.assertj.core.api.Assertions.assertThat;

/** Each node has two zones of 4 CPUs: two pods of 3 CPUs fit. */
class GangsTest {

    private final TestCluster cluster = new TestCluster();
    private final PodGroups groups = new PodGroups();
    private final AtomicLong nanos = new AtomicLong();

    /** In vain. */
    private Gangs.Waiting waiting = (condition, timeout) -> {
        if (!condition.getAsBoolean()) {
            nanos.addAndGet(timeout.toNanos());
        }
        return condition.getAsBoolean();
    };

    private final List<Outcome> outcomes = new ArrayList<>();
    private final List<String> notBound = new ArrayList<>();
    private final List<String> requeued = new ArrayList<>();
    private final Gangs gangs = new Gangs(
            cluster.state,
            groups,
            new PlanReservations(cluster.state),
            new GroupListener() {
                @Override
                public void planned(Group group, Outcome outcome, int needed, PlanningResult result) {
                    outcomes.add(outcome);
                }

                @Override
                public void memberNotBound(Group group, String node, String why) {
                    notBound.add(group.pod().name());
                }
            },
            () -> nanos.addAndGet(TimeUnit.MILLISECONDS.toNanos(1)),
            (condition, timeout) -> waiting.await(condition, timeout),
            pod -> requeued.add(pod.name()));

    private void gang(int minCount, int pods) {
        gang("gang", minCount, pods, 3, 0);
    }

    private void gang(String name, int minCount, int pods, int cpus, int priority) {
        gang(name, minCount, pods, cpus, priority, List.of());
    }

    private void gang(String name, int minCount, int pods, int cpus, int priority, List<String> sameValues) {
        groups.watched(Kind.NATIVE);
        groups.put(new PodGroup(
                new PodGroupName(Kind.NATIVE, "default", name),
                "scheduling.k8s.io/v1beta1",
                "uid-" + name,
                OptionalInt.of(minCount),
                Collections.emptySortedMap(),
                Collections.emptySortedMap(),
                sameValues));
        IntStream.range(0, pods).forEach(i -> cluster.apply(member(name, i, cpus, priority)));
    }

    private static String member(String group, int number, int cpus, int priority) {
        return ClusterYaml.pod(
                group + "-" + number,
                "cpu: \"%d\", memory: 1Gi".formatted(cpus),
                "",
                "  priority: %d\n  schedulingGroup: {podGroupName: %s}".formatted(priority, group),
                ", phase: Pending");
    }

    private PodFacts pod(String name) {
        return cluster.state.pods().get("default/" + name).orElseThrow();
    }

    private Optional<GangAnswer> filter(String pod, String... nodes) {
        return gangs.filter(
                pod(pod),
                NodeNames.of(cluster.state.index(), List.of(nodes)),
                cluster.state.nominated().nodeOf(pod(pod)));
    }

    private String node(String pod, String... nodes) {
        return filter(pod, nodes)
                .map(answer -> answer instanceof GangAnswer.Planned planned
                        ? planned.node()
                        : ((GangAnswer.None) answer).refused().summary())
                .orElse("not of a gang");
    }

    private boolean bind(String pod, String node) {
        PodFacts facts = pod(pod);
        Optional<String> error = gangs.beforeBind(facts, node)
                .or(() -> cluster.state
                        .binds()
                        .bind(
                                node,
                                facts,
                                evaluation -> evaluation.orElseThrow() instanceof Refused refused
                                        ? Optional.of(refused.summary())
                                        : Optional.<String>empty()));
        error.ifPresentOrElse(why -> gangs.notBound(facts, node, why), () -> gangs.bound(facts));
        return error.isEmpty();
    }

    @Test
    void aGangThatFitsIsPlannedWholeAtItsFirstPod() {
        cluster.apply(ClusterYaml.node("a"), ClusterYaml.node("b"));
        gang(4, 4);

        List<String> planned =
                IntStream.range(0, 4).mapToObj(i -> node("gang-" + i, "a", "b")).toList();

        assertThat(planned.stream().collect(Collectors.groupingBy(Function.identity(), Collectors.counting())))
                .isEqualTo(Map.of("a", 2L, "b", 2L));
        assertThat(outcomes).containsExactly(Outcome.PLANNED);
        assertThat(IntStream.range(0, 4).allMatch(i -> bind("gang-" + i, planned.get(i))))
                .isTrue();
    }

    @Test
    void aGangThatDoesNotFitGetsNoNodeAtAll() {
        cluster.apply(ClusterYaml.node("a"), ClusterYaml.node("b"));
        gang(5, 5);

        assertThat(node("gang-0", "a", "b")).contains("does not fit as a whole");
        assertThat(cluster.state.reserved().hasPlanned()).isFalse();
    }

    @Test
    void aGangIsPlannedWhereItsClaimsCanBeServed() {
        cluster.apply(ClusterYaml.node("a"), ClusterYaml.node("b"));
        TestClaims claims = new TestClaims(cluster.state.claims());
        claims.devices("a", 0);
        claims.devices("b", 0);
        gang(3, 0);
        IntStream.range(0, 3).forEach(i -> {
            claims.claim("gang-" + i, 1);
            cluster.apply(TestClaims.withClaim(member("gang", i, 1, 0)));
        });
        assertThat(node("gang-0", "a", "b")).contains("does not fit as a whole");

        claims.devices("b", 0, 1);
        assertThat(IntStream.range(0, 3).mapToObj(i -> node("gang-" + i, "a", "b")))
                .containsExactlyInAnyOrder("a", "b", "b");
    }

    /** kube-scheduler tries it alone, while the binds of the others wait for zones. */
    @Test
    void aPodThatIsLeftOutKeepsOutOfTheWayOfThoseThatAreBound() {
        cluster.apply(ClusterYaml.node("a"));
        gang(2, 3);
        node("gang-0", "a");
        node("gang-1", "a");
        assertThat(node("gang-2", "a")).contains("no room is left beside");
        assertThat(gangs.beforeBind(pod("gang-0"), "a")).isEmpty();

        assertThat(node("gang-2", "a")).contains("no room is left beside");
        assertThat(cluster.state.reserved().planned("a")).hasSize(2);
    }

    @Test
    void thePlanStaysIfTheSchedulerRefusesTheNodeOfAPodBeyondTheLeastNumber() {
        cluster.apply(ClusterYaml.node("a"), ClusterYaml.node("b"));
        gang(2, 3);
        assertThat(node("gang-0", "a", "b")).isEqualTo("a");
        assertThat(node("gang-1", "a", "b")).isEqualTo("a");

        assertThat(node("gang-2", "a")).contains("no room is left beside");
        assertThat(cluster.state.reserved().planned("a")).hasSize(2);
    }

    /** The pod of another kind had no node in the attempt before, so filter was not called for it. */
    @Test
    void anAttemptMayBeginWithAPodThatWasNotAskedAbout() {
        cluster.apply(ClusterYaml.node("a"), ClusterYaml.running("x", "a", "cpu: \"2\", memory: 1Gi", "1-2"));
        gang(2, 1);
        cluster.apply(member("gang", 1, 4, 0));
        assertThat(node("gang-0", "a")).contains("does not fit as a whole");
        cluster.deletePod("x");

        assertThat(node("gang-1", "a")).isEqualTo("a");
        assertThat(node("gang-0", "a")).isEqualTo("a");
    }

    @Test
    void aGroupIsRetriedWhenItFitsOneOfTheDomains() {
        cluster.apply(
                inRack("a", "1"),
                inRack("b", "2"),
                ClusterYaml.running("x", "a", "cpu: \"2\", memory: 1Gi", "1-2"),
                ClusterYaml.running("y", "b", "cpu: \"2\", memory: 1Gi", "1-2"));
        gang("gang", 2, 2, 3, 0, List.of("rack"));
        node("gang-0", "a");
        node("gang-0", "b");
        nanos.addAndGet(GangRetries.REQUEUE_AFTER.toNanos());

        cluster.deletePod("x");
        gangs.checkRefused();

        assertThat(requeued).containsExactly("gang-0");
    }

    /** Its watch may show an event a moment after kube-scheduler's. */
    @Test
    void aGroupThatWasRefusedIsRetriedWhenItFits() {
        cluster.apply(ClusterYaml.node("a"), ClusterYaml.running("x", "a", "cpu: \"2\", memory: 1Gi", "1-2"));
        gang(2, 2);
        node("gang-0", "a");
        nanos.addAndGet(GangRetries.REQUEUE_AFTER.toNanos());
        gangs.checkRefused();
        assertThat(requeued).as("nothing has changed").isEmpty();

        cluster.deletePod("x");
        gangs.checkRefused();
        gangs.checkRefused();

        assertThat(requeued).containsExactly("gang-0");
    }

    /** The request may be lost. */
    @Test
    void theRetryIsRequestedAgainUntilFilterIsCalled() {
        aGroupThatWasRefusedIsRetriedWhenItFits();

        nanos.addAndGet(Duration.ofSeconds(30).toNanos());
        gangs.checkRefused();
        assertThat(requeued).containsExactly("gang-0", "gang-0");
        nanos.addAndGet(Duration.ofSeconds(59).toNanos());
        gangs.checkRefused();
        assertThat(requeued).as("less and less often").hasSize(2);

        node("gang-0", "a");
        nanos.addAndGet(Duration.ofMinutes(5).toNanos());
        gangs.checkRefused();
        assertThat(requeued).hasSize(2);
    }

    /** kube-scheduler calls filter for the others, too; a plan for them would be in the way of the next attempt. */
    @Test
    void anAttemptThatHasFailedGetsNoPlan() {
        cluster.apply(ClusterYaml.node("a"), ClusterYaml.running("x", "a", "cpu: \"2\", memory: 1Gi", "1-2"));
        gang(2, 2);
        assertThat(node("gang-0", "a")).contains("does not fit as a whole");
        cluster.deletePod("x");

        assertThat(node("gang-1", "a")).contains("does not fit as a whole");
        assertThat(node("gang-0", "a")).isEqualTo("a");
        assertThat(node("gang-1", "a")).isEqualTo("a");
    }

    @Test
    void podsBeyondTheLeastNumberAreLeftOut() {
        cluster.apply(ClusterYaml.node("a"), ClusterYaml.node("b"));
        gang(4, 6);

        List<String> answers =
                IntStream.range(0, 6).mapToObj(i -> node("gang-" + i, "a", "b")).toList();

        assertThat(answers.subList(0, 4)).isSubsetOf("a", "b");
        assertThat(answers.subList(4, 6)).allMatch(text -> text.contains("no room is left beside"));
        IntStream.range(0, 4).forEach(i -> bind("gang-" + i, answers.get(i)));
        assertThat(node("gang-4", "a", "b"))
                .as("the gang runs: its other pods are evaluated one by one")
                .isEqualTo("not of a gang");
    }

    @Test
    void eachDomainHasItsOwnPlanUntilABindShowsWhichWasTaken() {
        cluster.apply(inRack("a", "1"), inRack("b", "2"));
        gang("gang", 2, 2, 3, 0, List.of("rack"));

        assertThat(node("gang-0", "b")).isEqualTo("b");
        assertThat(node("gang-1", "b")).isEqualTo("b");
        assertThat(node("gang-0", "a")).isEqualTo("a");
        assertThat(node("gang-1", "a")).isEqualTo("a");
        assertThat(cluster.state.reserved().planned("b")).hasSize(2);

        assertThat(bind("gang-0", "b")).isTrue();
        assertThat(cluster.state.reserved().planned("a")).isEmpty();
        assertThat(bind("gang-1", "b")).isTrue();
        assertThat(cluster.state.reserved().hasPlanned()).isFalse();
    }

    private static String inRack(String node, String rack) {
        return ClusterYaml.node(node)
                .replaceFirst("name: " + node, "name: %s, labels: {rack: \"%s\"}".formatted(node, rack));
    }

    /** kube-scheduler calls filter for each pod with the nodes on which that one may run. */
    @Test
    void podsOfOneGangMayNeedDifferentNodes() {
        cluster.apply(inRack("a", "1"), inRack("b", "2"));
        gang(3, 2);
        cluster.apply(member("gang", 2, 2, 0).replace("spec:\n", "spec:\n  nodeSelector: {rack: \"1\"}\n"));

        assertThat(node("gang-2", "a")).isEqualTo("a");
        assertThat(node("gang-0", "b")).isEqualTo("b");
        assertThat(node("gang-1", "b")).isEqualTo("b");
    }

    /** The pod that was answered before would have to move. */
    @Test
    void aNodeThatTheSchedulerRefusesForAPodOfAnotherKindIsRemembered() {
        cluster.apply(ClusterYaml.node("a"), ClusterYaml.node("b"));
        gang(2, 1);
        cluster.apply(member("gang", 1, 4, 0), ClusterYaml.running("x", "a", "cpu: \"2\", memory: 1Gi", "1-2"));
        assertThat(node("gang-0", "a")).isEqualTo("a");

        assertThat(node("gang-1", "a")).contains("does not fit as a whole");
        assertThat(node("gang-0", "a", "b")).isEqualTo("b");
        assertThat(node("gang-1", "a")).isEqualTo("a");
    }

    @Test
    void podsOfOtherKindsStayInTheDomain() {
        cluster.apply(inRack("a", "1"), inRack("b", "2"));
        gang("gang", 3, 2, 3, 0, List.of("rack"));
        cluster.apply(member("gang", 2, 4, 0));

        assertThat(node("gang-0", "a")).contains("does not fit as a whole");
    }

    @Test
    void othersDoNotTakeThePlaceOfPlannedPods() {
        cluster.apply(ClusterYaml.node("a"));
        gang(2, 2);
        PodFacts small = ClusterYaml.pending("small", "cpu: 1, memory: 1Gi");
        PodFacts large = ClusterYaml.pending("large", "cpu: 2, memory: 1Gi");

        assertThat(node("gang-0", "a")).isEqualTo("a");

        assertThat(cluster.state.reserved().refusal("a", small, new EvaluationBudget(1_000_000_000)))
                .isEmpty();
        assertThat(cluster.state.reserved().refusal("a", large, new EvaluationBudget(1_000_000_000)))
                .isPresent();
        assertThat(cluster.binds("a", large)).as("also at bind").isFalse();
    }

    @Test
    void aGangThatIsBeingBoundIsNotStoppedByAPodThatIsNominatedMeanwhile() {
        cluster.apply(ClusterYaml.node("a"));
        gang(2, 2);
        node("gang-0", "a");
        node("gang-1", "a");
        assertThat(bind("gang-0", "a")).isTrue();
        cluster.apply(ClusterYaml.pod(
                "first", "cpu: \"4\", memory: 1Gi", "", "  priority: 10", ", phase: Pending, nominatedNodeName: a"));

        assertThat(bind("gang-1", "a")).isTrue();
    }

    @Test
    void aPlanThatIsNotUsedEnds() {
        cluster.apply(ClusterYaml.node("a"));
        gang(2, 2);
        node("gang-0", "a");

        nanos.addAndGet(Gangs.PLAN_TIMEOUT.toNanos());
        gangs.expire();

        assertThat(cluster.state.reserved().hasPlanned()).isFalse();
        assertThat(outcomes).containsExactly(Outcome.PLANNED, Outcome.EXPIRED);
    }

    @Test
    void aNewAttemptOfTheSchedulerIsPlannedAnew() {
        cluster.apply(ClusterYaml.node("a"), ClusterYaml.node("b"));
        gang(2, 2);
        assertThat(node("gang-0", "a", "b")).isEqualTo("a");
        assertThat(node("gang-1", "a", "b")).isEqualTo("a");

        cluster.apply(ClusterYaml.running("x", "a", "cpu: \"4\", memory: 1Gi", "1-4"));

        assertThat(node("gang-0", "a", "b")).isEqualTo("b");
        assertThat(node("gang-1", "a", "b")).isEqualTo("b");
        assertThat(cluster.state.reserved().planned("a")).isEmpty();
    }

    /** Its plugins know what is not modelled here, such as inter-pod affinity. */
    @Test
    void aNodeThatTheSchedulerItselfRefusesIsReplaced() {
        cluster.apply(ClusterYaml.node("a"), ClusterYaml.node("b"));
        gang(2, 2);
        assertThat(node("gang-0", "a", "b")).isEqualTo("a");

        assertThat(node("gang-1", "b")).isEqualTo("b");

        assertThat(bind("gang-0", "a")).isTrue();
        assertThat(bind("gang-1", "b")).isTrue();
    }

    /** Such as inter-pod affinity with a pod that has ended since. */
    @Test
    void aNodeThatTheSchedulerHasRefusedOnceIsPlannedAgainLater() {
        cluster.apply(ClusterYaml.node("a"), ClusterYaml.node("b"));
        gang(2, 2);
        node("gang-0", "a", "b");
        node("gang-1", "b");
        cluster.apply(
                ClusterYaml.running("x", "b", "cpu: \"4\", memory: 1Gi", "1-4"),
                ClusterYaml.running("y", "b", "cpu: \"4\", memory: 1Gi", "5-8"));
        assertThat(node("gang-0", "a", "b")).contains("does not fit as a whole");

        nanos.addAndGet(Gangs.EXCLUSION_TIMEOUT.toNanos());
        gangs.expire();

        assertThat(node("gang-0", "a", "b")).isEqualTo("a");
        assertThat(node("gang-1", "a", "b")).isEqualTo("a");
    }

    /** A pod with another scheduling gate is not tried: nobody plans it. */
    @Test
    void podsWithASchedulingGateTakeNoPlaceOfOthers() {
        cluster.apply(
                ClusterYaml.node("a"),
                ClusterYaml.pod(
                        "a-gated", // before the others, by age and name
                        "cpu: \"3\", memory: 1Gi",
                        "",
                        "  schedulingGroup: {podGroupName: gang}\n  schedulingGates: [{name: example.com/other}]",
                        ", phase: Pending"));
        gang(2, 2);

        assertThat(node("gang-0", "a")).isEqualTo("a");
        assertThat(node("gang-1", "a")).isEqualTo("a");
    }

    @Test
    void aBindDoesNotWaitForPodsOfOtherPlans() {
        cluster.apply(ClusterYaml.node("a"));
        PodFacts other = ClusterYaml.pending("other", "cpu: 1, memory: 1Gi");
        PlanReservations reservations = new PlanReservations(cluster.state);
        reservations.reserve(
                -1,
                new GroupPlan(Map.of("a", List.of(other))),
                List.of(cluster.state.use("a").orElseThrow()));
        gang(1, 1);
        assertThat(node("gang-0", "a")).isEqualTo("a");
        long before = nanos.get();

        assertThat(bind("gang-0", "a")).isTrue();

        assertThat(Duration.ofNanos(nanos.get() - before)).isLessThan(Duration.ofSeconds(1));
    }

    /** A call waits for the watch, and kube-scheduler tries no other pod meanwhile. */
    @Test
    void aGroupWhosePodsAreMissingIsNotAwaitedInEachCall() {
        cluster.apply(ClusterYaml.node("a"));
        gang(3, 2);
        node("gang-0", "a");
        long before = nanos.get();

        assertThat(node("gang-0", "a")).isEqualTo("waits for the other pods of its group");

        assertThat(Duration.ofNanos(nanos.get() - before)).isLessThan(Duration.ofMillis(100));
    }

    @Test
    void podsOfOneNodeAreBoundInTheOrderOfThePlan() throws Exception {
        cluster.apply(ClusterYaml.node("a"));
        gang(2, 2);
        node("gang-0", "a");
        node("gang-1", "a");
        List<String> bound = new ArrayList<>();

        waiting = (condition, timeout) -> cluster.state.changes().await(condition, Duration.ofMinutes(3));
        CompletableFuture<Void> second = CompletableFuture.runAsync(() -> {
            bind("gang-1", "a");
            bound.add("gang-1");
        });
        bind("gang-0", "a");
        bound.add("gang-0");
        second.get(3, TimeUnit.MINUTES);

        assertThat(bound).contains("gang-0", "gang-1");
        assertThat(cluster.state.reserved().planned("a")).isEmpty();
    }

    /** The scheduler calls as if they were gone, and only then evicts them. */
    @Test
    void aGangThatLacksSumsIsJudgedWithoutPodsOfLowerPriority() {
        cluster.apply(
                ClusterYaml.node("a")
                        .replace("allocatable: {", "allocatable: {cpu: \"8\", memory: 64Gi, pods: \"110\", "),
                ClusterYaml.running("x", "a", "cpu: \"3\", memory: 1Gi", "1-3"),
                ClusterYaml.running("y", "a", "cpu: \"3\", memory: 1Gi", "5-7"));
        gang("gang", 2, 2, 3, 10);

        assertThat(node("gang-0", "a")).isEqualTo("a");
        assertThat(node("gang-1", "a")).isEqualTo("a");
        assertThat(outcomes).containsExactly(Outcome.PLANNED_WITHOUT_LOWER_PRIORITY);
        assertThat(cluster.state.reserved().hasPlanned())
                .as("nothing is reserved for it yet")
                .isFalse();

        assertThat(bind("gang-0", "a")).as("they still run").isFalse();
        assertThat(bind("gang-1", "a")).isFalse();
        assertThat(node("gang-0", "a"))
                .as("kube-scheduler repeats refused binds at once")
                .contains("does not fit as a whole");

        cluster.deletePod("x");
        cluster.deletePod("y");
        assertThat(node("gang-0", "a")).isEqualTo("a");
        assertThat(outcomes).endsWith(Outcome.PLANNED);
    }

    @Test
    void aGangOfEqualPriorityGetsNothingOfOthers() {
        cluster.apply(
                ClusterYaml.node("a")
                        .replace("allocatable: {", "allocatable: {cpu: \"8\", memory: 64Gi, pods: \"110\", "),
                ClusterYaml.running("x", "a", "cpu: \"3\", memory: 1Gi", "1-3"),
                ClusterYaml.running("y", "a", "cpu: \"3\", memory: 1Gi", "5-7"));
        gang(2, 2);

        assertThat(node("gang-0", "a")).contains("does not fit as a whole");
    }

    @Test
    void aGangWaitsForThePodsThatTheWatchDoesNotShowYet() {
        cluster.apply(ClusterYaml.node("a"));
        gang(2, 1);

        assertThat(node("gang-0", "a")).isEqualTo("waits for the other pods of its group");
    }

    @Test
    void aPodThatIsNotBoundIsReported() {
        cluster.apply(ClusterYaml.node("a"));
        gang(2, 2);
        node("gang-0", "a");
        node("gang-1", "a");

        gangs.notBound(pod("gang-1"), "a", "the API server refused it");

        assertThat(notBound).containsExactly("gang-1");
        assertThat(cluster.state.reserved().planned("a")).hasSize(1);
    }

    @Test
    void whoeverRemembersAGroupIsToldThatItsObjectIsGone() {
        List<String> removed = new ArrayList<>();
        PodGroups known = new PodGroups(() -> {}, group -> removed.add(group.uid()));
        PodGroupName name = new PodGroupName(Kind.NATIVE, "default", "g");
        known.put(new PodGroup(
                name,
                "v1",
                "uid",
                OptionalInt.of(1),
                Collections.emptySortedMap(),
                Collections.emptySortedMap(),
                List.of()));

        known.remove(name);
        known.remove(name);

        assertThat(removed).containsExactly("uid");
    }

    @Test
    void podsOfOtherGroupsAreLeftAlone() {
        cluster.apply(ClusterYaml.node("a"), ClusterYaml.pod("p", "cpu: \"1\", memory: 1Gi", "", "", ""));

        assertThat(filter("p", "a")).isEmpty();
        assertThat(Duration.ofNanos(nanos.get())).isLessThan(Duration.ofMillis(10));
    }

    private static PodFacts important() {
        return ClusterYaml.parsePod(
                ClusterYaml.pod("important", "cpu: \"3\", memory: 1Gi", "", "  priority: 10", ", phase: Pending"));
    }

    /** As kube-scheduler counts: nominated pods of lower priority do not keep their node. */
    @Test
    void aMoreImportantPodMayTakeThePlaceOfAGangBeforeItsFirstBindAndThenNobodyOfItIsBound() {
        cluster.apply(ClusterYaml.node("a"));
        gang(2, 2);
        assertThat(node("gang-0", "a")).isEqualTo("a");
        assertThat(node("gang-1", "a")).isEqualTo("a");
        assertThat(cluster.state.reserved().refusal("a", important(), new EvaluationBudget(1_000_000_000)))
                .isEmpty();

        assertThat(cluster.state
                        .binds()
                        .<Boolean>bind(
                                "a",
                                important(),
                                evaluation -> evaluation.orElseThrow().admits()))
                .isTrue();

        assertThat(bind("gang-0", "a")).isFalse();
        cluster.state.binds().cancel("a", important());
        assertThat(bind("gang-1", "a")).as("its plan is over").isFalse();
    }

    @Test
    void nobodyTakesThePlaceOfAGangThatIsBeingBound() {
        cluster.apply(ClusterYaml.node("a"));
        gang(2, 2);
        assertThat(node("gang-0", "a")).isEqualTo("a");
        assertThat(node("gang-1", "a")).isEqualTo("a");
        assertThat(bind("gang-0", "a")).isTrue();

        assertThat(cluster.state.reserved().refusal("a", important(), new EvaluationBudget(1_000_000_000)))
                .isPresent();
        assertThat(cluster.binds("a", important())).isFalse();
        assertThat(bind("gang-1", "a")).isTrue();
    }

    /** Its plan would never end, and nodes would be reserved for it for ever. */
    @Test
    void planNothingInAGangThatIsRemovedWhileAFilterCallWaitsForIt() throws InterruptedException {
        cluster.apply(ClusterYaml.node("a"));
        gang(1, 1);
        PodFacts pod = pod("gang-0");
        filter("gang-0", "a");
        cluster.deletePod("gang-0");
        NodeNames names = NodeNames.of(cluster.state.index(), List.of("a"));
        Thread waiting = new Thread(() -> gangs.filter(pod, names, Optional.empty()));

        Gang gang = gangs.gang(pod).orElseThrow();
        synchronized (gang) {
            waiting.start();
            while (waiting.isAlive() && waiting.getState() != Thread.State.BLOCKED) {
                Thread.onSpinWait();
            }
            nanos.addAndGet(Gangs.PLAN_TIMEOUT.toNanos());
            gangs.expire();
            gangs.filter(pod, names, Optional.empty());
        }
        waiting.join();
        nanos.addAndGet(Gangs.PLAN_TIMEOUT.toNanos());
        gangs.expire();

        assertThat(cluster.state.reserved().hasPlanned()).isFalse();
    }
}
