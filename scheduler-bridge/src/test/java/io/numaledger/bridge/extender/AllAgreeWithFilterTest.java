package io.numaledger.bridge.extender;

import com.fasterxml.jackson.databind.ObjectMapper;
import io.numaledger.evaluation.budget.EvaluationBudget;
import io.numaledger.evaluation.facts.PodFacts;
import io.numaledger.evaluation.fit.Evaluation;
import io.numaledger.evaluation.holder.PodNames;
import io.numaledger.objects.ClusterYaml;
import io.numaledger.scheduling.TestClaims;
import io.numaledger.scheduling.TestCluster;
import io.numaledger.scheduling.explain.Explanation;
import io.numaledger.scheduling.explain.ExplanationLimits;
import io.numaledger.scheduling.gang.Gangs;
import io.numaledger.scheduling.group.EvictionSearch;
import io.numaledger.scheduling.group.GroupPlanner;
import io.numaledger.scheduling.group.GroupPreemption;
import io.numaledger.scheduling.preemption.DisruptionBudgets;
import io.numaledger.scheduling.preemption.SearchLimit;
import io.numaledger.scheduling.preemption.VictimSearch;
import io.numaledger.scheduling.preemption.Victims;
import io.numaledger.scheduling.queue.PendingPodQueue;
import io.numaledger.scheduling.state.NodeUse;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.Collection;
import java.util.List;
import java.util.Optional;
import java.util.Random;
import java.util.Set;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import java.util.stream.LongStream;
import java.util.stream.Stream;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * All that are asked about a pod agree with {@code filter} on the same cluster. A node of two zones with 4 CPUs each has pods that run,
 * terminate or are in flight, and is reserved for nominated pods and for plans.
 */
class AllAgreeWithFilterTest {

    private static final PodFacts IN_FLIGHT = ClusterYaml.pending("in-flight", "cpu: \"1\", memory: 1Gi");
    private static final Pattern WITHOUT = Pattern.compile("default/([a-z0-9-]+)");
    private static final Pattern SMALLER = Pattern.compile("it would fit with (\\d+) cpu");

    private static final ObjectMapper JSON = new ObjectMapper();

    private final TestCluster cluster = new TestCluster();
    private long nanos;
    private final PendingPodQueue queue = new PendingPodQueue(
            cluster.state, cluster.evaluator, Duration.ofSeconds(1), () -> nanos, (pod, node) -> {});
    private final FilterVerb filter = new FilterVerb(
            cluster.state,
            cluster.evaluator,
            queue,
            Gangs.none(cluster.state),
            new NoListener(),
            ZoneRefusals.unresolvable,
            CandidateLimit.DEFAULT);

    static LongStream seeds() {
        return LongStream.range(0, 600);
    }

    private boolean isLeft(PodFacts pod) throws IOException {
        String body = """
                {"Pod": {"metadata": {"name": "%s", "namespace": "default", "uid": "%s"}, "spec": {"containers": []}},
                 "NodeNames": ["n"]}""".formatted(pod.name(), pod.uid().orElseThrow());
        return !JSON.readTree(filter.answer(body.getBytes(StandardCharsets.UTF_8)))
                .path("NodeNames")
                .isEmpty();
    }

    private PodFacts pending(String name, Random random, boolean nominated) {
        String limits = "cpu: \"%d\", memory: 1Gi".formatted(1 + random.nextInt(4));
        cluster.apply(ClusterYaml.pod(
                name,
                limits,
                ", creationTimestamp: \"2026-01-01T00:00:0%dZ\"".formatted(random.nextInt(3)),
                "  priority: " + random.nextInt(3),
                ", phase: Pending" + (nominated ? ", nominatedNodeName: n" : "")));
        return cluster.state.pods().get("default/" + name).orElseThrow();
    }

    private void plan(PodFacts pod, Random random) {
        long number = 1L + random.nextInt(3);
        Set<String> awaited = random.nextInt(3) == 0 ? Set.of("uid-u0", "uid-u1") : Set.of();
        assertThat(cluster.state.reserved().plan(cluster.state.use("n").orElseThrow(), number, List.of(pod), awaited))
                .isTrue();
        if (random.nextInt(4) == 0) {
            cluster.state.reserved().planTaken("n", number);
        }
    }

    private void occupy(Random random) {
        for (int zone = 0; zone < 2; zone++) {
            int used = random.nextInt(4);
            if (used > 0) {
                int first = zone == 0 ? 1 : 5;
                String limits = "cpu: \"%d\", memory: 1Gi".formatted(used);
                String pod = ClusterYaml.running("u" + zone, "n", limits, first + "-" + (first + used - 1));
                cluster.apply(random.nextBoolean() ? ClusterYaml.terminating(pod) : pod);
            }
        }
        cluster.state.binds().bind("n", IN_FLIGHT, evaluation -> evaluation);
    }

