package io.numaledger.e2e.bridge;

import io.fabric8.kubernetes.api.model.Affinity;
import io.fabric8.kubernetes.api.model.AffinityBuilder;
import io.fabric8.kubernetes.api.model.NodeSelector;
import io.fabric8.kubernetes.api.model.NodeSelectorRequirement;
import io.fabric8.kubernetes.api.model.NodeSelectorTerm;
import io.fabric8.kubernetes.api.model.NodeSelectorTermBuilder;
import io.fabric8.kubernetes.api.model.Pod;
import io.fabric8.kubernetes.api.model.PreferredSchedulingTerm;
import io.numaledger.annotation.Annotations;
import io.numaledger.e2e.support.DeviceClaims;
import io.numaledger.simulator.workload.SimplePod;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;

import java.time.Duration;
import java.util.List;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

/**
 * kube-scheduler takes the first device of a node: on node a it lies on NUMA node 1, on node b on NUMA node 0, from which the kubelet takes
 * CPUs first. The claims have a selector that the bridge does not evaluate.
 */
class ClaimBindIT {

    private static final String DRIVER = "vf.example.com";

    @RegisterExtension
    static final BridgedNodes nodes = BridgedNodes.own(() -> BridgedNodes.start(
            "nodes:\n" + node("a", 1, 0) + node("b", 0, 1),
            List.of("--give-back-claims"),
            "bridge.giveBackClaims=true"));

    private static String node(String name, int first, int second) {
        return """
                - name: %s
                  kubelet: {topologyManagerPolicy: single-numa-node}
                  numaNodes: [{id: 0, cores: 8, memory: 16Gi}, {id: 1, cores: 8, memory: 16Gi}]
                  draDrivers:
                  - driver: vf.example.com
                    devices:
                    - {names: [vf-0], attributes: {resource.kubernetes.io/numaNode: {int: %d}}}
                    - {names: [vf-1], attributes: {resource.kubernetes.io/numaNode: {int: %d}}}
                """.formatted(name, first, second);
    }

    @AfterEach
    void deleteClaims() {
        nodes.pods().deleteAll();
        claims().deleteAll();
    }

    private static NodeSelectorTerm nodeA() {
        return new NodeSelectorTermBuilder()
                .addToMatchFields(new NodeSelectorRequirement("metadata.name", "In", List.of("a")))
                .build();
    }

    private static Affinity prefersA() {
        return new AffinityBuilder()
                .withNewNodeAffinity()
                .addToPreferredDuringSchedulingIgnoredDuringExecution(new PreferredSchedulingTerm(nodeA(), 100))
                .endNodeAffinity()
                .build();
    }

    private static Affinity requiresA() {
        return new AffinityBuilder()
                .withNewNodeAffinity()
                .withRequiredDuringSchedulingIgnoredDuringExecution(new NodeSelector(List.of(nodeA())))
                .endNodeAffinity()
                .build();
    }

    /** A pod that requires alignment, with a claim of its own name. */
    private static void create(String name, Affinity affinity) {
        claims().create(name, DeviceClaims.request(DRIVER, "device.driver.matches('vf.*')"));
        Pod pod = SimplePod.named(name)
                .annotated(Annotations.CLAIM_ALIGNMENT, "required")
                .claiming(name)
                .with("main", "cpu=2", "memory=1Gi")
                .build();
        pod.getSpec().setAffinity(affinity);
        nodes.client().resource(pod).create();
    }

    private static DeviceClaims claims() {
        return new DeviceClaims(nodes.client());
    }

    private static boolean isAllocated(String claim) {
        return !claims().devices(claim).isEmpty();
    }

    /** Binds that the bridge has refused until now. */
    private static int refusedBinds() {
        return nodes.cluster()
                .metrics()
                .filter(line -> line.startsWith("numaledger_bridge_binds_total{outcome=\"refused\""))
                .mapToInt(line -> (int) Double.parseDouble(line.substring(line.lastIndexOf(' '))))
                .sum();
    }

    /** The bridge refuses the bind, kube-scheduler gives the claim back because of node b, and both try node b. */
    @Test
    void aPodRunsOnAnotherNodeAfterAFarDeviceWasAllocated() {
        int before = refusedBinds();
        create("moves", prefersA());
        nodes.awaitRunning("moves", 1);

        assertThat(nodes.nodesOf("moves")).containsExactly("b");
        assertThat(refusedBinds() - before).isEqualTo(1);
        assertThat(messages("moves", "ClaimsNotAligned"))
                .singleElement()
                .asString()
                .startsWith("not bound to node a: CPUs")
                .endsWith(" would come from node-0; its claims hold vf-0 of driver vf.example.com, on node-1");
        assertThat(messages("moves", "FailedScheduling"))
                .anySatisfy(message -> assertThat(message).contains("its claims hold vf-0 of driver vf.example.com"));
        assertThat(nodes.reasons("moves")).doesNotContain("ClaimMisaligned");
        nodes.assertNobodyRefused();
    }

    /** No other node is refused for the claim. */
    @Test
    void aClaimThatKubeSchedulerKeepsIsGivenBackAndTheNodeNotTriedAgain() {
        int before = refusedBinds();
        create("stays", requiresA());
        await("the claim is allocated")
                .atMost(BridgedNodes.TIMEOUT)
                .until(() -> refusedBinds() > before && isAllocated("stays"));
        await("it is given back").atMost(BridgedNodes.TIMEOUT).until(() -> !isAllocated("stays"));
        BridgedNodes.quiet(Duration.ofSeconds(20));

        assertThat(refusedBinds() - before).isEqualTo(1);
        assertThat(isAllocated("stays")).isFalse();
        assertThat(nodes.nodesOf("stays")).isEmpty();
    }

    private static List<String> messages(String pod, String reason) {
        return nodes.client().v1().events().inNamespace("default").list().getItems().stream()
                .filter(event -> event.getInvolvedObject().getName().equals(pod)
                        && event.getReason().equals(reason))
                .map(event -> event.getMessage())
                .toList();
    }
}
