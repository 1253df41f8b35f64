package io.numaledger.scheduling.gated;

import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import io.numaledger.evaluation.facts.PodFacts;
import io.numaledger.evaluation.facts.PodGroupName;
import io.numaledger.evaluation.snapshot.SnapshotSettings;
import io.numaledger.objects.ClusterYaml;
import io.numaledger.objects.CustomObjectReader;
import io.numaledger.scheduling.TestCluster;
import io.numaledger.scheduling.group.GroupListener;
import io.numaledger.scheduling.group.GroupPreemption;
import io.numaledger.scheduling.group.PlanReservations;
import io.numaledger.scheduling.group.PlanningResult;
import io.numaledger.scheduling.group.PodGroups;
import io.numaledger.scheduling.group.TopologyPlace;
import io.numaledger.scheduling.preemption.DisruptionBudgets;
import io.numaledger.scheduling.topology.Topologies;
import io.numaledger.scheduling.topology.TopologyLevels;
import io.numaledger.scheduling.topology.TopologyLevels.Level;
import org.junit.jupiter.api.Test;

import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.TreeMap;
import java.util.stream.IntStream;

import static org.assertj.core.api.Assertions.assertThat;

/** Each node has two zones of 4 CPUs: two pods of 3 CPUs fit. */
class GatedGroupsTopologyTest {

    private static final ObjectMapper JSON = new ObjectMapper();
    private static final String RACK = "numaledger.io/topology-required: rack";

    private final Instant now = Instant.parse("2026-01-01T00:00:00Z");
    private final TestCluster cluster = new TestCluster(SnapshotSettings.DEFAULT, (pod, reservation) -> {}, () -> now);
    private final Map<String, String> released = new TreeMap<>();
    private final List<String> evicted = new ArrayList<>();
    private final List<String> reports = new ArrayList<>();
    private final PodGroups objects = new PodGroups();
    private final GatedGroups groups = new GatedGroups(
            cluster.state,
            objects,
            new PlanReservations(cluster.state),
            new Writer(),
            new Reports(),
            () -> now,
            GatedGroups.Settings.of(Set.of("default-scheduler")),
            Optional.of(new GroupPreemption(cluster.state, () -> DisruptionBudgets.NONE)));

    private final class Writer implements GroupWriter {

        @Override
        public void release(PodFacts pod, String node, Optional<TopologyPlace> place) {
            released.put(
                    pod.name(),
                    node
                            + place.map(each -> " %s %d".formatted(each.domain(), each.rank()))
                                    .orElse(""));
        }

        @Override
        public void preempt(PodFacts victim) {
            evicted.add(victim.name());
        }

        @Override
        public void evict(PodFacts pod) {
            evicted.add(pod.name());
        }
    }

    private final class Reports implements GroupListener {

        @Override
        public void planned(Group group, Outcome outcome, int needed, PlanningResult result) {
            reports.add("%s %d of %d %s".formatted(outcome, result.placeable(), needed, result.notes()));
        }
    }

    /** A node such as {@code 1x}: rack 1. */
    private void nodes(String... names) {
        for (String name : names) {
            cluster.apply(ClusterYaml.node(name)
                    .replace(
                            "metadata: {name: %s}\nstatus".formatted(name),
                            "metadata: {name: %s, labels: {rack: \"%s\"}}\nstatus".formatted(name, name.charAt(0))));
        }
    }

    private void create(int pods, String annotations, String labels) {
        IntStream.range(0, pods)
                .forEach(i -> cluster.apply(ClusterYaml.pod(
                        "g-" + i,
                        "cpu: \"3\", memory: 1Gi",
                        ", labels: {%s}, annotations: {numaledger.io/min-member: \"%d\", %s}"
                                .formatted(labels.replace("INDEX", "" + (pods - 1 - i)), pods, annotations),
                        "  priority: 10\n  schedulingGates: [{name: numaledger.io/group}]",
                        ", phase: Pending")));
    }

    @Test
    void podsGetTheirDomainAndTheirNumber() {
        nodes("1x", "2x", "2y");

        create(4, RACK, "numaledger.io/pod-group: g, batch.kubernetes.io/job-completion-index: \"INDEX\"");
        groups.check();

        assertThat(released).isEqualTo(Map.of("g-3", "2x 2 0", "g-2", "2x 2 1", "g-1", "2y 2 2", "g-0", "2y 2 3"));
    }

    @Test
    void aGroupThatFitsNoDomainWaits() {
        nodes("1x", "2x");

        create(4, RACK, "numaledger.io/pod-group: g");
        groups.check();

        assertThat(released).isEmpty();
        assertThat(reports).containsExactly("REFUSED 2 of 4 [all have to run in one domain of rack]");
    }

    /** Other groups are planned in the same check. */
    @Test
    void aGroupWithAnUnknownLevelWaits() {
        nodes("1x");

        create(2, "numaledger.io/topology-strategy: dense", "numaledger.io/pod-group: g");
        groups.check();

        assertThat(released).isEmpty();
        assertThat(reports)
                .containsExactly("REFUSED 0 of 2 [numaledger.io/topology-strategy is pack or spread, not dense]");
    }

    @Test
    void theTopologyOfAPodGroupOfKaiSchedulerIsRespected() throws JsonProcessingException {
        nodes("1x", "2x", "2y");
        objects.topologies()
                .put(
                        Topologies.Kind.KAI,
                        "fabric",
                        new TopologyLevels(List.of(new Level("rack", Optional.of("Rack")))));
        objects.put(CustomObjectReader.podGroup(PodGroupName.Kind.KAI, json("""
                {"metadata": {"namespace": "default", "name": "g"},
                 "spec": {"minMember": 3,
                          "topologyConstraint": {"topology": "fabric", "requiredTopologyLevel": "Rack"}}}""")));

        create(3, "pod-group-name: g", "");
        groups.check();

        assertThat(released).isEqualTo(Map.of("g-0", "2x 2 0", "g-1", "2x 2 1", "g-2", "2y 2 2"));
    }

    @Test
    void aGroupIsPlannedWhenItsTopologyIsSeen() {
        nodes("1x");
        create(2, "kai.scheduler/topology: fabric", "numaledger.io/pod-group: g");
        groups.check();
        assertThat(reports)
                .containsExactly("REFUSED 0 of 2 [there is no Topology of KAI-Scheduler with the name fabric]");

        objects.topologies()
                .put(Topologies.Kind.KAI, "fabric", new TopologyLevels(List.of(new Level("rack", Optional.empty()))));
        groups.check();

        assertThat(released).hasSize(2);
    }

    private static JsonNode json(String text) throws JsonProcessingException {
        return JSON.readTree(text);
    }

    /** On the other rack, three would have to end. */
    @Test
    void podsOfLowerPriorityAreEvictedInOneDomain() {
        nodes("1x", "1y", "2x", "2y");
        running("a", "1x", "1-4");
        running("b", "2x", "1-4");
        running("c", "2x", "5-8");
        running("d", "2y", "1-4");

        create(4, RACK, "numaledger.io/pod-group: g");
        groups.check();

        assertThat(evicted).containsExactly("a");
    }

    private void running(String name, String node, String cpus) {
        cluster.apply(ClusterYaml.running(name, node, "cpu: \"4\", memory: 1Gi", cpus));
    }
}
