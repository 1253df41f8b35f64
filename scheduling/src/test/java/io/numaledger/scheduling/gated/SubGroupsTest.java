package io.numaledger.scheduling.gated;

import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.databind.ObjectMapper;
import io.numaledger.evaluation.facts.PodFacts;
import io.numaledger.evaluation.facts.PodGroupName.Kind;
import io.numaledger.objects.ClusterYaml;
import io.numaledger.objects.CustomObjectReader;
import io.numaledger.scheduling.TestCluster;
import io.numaledger.scheduling.group.GroupListener;
import io.numaledger.scheduling.group.PlanReservations;
import io.numaledger.scheduling.group.PodGroups;
import io.numaledger.scheduling.group.TopologyPlace;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

import java.time.Instant;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.TreeSet;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * A PodGroup of KAI-Scheduler that needs one leader and two workers. Each node has two zones of 4 CPUs, and each pod has 3 CPUs: two of them
 * fit on a node.
 */
class SubGroupsTest {

    private final TestCluster cluster = new TestCluster();
    private final PodGroups podGroups = new PodGroups();
    private final Set<String> released = new TreeSet<>();
    private final GatedGroups groups = new GatedGroups(
            cluster.state,
            podGroups,
            new PlanReservations(cluster.state),
            new Writer(),
            new GroupListener() {},
            Instant::now,
            GatedGroups.Settings.of(Set.of("default-scheduler")),
            Optional.empty());

    private final class Writer implements GroupWriter {

        @Override
        public void release(PodFacts pod, String node, Optional<TopologyPlace> place) {
            released.add(pod.name());
        }

        @Override
        public void preempt(PodFacts victim) {
            throw new AssertionError(victim);
        }

        @Override
        public void evict(PodFacts pod) {
            throw new AssertionError(pod);
        }
    }

    @BeforeEach
    void start() throws JsonProcessingException {
        put(2);
        cluster.apply(ClusterYaml.node("a"), ClusterYaml.node("b"));
    }

    private void put(int workers) throws JsonProcessingException {
        podGroups.put(CustomObjectReader.podGroup(Kind.KAI, new ObjectMapper().readTree("""
                {"apiVersion": "scheduling.run.ai/v2alpha2", "metadata": {"namespace": "default", "name": "g", "uid": "u"}, "spec": {"subGroups": [
                  {"name": "all"}, {"name": "leader", "parent": "all", "minMember": 1}, {"name": "worker", "parent": "all", "minMember": %d}]}}
                """.formatted(workers))));
    }

    private void create(String name, String subGroup) {
        cluster.apply(ClusterYaml.pod(
                name,
                "cpu: \"3\", memory: 1Gi",
                ", labels: {kai.scheduler/subgroup-name: %s}, annotations: {pod-group-name: g}".formatted(subGroup),
                "  schedulingGates: [{name: numaledger.io/group}]",
                ", phase: Pending"));
    }

    @Test
    void aGroupWaitsUntilEachSubGroupIsComplete() {
        create("worker-0", "worker");
        create("worker-1", "worker");
        create("worker-2", "worker");
        groups.check();
        assertThat(released).as("three pods are there, but no leader").isEmpty();

        create("leader-0", "leader");
        groups.check();
        assertThat(released).containsExactly("leader-0", "worker-0", "worker-1", "worker-2");
    }

    @Test
    void podsBeyondTheLeastNumbersGiveWay() {
        for (int i = 0; i < 4; i++) {
            create("worker-" + i, "worker");
        }
        create("leader-0", "leader");
        groups.check();

        assertThat(released).containsExactly("leader-0", "worker-0", "worker-1");
    }

    @Test
    void aGroupWithoutRoomForOneOfTheSubGroupsWaits() {
        cluster.apply(
                ClusterYaml.running("x", "a", "cpu: \"4\", memory: 1Gi", "1-4"),
                ClusterYaml.running("y", "b", "cpu: \"4\", memory: 1Gi", "1-4"));
        create("leader-0", "leader");
        create("worker-0", "worker");
        create("worker-1", "worker");
        groups.check();

        assertThat(released).isEmpty();
    }

    @Test
    void aGroupThatNeedsFewerPodsThanBeforeIsPlannedAnew() throws JsonProcessingException {
        cluster.apply(
                ClusterYaml.running("x", "a", "cpu: \"4\", memory: 1Gi", "1-4"),
                ClusterYaml.running("y", "b", "cpu: \"4\", memory: 1Gi", "1-4"));
        create("leader-0", "leader");
        create("worker-0", "worker");
        create("worker-1", "worker");
        groups.check();

        put(1);
        groups.check();

        assertThat(released).containsExactly("leader-0", "worker-0");
    }

    @Test
    void aGroupIsIncompleteOnlyWhileAPodWaitsThatItNeeds() {
        create("worker-2", "worker");
        cluster.apply(runningWorker("worker-0", "1-3"), runningWorker("worker-1", "5-7"));
        PodFacts waiting = pod("worker-2");
        List<PodFacts> running = List.of(pod("worker-0"), pod("worker-1"));

        GatedGroup withoutLeader = group(running, List.of(waiting));
        create("leader-0", "leader");
        GatedGroup withLeader = group(running, List.of(waiting, pod("leader-0")));

        assertThat(withoutLeader.isIncomplete()).isFalse();
        assertThat(withLeader.isIncomplete()).isTrue();
    }

    private static String runningWorker(String name, String cpus) {
        return ClusterYaml.running(name, "a", "cpu: \"3\", memory: 1Gi", cpus)
                .replace(
                        "annotations: {",
                        "labels: {kai.scheduler/subgroup-name: worker}, annotations: {pod-group-name: g, ");
    }

    private PodFacts pod(String name) {
        return cluster.state.pods().get("default/" + name).orElseThrow();
    }

    private static GatedGroup group(List<PodFacts> bound, List<PodFacts> gated) {
        return new GatedGroup(
                gated.get(0).group().group().orElseThrow(),
                bound,
                List.of(),
                gated,
                List.of(),
                List.of(),
                3,
                Map.of("leader", 1, "worker", 2));
    }
}
