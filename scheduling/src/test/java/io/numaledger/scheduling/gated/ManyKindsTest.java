package io.numaledger.scheduling.gated;

import io.numaledger.evaluation.facts.PodFacts;
import io.numaledger.evaluation.facts.PodGroupName;
import io.numaledger.evaluation.facts.PodGroupName.Kind;
import io.numaledger.objects.ClusterYaml;
import io.numaledger.scheduling.TestCluster;
import io.numaledger.scheduling.group.GroupExplanation;
import io.numaledger.scheduling.group.GroupListener;
import io.numaledger.scheduling.group.PlanReservations;
import io.numaledger.scheduling.group.PlanningResult;
import io.numaledger.scheduling.group.PodGroups;
import io.numaledger.scheduling.group.TopologyPlace;
import org.junit.jupiter.api.Test;

import java.time.Instant;
import java.time.InstantSource;
import java.util.ArrayList;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.stream.IntStream;

import static org.assertj.core.api.Assertions.assertThat;

/** A group of thousands of pods that are all different, each of which may run on each node, beside groups of other namespaces. */
class ManyKindsTest {

    private static final int PODS = 6_000;
    private static final int NODES = 100;

    private static final String NOT_ON =
            "  affinity: {nodeAffinity: {requiredDuringSchedulingIgnoredDuringExecution: {nodeSelectorTerms: "
                    + "[{matchExpressions: [{key: not-%d, operator: DoesNotExist}]}]}}}";

    private static final Instant NOW = Instant.parse("2026-01-01T00:00:00Z");

    private final TestCluster cluster = new TestCluster((pod, reservation) -> {}, InstantSource.fixed(NOW));
    private final Set<String> released = new LinkedHashSet<>();
    private final List<String> refused = new ArrayList<>();
    private final GatedGroups groups = new GatedGroups(
            cluster.state,
            new PodGroups(),
            new PlanReservations(cluster.state),
            new RecordingWriter(),
            new GroupListener() {
                @Override
                public void planned(Group group, Outcome outcome, int needed, PlanningResult result) {
                    if (outcome == Outcome.REFUSED) {
                        refused.add(group.name() + " " + result.notes());
                    }
                }
            },
            InstantSource.fixed(NOW),
            GatedGroups.Settings.of(Set.of("default-scheduler")),
            Optional.empty());

    private final class RecordingWriter implements GroupWriter {

        @Override
        public void release(PodFacts pod, String node, Optional<TopologyPlace> place) {
            released.add(pod.key());
            cluster.apply(gated(pod.namespace(), "small", 0, 1, 0, "")
                    .replace(
                            "numaledger.io/min-member",
                            "numaledger.io/planned-node: %s, numaledger.io/min-member".formatted(node))
                    .replace("  schedulingGates: [{name: numaledger.io/group}]\n", ""));
        }

        @Override
        public void preempt(PodFacts victim) {}

        @Override
        public void evict(PodFacts pod) {}
    }

    private static String gated(String namespace, String group, int pod, int least, int priority, String spec) {
        return ClusterYaml.pod(
                        group + "-" + pod,
                        "cpu: 1m, memory: 1Mi",
                        ", labels: {numaledger.io/pod-group: %s}, annotations: {numaledger.io/min-member: \"%d\"}"
                                .formatted(group, least),
                        "  priority: %d\n  schedulingGates: [{name: numaledger.io/group}]\n%s"
                                .formatted(priority, spec),
                        ", phase: Pending")
                .replace("namespace: default", "namespace: " + namespace)
                .replace("uid: uid", "uid: " + namespace)
                .replace("limits", "requests")
                .replace("Guaranteed", "Burstable");
    }

    /** Its pods are told apart by a label that no node has. */
    private static String[] different(String namespace, String group, int priority) {
        return IntStream.range(0, PODS)
                .mapToObj(i -> gated(namespace, group, i, PODS, priority, NOT_ON.formatted(i)))
                .toArray(String[]::new);
    }

    private void nodes() {
        IntStream.range(0, NODES).forEach(i -> cluster.apply(ClusterYaml.node("n%04d".formatted(i))));
    }

    @Test
    void aGroupOfOtherNamespacesIsPlannedInTheSameRound() {
        nodes();
        cluster.apply(different("hostile", "large", 1000));
        cluster.apply(gated("other", "small", 0, 1, 0, ""));

        groups.check();

        assertThat(released).containsExactly("other/small-0");
    }

    @Test
    void theGroupIsExplained() {
        nodes();
        cluster.apply(different("hostile", "large", 0));

        GroupExplanation explanation =
                GroupExplanation.of(cluster.state, new PodGroupName(Kind.LABEL, "hostile", "large"), PODS);

        assertThat(explanation.fits() || explanation.cutOff()).isTrue();
    }
}
