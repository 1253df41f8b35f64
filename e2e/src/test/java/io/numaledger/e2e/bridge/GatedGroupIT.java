package io.numaledger.e2e.bridge;

import io.fabric8.kubernetes.api.model.AffinityBuilder;
import io.fabric8.kubernetes.api.model.Pod;
import io.fabric8.kubernetes.api.model.PodBuilder;
import io.fabric8.kubernetes.client.KubernetesClient;
import io.numaledger.bridge.run.Bridge;
import io.numaledger.bridge.watch.ClusterReader;
import io.numaledger.e2e.support.ChartRights;
import io.numaledger.e2e.support.ClusterPods;
import io.numaledger.e2e.support.RealKubernetes;
import io.numaledger.realapiserver.ChartAccounts;
import io.numaledger.simulator.cluster.SimCluster;
import io.numaledger.simulator.deployment.BridgedCluster;
import io.numaledger.simulator.deployment.Credentials;
import io.numaledger.simulator.hardware.NodeSpecYaml;
import io.numaledger.simulator.workload.SimplePod;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;

import java.io.IOException;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import java.util.function.Consumer;
import java.util.stream.IntStream;
import java.util.stream.Stream;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.awaitility.Awaitility.await;

/**
 * Groups whose pods have a scheduling gate, with the rights and the admission policy of the chart. Each node has two zones of 8 CPUs, one of
 * them reserved: two pods of 5 CPUs fit.
 */
class GatedGroupIT {

    private static final Duration TIMEOUT = Duration.ofMinutes(3);
    private static final Duration QUIET = Duration.ofSeconds(4);

    private static BridgedCluster bridged;
    private static ClusterPods pods;
    private static Path bridgeKubeconfig;

    @BeforeAll
    static void start() {
        bridged = BridgedCluster.start(
                SimCluster.builder(RealKubernetes.binaries()).nodes(NodeSpecYaml.parse("""
                        nodes:
                        - name: a
                          kubelet: {topologyManagerPolicy: single-numa-node}
                          numaNodes:
                          - {id: 0, cores: 8, memory: 16Gi}
                          - {id: 1, cores: 8, memory: 16Gi}
                        - name: b
                          kubelet: {topologyManagerPolicy: single-numa-node}
                          numaNodes:
                          - {id: 0, cores: 8, memory: 16Gi}
                          - {id: 1, cores: 8, memory: 16Gi}
                        """)),
                GatedGroupIT::credentials,
                settings -> settings.withGroups(Bridge.Groups.PREEMPTING));
        pods = new ClusterPods(bridged.cluster());
        pods.definePriority("high", 1000);
    }

    private static Credentials credentials(SimCluster cluster) {
        ChartAccounts accounts =
                ChartRights.install(cluster, "bridge.groups.enabled=true", "bridge.groups.addGate=true");
        bridgeKubeconfig = accounts.bridge();
        return new Credentials(accounts::agent, bridgeKubeconfig);
    }

    @AfterAll
    static void stop() {
        if (bridged != null) {
            bridged.close();
        }
    }

    @AfterEach
    void deletePods() {
        bridged.cluster()
                .client()
                .pods()
                .inNamespace("default")
                .withGracePeriod(0)
                .delete();
        await().atMost(TIMEOUT).until(() -> pods.all().isEmpty());
        await().atMost(TIMEOUT)
                .until(() -> bridged.bridge().cluster().snapshots().stream()
                                .allMatch(node -> node.pods().isEmpty())
                        && !bridged.bridge().cluster().hasPlanned());
    }

    private static void create(String group, int least, int count, int cpus) {
        IntStream.range(0, count)
                .forEach(i -> pods.create(SimplePod.named(group + "-" + i)
                        .ofGatedGroup(group, least)
                        .with("c", "cpu=" + cpus, "memory=1Gi")));
    }

    private static long running(String prefix) {
        return pods.all().stream()
                .filter(pod -> pod.getMetadata().getName().startsWith(prefix)
                        && pod.getStatus().getPhase().equals("Running"))
                .count();
    }

    private static void assertNobodyRefused() {
        assertThat(bridged.cluster().journal().count("TopologyAffinityError")).isZero();
    }

    @Test
    void aGroupRunsWholeOnItsPlannedNodes() {
        create("g", 4, 4, 5);

        await().atMost(TIMEOUT).until(() -> running("g-") == 4);
        assertThat(pods.all())
                .allMatch(pod -> pod.getMetadata()
                        .getAnnotations()
                        .get("numaledger.io/planned-node")
                        .equals(pod.getSpec().getNodeName()));
        assertNobodyRefused();
    }

