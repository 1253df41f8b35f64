package io.numaledger.scheduling.gated;

import io.numaledger.evaluation.facts.PodFacts;
import io.numaledger.evaluation.facts.PodGroupName;
import io.numaledger.objects.ClusterYaml;
import io.numaledger.scheduling.TestCluster;
import io.numaledger.scheduling.group.GroupExplanation;
import io.numaledger.scheduling.group.GroupListener;
import io.numaledger.scheduling.group.GroupPreemption;
import io.numaledger.scheduling.group.PlanReservations;
import io.numaledger.scheduling.group.PlanningResult;
import io.numaledger.scheduling.group.PodGroups;
import io.numaledger.scheduling.group.TopologyPlace;
import io.numaledger.scheduling.preemption.DisruptionBudgets;
import io.numaledger.scheduling.preemption.Evictor;
import io.numaledger.scheduling.preemption.ZoneEviction;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

import java.time.Instant;
import java.time.InstantSource;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.stream.Collectors;
import java.util.stream.IntStream;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * Nobody is evicted for pods that kube-scheduler may refuse afterwards. The zones of nodes {@code a} and {@code b} are held by pods of
 * priority 0; with one of them gone, a pod of 3 CPUs fits.
 */
class UnprovenPreemptionTest {

    private static final Instant NOW = Instant.parse("2026-01-01T00:00:00Z");
    private static final String REQUIRED = "requiredDuringSchedulingIgnoredDuringExecution";
    private static final String CPUS_OF_ZONE_1 = "5-8";

    private final TestCluster cluster = new TestCluster((pod, reservation) -> {}, InstantSource.fixed(NOW));
    private final List<String> evicted = new ArrayList<>();
    private final List<String> notes = new ArrayList<>();
    private final GatedGroups groups = new GatedGroups(
            cluster.state,
            new PodGroups(),
            new PlanReservations(cluster.state),
            new RecordingWriter(),
            new GroupListener() {
                @Override
                public void planned(Group group, Outcome outcome, int needed, PlanningResult result) {
                    notes.addAll(result.notes());
                }
            },
            InstantSource.fixed(NOW),
            GatedGroups.Settings.of(Set.of("default-scheduler")),
            Optional.of(new GroupPreemption(cluster.state, () -> DisruptionBudgets.NONE)));

    private final class RecordingWriter implements GroupWriter {

        @Override
        public void release(PodFacts pod, String node, Optional<TopologyPlace> place) {}

        @Override
        public void preempt(PodFacts victim) {
            evicted.add(victim.name());
        }

        @Override
        public void evict(PodFacts pod) {
            evicted.add(pod.name());
        }
    }

    @BeforeEach
    void twoFullNodes() {
        for (String node : List.of("a", "b")) {
            cluster.apply(
                    ClusterYaml.node(node).replace("{name: %s}\nstatus".formatted(node), """
                            {name: %1$s, labels: {kubernetes.io/hostname: %1$s, rack: r-%1$s}}
                            status""".formatted(node)),
                    running(node + "-0", node, "1-4", ""),
                    running(node + "-1", node, CPUS_OF_ZONE_1, ""));
        }
    }

    private static String running(String name, String node, String cpus, String spec) {
        return ClusterYaml.running(name, node, "cpu: \"4\", memory: 1Gi", cpus)
                .replace("  nodeName:", spec + "  nodeName:");
    }

    private static String gated(String spec) {
        return ClusterYaml.pod(
                "g-0",
                "cpu: \"3\", memory: 1Gi",
                ", labels: {app: train, numaledger.io/pod-group: g}, annotations: {numaledger.io/min-member: \"1\"}",
                "  priority: 10\n  schedulingGates: [{name: numaledger.io/group}]\n" + spec,
                ", phase: Pending");
    }

    private static String withContainer(String pod, String field) {
        return pod.replace("{name: c, image: x,", "{name: c, image: x, %s,".formatted(field));
    }

