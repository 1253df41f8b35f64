package io.numaledger.e2e.bridge;

import io.fabric8.kubernetes.api.model.AffinityBuilder;
import io.fabric8.kubernetes.api.model.Pod;
import io.fabric8.kubernetes.api.model.PodBuilder;
import io.fabric8.kubernetes.client.Config;
import io.fabric8.kubernetes.client.ConfigBuilder;
import io.fabric8.kubernetes.client.KubernetesClient;
import io.fabric8.kubernetes.client.KubernetesClientBuilder;
import io.numaledger.e2e.support.ClusterPods;
import io.numaledger.simulator.workload.SimplePod;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;

import java.time.Duration;
import java.util.List;
import java.util.Set;
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

    private static final Duration QUIET = Duration.ofSeconds(4);

    @RegisterExtension
    static final BridgedNodes nodes = BridgedNodes.shared(GroupNodes.GROUPS);

    private final ClusterPods pods = nodes.pods();

    @BeforeEach
    void useTwoNodes() {
        nodes.cordon(Set.of("c", "d"));
    }

    private void create(String group, int least, int count, int cpus) {
        IntStream.range(0, count)
                .forEach(i -> pods.create(SimplePod.named(group + "-" + i)
                        .ofGatedGroup(group, least)
                        .with("c", "cpu=" + cpus, "memory=1Gi")));
    }

    @Test
    void aGroupRunsWholeOnItsPlannedNodes() {
        create("g", 4, 4, 5);

        nodes.awaitRunning("g-", 4);
        assertThat(pods.all())
                .allMatch(pod -> pod.getMetadata()
                        .getAnnotations()
                        .get("numaledger.io/planned-node")
                        .equals(pod.getSpec().getNodeName()));
        nodes.assertNobodyRefused();
    }

    /** By node-level requests, six pods of 5 CPUs fit. */
    @Test
    void aGroupThatDoesNotFitKeepsItsGates() {
        create("g", 6, 6, 5);

        BridgedNodes.quiet(QUIET);
        assertThat(pods.all())
                .allMatch(pod -> pod.getSpec().getSchedulingGates().size() == 1);
        assertThat(nodes.client().v1().events().inNamespace("default").list().getItems())
                .anyMatch(event ->
                        event.getMessage().equals("6 pods have to run together, beside those that run; 4 fit"));

        create("small", 1, 1, 5);
        nodes.awaitRunning("small-", 1);
        nodes.assertNobodyRefused();
    }

    @Test
    void theChartAddsTheGateToPodsWithTheLabel() {
        IntStream.range(0, 6)
                .forEach(i -> nodes.create(SimplePod.named("g-" + i).ofLabelledGroup("g", 6), 5));

        assertThat(pods.all())
                .allMatch(pod -> pod.getSpec().getSchedulingGates().size() == 1);
        BridgedNodes.quiet(QUIET);
        assertThat(pods.all()).allMatch(pod -> pod.getSpec().getNodeName() == null);
    }

    /** Three pods of 4 CPUs run on each node: one in zone 0, which has 7 CPUs, and two in zone 1. */
    @Test
    void fewPodsOfLowerPriorityAreEvictedForAGroup() {
        IntStream.range(0, 6).forEach(i -> nodes.create(SimplePod.named("low-" + i), 4));
        nodes.awaitRunning("low-", 6);
        IntStream.range(0, 2)
                .forEach(i -> nodes.create(
                        SimplePod.named("high-" + i).ofGatedGroup("high", 2).ofPriority("high"), 7));

        nodes.awaitRunning("high-", 2);
        BridgedNodes.quiet(QUIET);
        assertThat(nodes.running("low-"))
                .as("one victim in zone 0 of each node")
                .isEqualTo(4);
        nodes.assertNobodyRefused();
    }

    /** kube-scheduler would refuse it, with its own plugins, also after the evictions. */
    @Test
    void aGroupWhoseRequiredPodAffinityNothingFulfilsEvictsNobody() {
        IntStream.range(0, 6).forEach(i -> nodes.create(SimplePod.named("low-" + i), 4));
        nodes.awaitRunning("low-", 6);
        IntStream.range(0, 2).forEach(i -> createBeside("absent", "high-" + i));

        await("the event says why")
                .atMost(BridgedNodes.TIMEOUT)
                .until(() -> nodes.client().v1().events().inNamespace("default").list().getItems().stream()
                        .anyMatch(event -> event.getReason().equals("GroupUnschedulable")
                                && event.getMessage().endsWith("what its pods have: required pod affinity")));
        BridgedNodes.quiet(QUIET);
        assertThat(nodes.running("low-")).as("nobody is evicted").isEqualTo(6);
        assertThat(nodes.running("high-")).isZero();
    }

    private void createBeside(String app, String name) {
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
        nodes.client().resource(pod).create();
    }

    @Test
    void theReplacementOfALostPodRuns() {
        create("g", 4, 4, 5);
        nodes.awaitRunning("g-", 4);

        pods.delete("g-2");
        await().atMost(BridgedNodes.TIMEOUT).until(() -> !pods.byName().containsKey("g-2"));
        nodes.create(SimplePod.named("g-4").ofGatedGroup("g", 4), 5);

        nodes.awaitRunning("g-", 4);
        nodes.assertNobodyRefused();
    }

    /** They would fill both nodes. With the label, they have the gate of groups, too: the chart adds it. */
    @Test
    void podsThatSayThatTheyArePlannedAndNeverRunTakeNoPlace() {
        IntStream.range(0, 4)
                .forEach(i -> nodes.client()
                        .resource(new PodBuilder(forged("forged-" + i, i % 2 == 0)
                                        .annotated("numaledger.io/planned-node", i < 2 ? "a" : "b")
                                        .with("c", "cpu=5", "memory=1Gi")
                                        .build())
                                .editSpec()
                                .addNewSchedulingGate("example.com/never")
                                .endSpec()
                                .build())
                        .create());
        BridgedNodes.quiet(QUIET);

        create("good", 2, 2, 5);
        IntStream.range(0, 2).forEach(i -> nodes.create(SimplePod.named("plain-" + i), 5));

        nodes.awaitRunning("plain-", 2);
        nodes.awaitRunning("good-", 2);
        await().atMost(BridgedNodes.TIMEOUT)
                .until(() -> !nodes.bridge().cluster().reserved().hasPlanned());
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
        nodes.create(SimplePod.named("first"), 5);
        nodes.awaitRunning("first", 1);
        create("huge", 12, 12, 5);
        create("four", 4, 4, 5);
        await("places are kept")
                .atMost(BridgedNodes.TIMEOUT.multipliedBy(2))
                .until(() -> nodes.bridge().cluster().reserved().hasPlanned());
        assertThat(Stream.of("a", "b").flatMap(node -> nodes.bridge().cluster().reserved().planned(node).stream()))
                .as("the larger group would not fit the empty cluster")
                .allMatch(each -> each.pod().name().startsWith("four-"));

        nodes.create(SimplePod.named("plain"), 5);
        nodes.create(SimplePod.named("important").ofPriority("high"), 5);

        nodes.awaitRunning("important", 1);
        BridgedNodes.quiet(QUIET);
        assertThat(nodes.running("plain")).as("the places are kept from it").isZero();
        nodes.assertNobodyRefused();
    }

    @Test
    void theBridgeMayChangeNothingElseOfAPod() {
        nodes.create(SimplePod.named("plain"), 1);
        nodes.create(SimplePod.named("gated").ofGatedGroup("x", 9), 1);
        pods.awaitPhase("plain", "Running"); // nobody else writes it any more
        Config asBridge = new ConfigBuilder(nodes.client().getConfiguration())
                .withImpersonateUsername("system:serviceaccount:numa-system:numaledger-bridge")
                .build();
        try (KubernetesClient bridge =
                new KubernetesClientBuilder().withConfig(asBridge).build()) {
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