    private PodFacts reserveAndAsk(Random random) {
        cluster.apply(ClusterYaml.node("n"));
        occupy(random);
        for (int i = random.nextInt(3); i >= 0; i--) {
            boolean nominated = random.nextBoolean();
            PodFacts pod = pending("p" + i, random, nominated);
            if (!nominated || random.nextInt(4) == 0) {
                plan(pod, random);
            }
        }
        PodFacts newcomer = pending("newcomer", random, random.nextInt(4) == 0);
        if (random.nextInt(4) == 0) {
            plan(newcomer, random);
        }
        return newcomer;
    }

    private Explanation explained(PodFacts pod) {
        return Explanation.ofAll(cluster.state, pod).get(0);
    }

    private void end(Collection<PodFacts> pods) {
        pods.forEach(cluster.state::podDeleted);
    }

    private List<PodFacts> terminating() {
        return cluster.state.podsOn("n").stream().filter(PodFacts::terminating).toList();
    }

    /** A pod that filter refuses is not bound, one that it admits is, and explain says the same. */
    @ParameterizedTest
    @MethodSource("seeds")
    void bindAndExplain(long seed) throws IOException {
        PodFacts newcomer = reserveAndAsk(new Random(seed));

        boolean left = isLeft(newcomer);
        Evaluation byZones = cluster.evaluate(List.of("n"), newcomer).get(0);
        Explanation explanation = explained(newcomer);

        assertThat(cluster.binds("n", newcomer))
                .as("a pod is awaited where others end for it, and not bound before")
                .isEqualTo(left && byZones.admits());
        assertThat(explanation.schedulable())
                .as("%s %s", explanation.evaluation(), explanation.nodeReasons())
                .isEqualTo(left && byZones.admits());
        if (left && !byZones.admits()) {
            assertThat(explanation.advice().map(PodNames.ALL::text).orElse("")).startsWith("wait: ");
        }
        if (byZones.admits() && !left) {
            assertThat(explanation.evaluation())
                    .isEqualTo(cluster.state
                            .reserved()
                            .refusal("n", newcomer, cluster.state.budget(newcomer, 1))
                            .orElseThrow());
        }
    }

    /** Pods that were refused before others ended go before younger ones. */
    @ParameterizedTest
    @MethodSource("seeds")
    void explainBesideOlderPods(long seed) throws IOException {
        Random random = new Random(seed);
        cluster.apply(ClusterYaml.node("n"));
        occupy(random);
        for (int i = random.nextInt(3); i >= 0; i--) {
            isLeft(pending("older" + i, random, random.nextInt(4) == 0));
        }
        nanos += Duration.ofSeconds(2).toNanos();
        cluster.state.pods().get("default/u" + random.nextInt(2)).ifPresent(cluster.state::podDeleted);
        PodFacts newcomer = pending("newcomer", random, false);

        Explanation explanation = ExplanationLimits.explain(
                        cluster.state, List.of(), newcomer, List.of(), queue.reservedForOlder(newcomer))
                .get(0);

        assertThat(explanation.schedulable()).isEqualTo(isLeft(newcomer));
    }

    /** Whoever may explain pods could else take their reservations from older pods of others. */
    @Test
    void explainingCostsOlderPodsNothing() {
        String container = "  - {name: %s, image: x, resources: {limits: {cpu: 10m, memory: 1Mi}}}\n";
        String containers = IntStream.range(0, 100)
                .mapToObj(i -> container.formatted("c" + i))
                .collect(Collectors.joining());
        cluster.apply(ClusterYaml.pod(
                        "older",
                        "",
                        ", creationTimestamp: \"2026-01-01T00:00:00Z\"",
                        "  priority: 2",
                        ", phase: Pending")
                .replaceFirst("  - .*\n", containers));
        queue.restore(cluster.state.pods().get("default/older").orElseThrow());
        nanos += Duration.ofSeconds(2).toNanos();
        IntStream.range(0, 60).forEach(i -> cluster.apply(ClusterYaml.node("n" + i)));
        PodFacts newcomer = pending("newcomer", new Random(1), false);

        assertThat(ExplanationLimits.explain(
                        cluster.state, List.of(), newcomer, List.of(), queue.reservedForOlder(newcomer)))
                .hasSize(60)
                .allMatch(Explanation::schedulable);

        assertThat(cluster.state.costlyPods().count()).isZero();
    }