    /** By the sums of the nodes, six pods of 5 CPUs fit. */
    @Test
    void aGroupThatDoesNotFitKeepsItsGates() {
        create("g", 6, 6, 5);

        await().pollDelay(QUIET).atMost(TIMEOUT).until(() -> true);
        assertThat(pods.all())
                .allMatch(pod -> pod.getSpec().getSchedulingGates().size() == 1);
        assertThat(bridged.cluster()
                        .client()
                        .v1()
                        .events()
                        .inNamespace("default")
                        .list()
                        .getItems())
                .anyMatch(event ->
                        event.getMessage().equals("6 pods have to run together, beside those that run; 4 fit"));

        create("small", 1, 1, 5);
        await().atMost(TIMEOUT).until(() -> running("small-") == 1);
        assertNobodyRefused();
    }

    @Test
    void theChartAddsTheGateToPodsWithTheLabel() {
        IntStream.range(0, 6)
                .forEach(i -> pods.create(
                        SimplePod.named("g-" + i).ofLabelledGroup("g", 6).with("c", "cpu=5", "memory=1Gi")));

        assertThat(pods.all())
                .allMatch(pod -> pod.getSpec().getSchedulingGates().size() == 1);
        await().pollDelay(QUIET).atMost(TIMEOUT).until(() -> true);
        assertThat(pods.all()).allMatch(pod -> pod.getSpec().getNodeName() == null);
    }

    /** Three pods of 4 CPUs run on each node: one in zone 0, which has 7 CPUs, and two in zone 1. */
    @Test
    void fewPodsOfLowerPriorityAreEvictedForAGroup() {
        IntStream.range(0, 6)
                .forEach(i -> pods.create(SimplePod.named("low-" + i).with("c", "cpu=4", "memory=1Gi")));
        await().atMost(TIMEOUT).until(() -> running("low-") == 6);
        IntStream.range(0, 2)
                .forEach(i -> pods.create(SimplePod.named("high-" + i)
                        .ofGatedGroup("high", 2)
                        .ofPriority("high")
                        .with("c", "cpu=7", "memory=1Gi")));

        await().atMost(TIMEOUT).until(() -> running("high-") == 2);
        await().pollDelay(QUIET).atMost(TIMEOUT).until(() -> true);
        assertThat(running("low-")).as("one victim in zone 0 of each node").isEqualTo(4);
        assertNobodyRefused();
    }

    /** kube-scheduler would refuse it, with its own plugins, also after the evictions. */
    @Test
    void aGroupWhoseRequiredPodAffinityNothingFulfilsEvictsNobody() {
        IntStream.range(0, 6)
                .forEach(i -> pods.create(SimplePod.named("low-" + i).with("c", "cpu=4", "memory=1Gi")));
        await().atMost(TIMEOUT).until(() -> running("low-") == 6);
        IntStream.range(0, 2).forEach(i -> createBeside("absent", "high-" + i));

        await("the event says why")
                .atMost(TIMEOUT)
                .until(() -> bridged.cluster().client().v1().events().inNamespace("default").list().getItems().stream()
                        .anyMatch(event -> event.getReason().equals("GroupUnschedulable")
                                && event.getMessage().endsWith("what its pods have: required pod affinity")));
        await().pollDelay(QUIET).atMost(TIMEOUT).until(() -> true);
        assertThat(running("low-")).as("nobody is evicted").isEqualTo(6);
        assertThat(running("high-")).isZero();
    }

    private static void createBeside(String app, String name) {
        Pod pod = SimplePod.named(name)
                .ofGatedGroup("high", 2)
                .ofPriority("high")
                .with("c", "cpu=7", "memory=1Gi")
                .build();
        pod.getSpec()
                .setAffinity(new AffinityBuilder()
                        .withNewPodAffinity()
                        .addNewRequiredDuringSchedulingIgnoredDuringExecution()
                        .withNewLabelSelector()
                        .addToMatchLabels("app", app)
                        .endLabelSelector()
                        .withTopologyKey("kubernetes.io/hostname")
                        .endRequiredDuringSchedulingIgnoredDuringExecution()
                        .endPodAffinity()
                        .build());
        bridged.cluster().client().resource(pod).create();
    }

