package io.numaledger.e2e.bridge;

import io.fabric8.kubernetes.api.model.resource.v1.DeviceRequestAllocationResult;
import io.numaledger.annotation.Annotations;
import io.numaledger.e2e.support.DeviceClaims;
import io.numaledger.evaluation.fit.Evaluation;
import io.numaledger.evaluation.fit.Evaluation.Refused;
import io.numaledger.evaluation.holder.PodNames;
import io.numaledger.scheduling.explain.Explanation;
import io.numaledger.simulator.oracle.ClaimAlignment;
import io.numaledger.simulator.workload.SimplePod;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;

import java.util.List;
import java.util.Set;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

/** Claims for devices of two drivers, and claims of several pods, on mixed nodes. The kubelets take CPUs of node-0 first. */
class ClaimFormsIT {

    private static final String GPU = "gpu.example.com";
    private static final String VF = "vf.example.com";

    /** With an equal NUMA node, kube-scheduler takes gpu-0 and vf-1 on both nodes: on a they lie on NUMA node 1, on b on 0. */
    @RegisterExtension
    static final BridgedNodes nodes =
            BridgedNodes.own(() -> BridgedNodes.start("nodes:\n" + node("a", 1) + node("b", 0), List.of()));

    private static String node(String name, int gpu) {
        return """
                - name: %s
                  kubelet: {topologyManagerPolicy: single-numa-node}
                  numaNodes: [{id: 0, cores: 8, memory: 16Gi}, {id: 1, cores: 8, memory: 16Gi}]
                  draDrivers:
                  - driver: gpu.example.com
                    devices:
                    - {names: [gpu-0], attributes: {resource.kubernetes.io/numaNode: {int: %2$d}}}
                  - driver: vf.example.com
                    devices:
                    - {names: [vf-0], attributes: {resource.kubernetes.io/numaNode: {int: %3$d}}}
                    - {names: [vf-1], attributes: {resource.kubernetes.io/numaNode: {int: %2$d}}}
                """.formatted(name, gpu, 1 - gpu);
    }

    @AfterEach
    void deleteClaims() {
        nodes.pods().deleteAll();
        claims().deleteAll();
    }

    private static DeviceClaims claims() {
        return new DeviceClaims(nodes.client());
    }

    /** A pod that requires alignment with this claim. */
    private static void create(String name, int cpus, String claim) {
        nodes.create(
                SimplePod.named(name)
                        .annotated(Annotations.CLAIM_ALIGNMENT, "required")
                        .claiming(claim),
                cpus);
    }

    private static String refusal(String pod, int node) {
        Evaluation evaluation = Explanation.ofAll(
                        nodes.bridge().cluster(),
                        nodes.bridge().cluster().pods().get("default/" + pod).orElseThrow())
                .get(node)
                .evaluation();
        return evaluation instanceof Refused refused ? PodNames.ALL.text(refused.message()) : "";
    }

    @Test
    void devicesOfTwoDriversOnOneNumaNode() {
        claims().create(
                        "pair",
                        List.of(DeviceClaims.sameNumaNode("gpu", "vf")),
                        DeviceClaims.request(GPU),
                        DeviceClaims.request(VF));
        nodes.cordon(Set.of("b"));
        create("pair", 2, "pair");
        await().atMost(BridgedNodes.TIMEOUT).until(() -> nodes.reasons("pair").contains("NumaUnschedulable"));
        assertThat(refusal("pair", 0))
                .contains("would come from node-0; kube-scheduler would allocate")
                .endsWith(", on node-1");
        nodes.cordon(Set.of());
        nodes.awaitRunning("pair", 1);

        assertThat(nodes.nodesOf("pair")).containsExactly("b");
        assertThat(claims().devices("pair"))
                .extracting(DeviceRequestAllocationResult::getDevice)
                .containsExactlyInAnyOrder("gpu-0", "vf-1");
        assertThat(ClaimAlignment.containers(nodes.cluster().cluster().node("b")))
                .containsExactly(true);
        nodes.assertNobodyRefused();
    }

    /** The pods follow the claim to its node, as long as the CPUs there lie beside the device. */
    @Test
    void aClaimOfSeveralPods() {
        claims().create("shared", DeviceClaims.request(GPU));
        create("first", 2, "shared");
        nodes.awaitRunning("first", 1);
        create("second", 2, "shared");
        nodes.awaitRunning("second", 1);
        create("third", 6, "shared");
        await().atMost(BridgedNodes.TIMEOUT).until(() -> nodes.reasons("third").contains("NumaUnschedulable"));

        assertThat(nodes.nodesOf("first")).containsExactly("b");
        assertThat(nodes.nodesOf("second")).containsExactly("b");
        assertThat(nodes.nodesOf("third")).isEmpty();
        assertThat(refusal("third", 1))
                .contains("would come from node-1; its claims hold gpu-0 of driver gpu.example.com, on node-0");
        nodes.assertNobodyRefused();
    }
}
