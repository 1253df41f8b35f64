package io.numaledger.scheduling.gang;

import io.numaledger.evaluation.facts.PodFacts;
import io.numaledger.evaluation.facts.PodGroup;
import io.numaledger.evaluation.facts.PodGroupName;
import io.numaledger.evaluation.facts.PodGroupName.Kind;
import io.numaledger.objects.ClusterYaml;
import io.numaledger.scheduling.TestCluster;
import io.numaledger.scheduling.group.GroupListener;
import io.numaledger.scheduling.group.PlanReservations;
import io.numaledger.scheduling.group.PodGroups;
import io.numaledger.scheduling.state.NodeNames;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

import java.time.Duration;
import java.util.ArrayList;
import java.util.Collections;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalInt;
import java.util.Random;
import java.util.Set;
import java.util.concurrent.atomic.AtomicLong;
import java.util.stream.IntStream;
import java.util.stream.LongStream;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * How kube-scheduler chooses the pods that it evicts for a gang ({@code pkg/scheduler/framework/preemption/podgrouppreemption.go}), with the
 * answers of {@link Gangs}: four nodes of two zones of 4 CPUs each, eight pods of 3 CPUs, and a gang of four more of higher priority.
 */
class GangPreemptionTest {

    private static final List<String> NODES = List.of("a", "b", "c", "d");
    private static final int CPUS_OF_NODE = 8;
    private static final int CPUS_OF_POD = 3;
    private static final int MEMBERS = 4;

    private final TestCluster cluster = new TestCluster();
    private final AtomicLong nanos = new AtomicLong();
    private final PodGroups groups = new PodGroups();
    private final Gangs gangs = new Gangs(
            cluster.state,
            groups,
            new PlanReservations(cluster.state),
            new GroupListener() {},
            () -> nanos.addAndGet(Duration.ofMillis(1).toNanos()),
            cluster.state.changes()::await,
            pod -> {});

    /** Pod → node. */
    private final Map<String, String> low = new HashMap<>();

    /** Pod → the node that kube-scheduler has chosen in its last attempt. */
    private final Map<String, String> chosen = new HashMap<>();

    /** What the watch shows after the next call. */
    private Runnable late = () -> {};

    static LongStream seeds() {
        return LongStream.range(0, 50);
    }

    @BeforeEach
    void fill() {
        for (String node : NODES) {
            cluster.apply(ClusterYaml.node(node)
                    .replace("allocatable: {", "allocatable: {cpu: \"8\", memory: 64Gi, pods: \"110\", "));
            for (String cpus : List.of("1-3", "5-7")) {
                String name = "low-%s-%s".formatted(node, cpus);
                cluster.apply(ClusterYaml.running(name, node, "cpu: \"3\", memory: 1Gi", cpus));
                low.put(name, node);
            }
        }
        groups.watched(Kind.NATIVE);
        groups.put(new PodGroup(
                new PodGroupName(Kind.NATIVE, "default", "high"),
                "scheduling.k8s.io/v1beta1",
                "uid-high",
                OptionalInt.of(MEMBERS),
                Collections.emptySortedMap(),
                Collections.emptySortedMap(),
                List.of()));
        IntStream.range(0, MEMBERS).forEach(i -> cluster.apply(member("high-" + i, "")));
    }

    private static String member(String name, String node) {
        return ClusterYaml.pod(
                name,
                "cpu: \"3\", memory: 1Gi",
                "",
                "  priority: 10\n  schedulingGroup: {podGroupName: high}\n  nodeName: \"%s\"".formatted(node),
                ", phase: Pending");
    }

    /** Whether kube-scheduler finds a node for each pod of the gang while these pods of lower priority run. */
    private boolean fits(Set<String> running) {
        Map<String, Integer> free = new HashMap<>();
        NODES.forEach(node -> free.put(node, CPUS_OF_NODE));
        running.forEach(pod -> free.merge(low.get(pod), -CPUS_OF_POD, Integer::sum));
        boolean all = true;
        for (int i = 0; i < MEMBERS; i++) {
            Optional<String> node = node("high-" + i, free);
            node.ifPresent(name -> free.merge(name, -CPUS_OF_POD, Integer::sum));
            chosen.put("high-" + i, node.orElse(""));
            all &= node.isPresent();
        }
        return all;
    }