    @Test
    void theReplacementOfALostPodRuns() {
        create("g", 4, 4, 5);
        await().atMost(TIMEOUT).until(() -> running("g-") == 4);

        pods.delete("g-2");
        await().atMost(TIMEOUT).until(() -> !pods.byName().containsKey("g-2"));
        pods.create(SimplePod.named("g-4").ofGatedGroup("g", 4).with("c", "cpu=5", "memory=1Gi"));

        await().atMost(TIMEOUT).until(() -> running("g-") == 4);
        assertNobodyRefused();
    }

    /** They would fill both nodes. With the label, they have the gate of groups, too: the chart adds it. */
    @Test
    void podsThatSayThatTheyArePlannedAndNeverRunTakeNoPlace() {
        IntStream.range(0, 4)
                .forEach(i -> bridged.cluster()
                        .client()
                        .resource(new PodBuilder(forged("forged-" + i, i % 2 == 0)
                                        .annotated("numaledger.io/planned-node", i < 2 ? "a" : "b")
                                        .with("c", "cpu=5", "memory=1Gi")
                                        .build())
                                .editSpec()
                                .addNewSchedulingGate("example.com/never")
                                .endSpec()
                                .build())
                        .create());
        await().pollDelay(QUIET).atMost(TIMEOUT).until(() -> true);

        create("good", 2, 2, 5);
        IntStream.range(0, 2)
                .forEach(i -> pods.create(SimplePod.named("plain-" + i).with("c", "cpu=5", "memory=1Gi")));

        await().atMost(TIMEOUT).until(() -> running("plain-") == 2 && running("good-") == 2);
        await().atMost(TIMEOUT).until(() -> !bridged.bridge().cluster().hasPlanned());
    }

    private static SimplePod forged(String name, boolean labelled) {
        return labelled
                ? SimplePod.named(name).ofLabelledGroup("forged", 1)
                : SimplePod.named(name)
                        .annotated("pod-group-name", "forged")
                        .annotated("numaledger.io/min-member", "1");
    }

    /** Three of the four places are free. */
    @Test
    void whatIsKeptForAGroupThatWaitsIsNotKeptFromMoreImportantPods() {
        pods.create(SimplePod.named("first").with("c", "cpu=5", "memory=1Gi"));
        await().atMost(TIMEOUT).until(() -> running("first") == 1);
        create("huge", 12, 12, 5);
        create("four", 4, 4, 5);
        await("places are kept")
                .atMost(TIMEOUT.multipliedBy(2))
                .until(() -> bridged.bridge().cluster().hasPlanned());
        assertThat(Stream.of("a", "b").flatMap(node -> bridged.bridge().cluster().planned(node).stream()))
                .as("the larger group would not fit the empty cluster")
                .allMatch(each -> each.pod().name().startsWith("four-"));

        pods.create(SimplePod.named("plain").with("c", "cpu=5", "memory=1Gi"));
        pods.create(SimplePod.named("important").ofPriority("high").with("c", "cpu=5", "memory=1Gi"));

        await().atMost(TIMEOUT).until(() -> running("important") == 1);
        await().pollDelay(QUIET).atMost(TIMEOUT).until(() -> true);
        assertThat(running("plain")).as("the places are kept from it").isZero();
        assertNobodyRefused();
    }

    @Test
    void theBridgeMayChangeNothingElseOfAPod() throws IOException {
        pods.create(SimplePod.named("plain").with("c", "cpu=1", "memory=1Gi"));
        pods.create(SimplePod.named("gated").ofGatedGroup("x", 9).with("c", "cpu=1", "memory=1Gi"));
        pods.awaitPhase("plain", "Running"); // nobody else writes it any more
        try (KubernetesClient bridge = ClusterReader.client(Optional.of(bridgeKubeconfig))) {
            assertThatThrownBy(() -> edit(
                            bridge,
                            "plain",
                            pod -> pod.getMetadata().getLabels().put("a", "b")))
                    .hasMessageContaining("the bridge may only");
            assertThatThrownBy(() -> edit(
                            bridge,
                            "gated",
                            pod -> pod.getMetadata().getLabels().put("a", "b")))
                    .hasMessageContaining("the bridge may only");
            assertThatThrownBy(() -> edit(bridge, "gated", pod -> {
                        pod.getSpec().setSchedulingGates(List.of());
                        pod.getSpec().getContainers().get(0).setImage("example.com/other:1");
                    }))
                    .hasMessageContaining("the bridge may only");
        }
    }

    private static void edit(KubernetesClient client, String name, Consumer<Pod> change) {
        client.pods().inNamespace("default").withName(name).edit(pod -> {
            change.accept(pod);
            return pod;
        });
    }
}
