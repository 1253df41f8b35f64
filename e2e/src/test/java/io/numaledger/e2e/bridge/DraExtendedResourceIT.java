package io.numaledger.e2e.bridge;

import io.numaledger.annotation.Annotations;
import io.numaledger.e2e.support.ClusterPods;
import io.numaledger.evaluation.fit.Evaluation.Refused;
import io.numaledger.evaluation.holder.PodNames;
import io.numaledger.evaluation.snapshot.Confidence;
import io.numaledger.scheduling.explain.Explanation;
import io.numaledger.simulator.oracle.ClaimAlignment;
import io.numaledger.simulator.workload.SimplePod;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;

import java.util.List;
import java.util.Set;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

/** Pods request an extended resource that a DRA driver serves on two nodes: for it, kube-scheduler makes a claim. */
class DraExtendedResourceIT {

    private static final String SHORTAGE =
            "too few devices for the pod's claims; free devices of class vf.example.com: none";

    /** The kubelets take CPUs of node-0 first. */
    @RegisterExtension
    static final BridgedNodes nodes = BridgedNodes.own(() -> BridgedNodes.start("""
            nodes:
            - name: far
              kubelet: {topologyManagerPolicy: single-numa-node}
              numaNodes: [{id: 0, cores: 8, memory: 16Gi}, {id: 1, cores: 8, memory: 16Gi}]
              draDrivers:
              - driver: vf.example.com
                extendedResourceName: example.com/vf
                devices: [{count: 1, attributes: {resource.kubernetes.io/numaNode: {int: 1}}}]
            - name: near
              kubelet: {topologyManagerPolicy: single-numa-node}
              numaNodes: [{id: 0, cores: 8, memory: 16Gi}, {id: 1, cores: 8, memory: 16Gi}]
              draDrivers:
              - driver: vf.example.com
                extendedResourceName: example.com/vf
                devices: [{count: 1, attributes: {resource.kubernetes.io/numaNode: {int: 0}}}]
            - name: without
              kubelet: {topologyManagerPolicy: single-numa-node}
              numaNodes: [{id: 0, cores: 8, memory: 16Gi}, {id: 1, cores: 8, memory: 16Gi}]
            """, List.of()));

    private final ClusterPods pods = nodes.pods();

    private static Explanation explain(String pod, int node) {
        return Explanation.ofAll(
                        nodes.bridge().cluster(),
                        nodes.bridge().cluster().pods().get("default/" + pod).orElseThrow())
                .get(node);
    }

    private static SimplePod required(String name) {
        return SimplePod.named(name).annotated(Annotations.CLAIM_ALIGNMENT, "required");
    }

    private void create(SimplePod pod) {
        pods.create(pod.with("c", "cpu=2", "memory=1Gi", "example.com/vf=1"));
    }

    @Test
    void runsWhereItsDeviceIsAlignedAndWaitsElsewhere() {
        create(required("first"));
        pods.awaitPhase("first", "Running");
        assertThat(pods.get("first").getSpec().getNodeName()).isEqualTo("near");
        assertThat(ClaimAlignment.containers(nodes.cluster().cluster().node("near")))
                .containsExactly(true);

        create(required("second"));
        await().atMost(BridgedNodes.TIMEOUT).until(() -> nodes.reasons("second").contains("NumaUnschedulable"));
        assertThat(explain("second", 0).evaluation())
                .isInstanceOfSatisfying(
                        Refused.class,
                        refused -> assertThat(PodNames.ALL.text(refused.message()))
                                .endsWith("; kube-scheduler would allocate vf-0 of driver vf.example.com, on node-1"));
        assertThat(explain("second", 1).nodeReasons())
                .extracting(PodNames.ALL::text)
                .containsExactly(SHORTAGE);

        create(SimplePod.named("third"));
        pods.awaitPhase("third", "Running");
        assertThat(pods.get("third").getSpec().getNodeName()).isEqualTo("far");
        nodes.assertNobodyRefused();
    }

    @Test
    void isExplained() {
        nodes.cordon(Set.of("far", "near", "without"));
        create(SimplePod.named("waits"));
        await().atMost(BridgedNodes.TIMEOUT)
                .until(() ->
                        nodes.bridge().cluster().pods().get("default/waits").isPresent());
        Explanation far = explain("waits", 0);
        assertThat(far.nodeReasons()).extracting(PodNames.ALL::text).containsExactly("the node is cordoned");
        assertThat(far.confidence()).isEqualTo(Confidence.PREDICTED);
        assertThat(far.node().confidence()).isEqualTo(Confidence.EXACT);
        assertThat(explain("waits", 2).nodeReasons())
                .extracting(PodNames.ALL::text)
                .containsExactly("the node is cordoned", SHORTAGE);
    }
}