    @ParameterizedTest(name = "{0}")
    @CsvSource(delimiter = '|', textBlock = """
            required pod affinity      | affinity: {podAffinity: {REQUIRED: [{topologyKey: rack, labelSelector: {matchLabels: {app: nothing}}}]}}
            required pod anti-affinity | affinity: {podAntiAffinity: {REQUIRED: [{topologyKey: rack, labelSelector: {matchLabels: {app: train}}}]}}
            topology spread constraints | topologySpreadConstraints: [{maxSkew: 1, topologyKey: rack, whenUnsatisfiable: DoNotSchedule}]
            volumes                    | volumes: [{name: v, persistentVolumeClaim: {claimName: data}}]
            volumes                    | volumes: [{name: v, ephemeral: {volumeClaimTemplate: {}}}]
            volumes                    | volumes: [{name: v, awsElasticBlockStore: {volumeID: vol-1}}]
            resource claims            | resourceClaims: [{name: gpu, resourceClaimName: shared}]
            features that nodes declare | {hostNetwork: true, hostUsers: false}
            """)
    void nobodyIsEvictedForAGroupWithConstraintsThatAreNotModelled(String named, String spec) {
        cluster.apply(gated("  " + spec.replace("REQUIRED", REQUIRED).replaceAll("^\\{(.*), (.*)}$", "$1\n  $2")));

        groups.check();

        assertThat(evicted).isEmpty();
        assertThat(notes)
                .containsExactly(
                        "nobody is evicted for it, because plans do not consider what its pods have: " + named);
        assertThat(explanation().unmodelled()).hasSize(1);
        assertThat(explanation().evictions()).isEmpty();
    }

    @Test
    void manyPortsOfTheHostAndRulesOfContainersCountToo() {
        String ports = IntStream.rangeClosed(1, 65)
                .mapToObj("{containerPort: 80, hostPort: %d}"::formatted)
                .collect(Collectors.joining(", ", "ports: [", "]"));
        String rules = "restartPolicyRules: [{action: RestartAllContainers, exitCodes: {operator: In, values: [88]}}]";
        cluster.apply(withContainer(withContainer(gated(""), ports), rules));

        groups.check();

        assertThat(evicted).isEmpty();
        assertThat(notes).anyMatch(note -> note.endsWith(": many host ports, features that nodes declare"));
    }

    @ParameterizedTest
    @CsvSource({"a, b", "b, a"})
    void nobodyIsEvictedWhereTheHostPortStaysTaken(String taken, String other) {
        String port = "ports: [{containerPort: 80, hostPort: 80}]";
        cluster.apply(
                withContainer(
                        ClusterYaml.running("port", taken, "cpu: 10m", "")
                                .replace("  nodeName:", "  priority: 10\n  nodeName:"),
                        port),
                withContainer(gated(""), port));

        groups.check();

        assertThat(evicted).hasSize(1).allMatch(victim -> victim.startsWith(other + "-"));
    }

    private GroupExplanation explanation() {
        return GroupExplanation.of(cluster.state, new PodGroupName(PodGroupName.Kind.LABEL, "default", "g"), 1);
    }

    /** None of these makes kube-scheduler refuse a node. */
    @ParameterizedTest(name = "{0}")
    @CsvSource(delimiter = '|', textBlock = """
            no constraints      | terminationGracePeriodSeconds: 1
            preferred affinity  | affinity: {podAffinity: {preferredDuringSchedulingIgnoredDuringExecution: [{weight: 1}]}}
            spread as it can be | topologySpreadConstraints: [{maxSkew: 1, topologyKey: rack, whenUnsatisfiable: ScheduleAnyway}]
            plain volumes       | volumes: [{name: v, emptyDir: {}}, {name: w, configMap: {name: c}}, {name: x, projected: {}}]
            """)
    void podsAreStillEvictedForOthers(String situation, String spec) {
        cluster.apply(gated("  " + spec));

        groups.check();

        assertThat(evicted).hasSize(1);
        assertThat(notes).isEmpty();
    }