    /** A pod that names its node may have a claim to which no devices are allocated: it takes none from anybody. */
    @ParameterizedTest
    @MethodSource("seeds")
    void claims(long seed) throws IOException {
        Random random = new Random(seed);
        TestClaims claims = new TestClaims(cluster.state.claims());
        cluster.apply(ClusterYaml.node("n").replace("v1.36.3", random.nextBoolean() ? "v1.36.3" : "v1.35.0"));
        claims.devices("n", random.ints(1 + random.nextInt(3), -1, 2).toArray());
        for (int zone = 0; zone < 2; zone++) {
            String name = "u" + zone;
            if (random.nextBoolean()) {
                claims.allocated(name, "n", zone, name);
            } else {
                claims.claim(name, 1);
            }
            int used = 1 + random.nextInt(3);
            int first = 1 + 4 * zone;
            cluster.apply(TestClaims.withClaim(ClusterYaml.running(
                    name, "n", "cpu: \"%d\", memory: 1Gi".formatted(used), first + "-" + (first + used - 1))));
        }
        claims.claim("newcomer", 1 + random.nextInt(2));
        cluster.apply(TestClaims.yaml("newcomer", "cpu: \"2\", memory: 1Gi", "required", "newcomer"));
        PodFacts newcomer = cluster.state.pods().get("default/newcomer").orElseThrow();

        boolean left = isLeft(newcomer);

        Explanation explanation = explained(newcomer);
        assertThat(explanation.schedulable())
                .as("%s %s", explanation.evaluation(), explanation.nodeReasons())
                .isEqualTo(left);
        assertThat(cluster.state
                        .use("n", cluster.state.budget(newcomer, 1))
                        .orElseThrow()
                        .now()
                        .with(newcomer)
                        .isPresent())
                .isEqualTo(left);
    }

    /** When the victims that preempt names have ended, and the terminating pods, filter admits the pod. */
    @ParameterizedTest
    @MethodSource("seeds")
    void preempt(long seed) throws IOException {
        PodFacts newcomer = reserveAndAsk(new Random(seed));

        Optional<Victims> victims = new VictimSearch(
                        cluster.state
                                .use("n", cluster.state.budget(newcomer, 1))
                                .orElseThrow(),
                        newcomer,
                        DisruptionBudgets.NONE,
                        new SearchLimit())
                .find(Set.of());
        if (victims.isPresent()) {
            end(terminating());
            end(victims.get().pods());
            assertThat(isLeft(newcomer)).as("without %s", victims.get().pods()).isTrue();
        }
    }

    /** When those have ended that are named for a group, filter and bind admit its pods, one after the other. */
    @ParameterizedTest
    @MethodSource("seeds")
    void groupPreemption(long seed) throws IOException {
        Random random = new Random(seed);
        cluster.apply(ClusterYaml.node("n"));
        occupy(random);
        for (int i = random.nextInt(3); i > 0; i--) {
            pending("p" + i, random, true);
        }
        int cpus = 1 + random.nextInt(4);
        List<PodFacts> members = Stream.of("g-0", "g-1")
                .map(name -> {
                    cluster.apply(ClusterYaml.pod(
                            name, "cpu: \"%d\", memory: 1Gi".formatted(cpus), "", "  priority: 2", ", phase: Pending"));
                    return cluster.state.pods().get("default/" + name).orElseThrow();
                })
                .toList();

        Optional<EvictionSearch.Proposal> found = new GroupPreemption(cluster.state, () -> DisruptionBudgets.NONE)
                .find(
                        new GroupPlanner(cluster.state.claims(), 20_000),
                        cluster.state.uses(new EvaluationBudget(1_000_000_000)),
                        members,
                        2);

        if (found.isPresent()) {
            NodeUse use = cluster.state.use("n").orElseThrow();
            Set<String> awaited = found.get().place().awaited();
            assertThat(cluster.state.reserved().plan(use, 9, members, awaited)).isTrue();
            end(terminating());
            end(found.get().victims().pods());
            for (PodFacts member : members) {
                assertThat(isLeft(member))
                        .as("%s without %s", member.key(), found.get().victims().pods())
                        .isTrue();
                assertThat(cluster.binds("n", member)).isTrue();
            }
        }
    }

    /** What advice says, carried out, makes filter admit the pod. */
    @ParameterizedTest
    @MethodSource("seeds")
    void advice(long seed) throws IOException {
        PodFacts newcomer = reserveAndAsk(new Random(seed));

        String advice = explained(newcomer).advice().map(PodNames.ALL::text).orElse("");
        Matcher smaller = SMALLER.matcher(advice);
        if (advice.startsWith("wait: ")) {
            end(terminating());
            assertThat(isLeft(newcomer)).as(advice).isTrue();
        } else if (advice.startsWith("the pod would fit without ")) {
            end(WITHOUT.matcher(advice)
                    .results()
                    .flatMap(match -> cluster.state.pods().get("default/" + match.group(1)).stream())
                    .toList());
            if (advice.contains("in-flight")) {
                cluster.state.binds().cancel("n", IN_FLIGHT);
            }
            assertThat(isLeft(newcomer)).as(advice).isTrue();
        } else if (smaller.find() && !advice.contains("without them")) {
            PodFacts less = ClusterYaml.parsePod(ClusterYaml.pod(
                    "less",
                    "cpu: \"%s\", memory: 1Gi".formatted(smaller.group(1)),
                    "",
                    "  priority: " + newcomer.priority().value(),
                    ""));
            assertThat(isLeft(less)).as(advice).isTrue();
        }
    }
}