    private PodFacts pod(String name) {
        return cluster.state.pods().get("default/" + name).orElseThrow();
    }

    private Optional<String> node(String pod, Map<String, Integer> free) {
        List<String> names =
                NODES.stream().filter(node -> free.get(node) >= CPUS_OF_POD).toList();
        if (names.isEmpty()) {
            return Optional.empty();
        }
        GangAnswer answer = gangs.filter(pod(pod), NodeNames.of(cluster.state.index(), names), Optional.empty())
                .orElseThrow();
        late.run();
        late = () -> {};
        return names.stream().filter(name -> answer.refusal(name).isEmpty()).findFirst();
    }

    /** @param running without those that were chosen */
    private List<String> victims(Set<String> running, List<String> mostImportantFirst) {
        Set<String> staying = new HashSet<>();
        if (fits(running) || !fits(staying)) {
            return List.of();
        }
        List<String> victims = new ArrayList<>();
        for (String pod : mostImportantFirst) {
            staying.add(pod);
            if (!fits(staying)) {
                staying.remove(pod);
                victims.add(pod);
            }
        }
        return victims;
    }

    private List<String> shuffled(long seed) {
        List<String> pods = new ArrayList<>(low.keySet());
        Collections.sort(pods);
        Collections.shuffle(pods, new Random(seed));
        return pods;
    }

    @ParameterizedTest
    @MethodSource("seeds")
    void noMorePodsAreEvictedThanHaveToBe(long seed) {
        assertThat(victims(low.keySet(), shuffled(seed))).hasSize(MEMBERS);
    }

    /** kube-scheduler knew that pods had ended, was told where the gang fits without them, and could not bind it. */
    @ParameterizedTest
    @MethodSource("seeds")
    void podsAreEvictedThoughABindWasRefusedAMomentAgo(long seed) {
        fits(Set.of());
        assertThat(gangs.beforeBind(pod("high-0"), chosen.get("high-0"))).isPresent();
        nanos.addAndGet(Duration.ofSeconds(2).toNanos());

        assertThat(victims(low.keySet(), shuffled(seed))).hasSize(MEMBERS);
    }

    /** kube-scheduler tries the gang again as soon as the first of them has ended, and has no memory of what it did. */
    @ParameterizedTest
    @MethodSource("seeds")
    void nobodyElseIsEvictedWhileTheEvictedEnd(long seed) {
        List<String> victims = victims(low.keySet(), shuffled(seed));
        cluster.deletePod(victims.get(0));
        victims.stream().skip(1).forEach(pod -> cluster.apply(ClusterYaml.terminating(running(pod))));
        Set<String> running = new HashSet<>(low.keySet());
        running.remove(victims.get(0));

        List<String> more = victims(
                running,
                shuffled(seed + 1_000).stream().filter(running::contains).toList());

        assertThat(victims).containsAll(more);
    }

    /** kube-scheduler knows that the evicted have ended, and tries the gang before the watch shows that here. */
    @ParameterizedTest
    @MethodSource("seeds")
    void nobodyElseIsEvictedIfTheWatchIsLate(long seed) {
        List<String> victims = victims(low.keySet(), shuffled(seed));
        Set<String> running = new HashSet<>(low.keySet());
        victims.forEach(running::remove);
        late = () -> victims.forEach(cluster::deletePod);

        List<String> more = victims(
                running,
                shuffled(seed + 1_000).stream().filter(running::contains).toList());

        assertThat(more).isEmpty();
    }

    /** The plans of the attempts without pods of lower priority have to be forgotten. */
    @ParameterizedTest
    @MethodSource("seeds")
    void theGangRunsWhenTheEvictedHaveEnded(long seed) {
        Set<String> running = new HashSet<>(low.keySet());
        victims(low.keySet(), shuffled(seed)).forEach(pod -> {
            cluster.deletePod(pod);
            running.remove(pod);
        });

        assertThat(fits(running)).isTrue();
        chosen.forEach((pod, node) -> {
            assertThat(gangs.beforeBind(pod(pod), node)).isEmpty();
            assertThat(cluster.binds(node, pod(pod))).isTrue();
            gangs.bound(pod(pod));
            cluster.apply(member(pod, node));
        });
    }

    private String running(String pod) {
        return ClusterYaml.running(pod, low.get(pod), "cpu: \"3\", memory: 1Gi", pod.replaceAll("^low-.-", ""));
    }
}