    /** Also where the pod with the anti-affinity is no victim, and on other nodes of its rack. */
    @Test
    void nobodyIsEvictedWhereTheAntiAffinityOfARunningPodKeepsTheGroupAway() {
        cluster.apply(
                running("a-0", "a", "1-4", antiAffinity("rack", "train")),
                running("b-0", "b", "1-4", antiAffinity("rack", "train")),
                gated(""));
        groups.check();
        assertThat(evicted).isEmpty();

        cluster.apply(running("b-0", "b", "1-4", antiAffinity("rack", "other")));
        groups.check();
        assertThat(evicted).hasSize(1).allMatch(victim -> victim.startsWith("b-"));
    }

    private static String antiAffinity(String topologyKey, String app) {
        return "  affinity: {podAntiAffinity: {%s: [{topologyKey: %s, labelSelector: {matchExpressions: [{key: app, operator: In, values: [%s]}]}}]}}\n"
                .formatted(REQUIRED, topologyKey, app);
    }

    /** On either node, the group fits the zones after one eviction. */
    @Test
    void anOverheadCountsInTheSumsOfANode() {
        for (String node : List.of("a", "b")) {
            cluster.apply(ClusterYaml.node(node).replace("allocatable: {nvidia", "allocatable: {cpu: \"8\", nvidia"));
        }
        cluster.apply(
                running("a-0", "a", "1-4", "  overhead: {cpu: \"2\"}\n"),
                running("a-1", "a", CPUS_OF_ZONE_1, "  overhead: {cpu: \"2\"}\n"),
                gated(""));

        groups.check();

        assertThat(evicted).hasSize(1).allMatch(victim -> victim.startsWith("b-"));
    }

    /** kube-scheduler counts such a pod as if it ran there. */
    @Test
    void nobodyIsEvictedWhereAnotherPodIsNominated() {
        cluster.apply(nominated("a"), nominated("b"), gated(""));

        groups.check();

        assertThat(evicted).isEmpty();
    }

    private static String nominated(String node) {
        return ClusterYaml.pod(
                "n-" + node,
                "cpu: \"4\", memory: 1Gi",
                "",
                "  priority: 10",
                ", phase: Pending, nominatedNodeName: " + node);
    }

    @ParameterizedTest(name = "{0}")
    @CsvSource(delimiter = '|', textBlock = """
            its own affinity              | affinity: {podAffinity: {REQUIRED: [{topologyKey: rack, labelSelector: {matchLabels: {app: no}}}]}} | | 0
            anti-affinity of running pods | terminationGracePeriodSeconds: 1 | train | 0
            of pods that do not mind      | terminationGracePeriodSeconds: 1 | other | 1
            """)
    void theSameHoldsForSinglePodsThatWaitForZones(String situation, String spec, String keptAway, int victims) {
        if (keptAway != null) {
            cluster.apply(
                    running("a-0", "a", "1-4", antiAffinity("kubernetes.io/hostname", keptAway)),
                    running("b-0", "b", "1-4", antiAffinity("kubernetes.io/hostname", keptAway)));
        }
        String pod = ClusterYaml.pod(
                "p",
                "cpu: \"4\", memory: 1Gi",
                ", labels: {app: train}",
                "  priority: 10\n  " + spec.replace("REQUIRED", REQUIRED),
                ", phase: Pending");
        cluster.apply(pod);
        ZoneEviction eviction = new ZoneEviction(
                cluster.state,
                () -> DisruptionBudgets.NONE,
                new Evictor() {
                    @Override
                    public void nominate(PodFacts nominated, String node) {}

                    @Override
                    public void evict(PodFacts victim) {
                        evicted.add(victim.name());
                    }
                },
                InstantSource.fixed(NOW));

        eviction.check(List.of(cluster.state.pods().get("default/p").orElseThrow()));

        assertThat(evicted).hasSize(victims);
    }
}
