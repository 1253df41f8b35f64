package io.numaledger.e2e.bridge;

import io.fabric8.kubernetes.api.model.Pod;
import io.fabric8.kubernetes.client.utils.KubernetesSerialization;
import io.numaledger.e2e.support.ClusterPods;
import io.numaledger.evaluation.fit.Evaluation;
import io.numaledger.evaluation.fit.FullModel;
import io.numaledger.evaluation.snapshot.Confidence;
import io.numaledger.evaluation.snapshot.NodeSnapshot;
import io.numaledger.nrt.UnhealthyDevices;
import io.numaledger.objects.ObjectReader;
import io.numaledger.objects.PodObject;
import io.numaledger.placement.DeviceAllocation;
import io.numaledger.simulator.deviceplugin.DevicePlugin;
import io.numaledger.simulator.workload.SimplePod;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

import java.util.List;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

/** Devices that fail or vanish under a running pod, and devices on NUMA nodes that their machine lacks. */
class DeviceFaultsIT {

    private static final String GPU = "example.com/gpu";

    @RegisterExtension
    static final BridgedNodes nodes = BridgedNodes.own(() -> BridgedNodes.start("""
            nodes:
            - name: gpu
              kubelet: {topologyManagerPolicy: single-numa-node, topologyManagerScope: pod}
              numaNodes: [{id: 0, cores: 8, memory: 16Gi}, {id: 1, cores: 8, memory: 16Gi}]
              devices:
              - {resource: example.com/gpu, count: 2, numaNodes: [0]}
              - {resource: example.com/gpu, count: 1, numaNodes: [1]}
            - name: odd
              kubelet: {topologyManagerPolicy: single-numa-node, topologyManagerScope: pod}
              numaNodes: [{id: 0, cores: 4, memory: 16Gi}, {id: 1, cores: 4, memory: 16Gi}]
              devices:
              - {resource: example.com/nine, count: 2, numaNodes: [9]}
              - {resource: example.com/minus, count: 2, numaNodes: [-1]}
            - name: loose
              kubelet: {topologyManagerPolicy: best-effort, topologyManagerScope: pod}
              numaNodes: [{id: 0, cores: 4, memory: 16Gi}, {id: 1, cores: 4, memory: 16Gi}]
              devices:
              - {resource: example.com/far, count: 2, numaNodes: [9]}
              - {resource: example.com/beyond, count: 2, numaNodes: [-1]}
            """, List.of()));

    private final ClusterPods pods = nodes.pods();

    private static NodeSnapshot snapshot(String node) {
        return nodes.bridge().cluster().snapshot(node).orElseThrow();
    }

    /** The bridge's verdict on a pod that is not there yet. */
    private static Evaluation evaluate(String node, SimplePod pod) {
        Pod built = pod.build();
        return FullModel.evaluate(
                snapshot(node),
                new ObjectReader().pod(new KubernetesSerialization().convertValue(built, PodObject.class)));
    }

    private void create(SimplePod pod, String... limits) {
        pods.create(pod.with("c", limits));
    }

    private void awaitUnschedulable(String pod, String why) {
        await("the pod %s waits".formatted(pod))
                .atMost(BridgedNodes.TIMEOUT)
                .until(() -> pods.get(pod).getStatus().getConditions().stream()
                        .anyMatch(condition -> "Unschedulable".equals(condition.getReason())
                                && condition.getMessage().contains(why)));
    }

    /** The device of zone 0 that the pod {@code holder} has got. */
    private static String deviceOfHolder() {
        return await("the holder is observed")
                .atMost(BridgedNodes.TIMEOUT)
                .until(
                        () -> snapshot("gpu").pods().stream()
                                .filter(held -> held.key().equals("default/holder"))
                                .flatMap(held -> held.devices().stream())
                                .map(DeviceAllocation::deviceId)
                                .findFirst()
                                .orElse(""),
                        id -> !id.isEmpty());
    }

    /** Zone 1 has a free GPU and no CPUs, so that the other healthy one of zone 0 is the pod's only place. */
    @ParameterizedTest
    @ValueSource(booleans = {true, false})
    void aPodGetsTheHealthyDeviceBesideAHeldOneThatFailedOrVanished(boolean listed) {
        create(SimplePod.named("filler").on("gpu"), "cpu=8", "memory=1Gi");
        nodes.awaitRunning(1);
        create(SimplePod.named("holder"), "cpu=1", "memory=1Gi", GPU + "=1");
        nodes.awaitRunning(2);
        String device = deviceOfHolder();
        DevicePlugin plugin = nodes.cluster().cluster().node("gpu").plugin(GPU);
        try {
            if (listed) {
                plugin.setHealthy(device, false);
            } else {
                plugin.remove(device);
            }
            await("the agent and the kubelet have published it")
                    .atMost(BridgedNodes.TIMEOUT)
                    .until(() -> UnhealthyDevices.of(snapshot("gpu").topology().orElseThrow())
                                    .contains(GPU, device)
                            && allocatable() == 2);

            SimplePod next = SimplePod.named("next").with("c", "cpu=1", "memory=1Gi", GPU + "=1");
            assertThat(evaluate("gpu", next).admits()).isTrue();
            assertThat(evaluate("gpu", SimplePod.named("two").with("c", "cpu=1", "memory=1Gi", GPU + "=2"))
                            .admits())
                    .isFalse();
            assertThat(snapshot("gpu").confidence()).isEqualTo(Confidence.EXACT);
            assertThat(nodes.bridge().cluster().recordsSetAside("gpu")).isEmpty();
            pods.create(next);
            nodes.awaitRunning(3);
            nodes.assertNobodyRefused();

            pods.delete("holder");
            await("the holder has ended")
                    .atMost(BridgedNodes.TIMEOUT)
                    .until(() -> snapshot("gpu").pods().size() == 2);
            assertThat(evaluate("gpu", SimplePod.named("last").with("c", "cpu=1", "memory=1Gi", GPU + "=1"))
                            .admits())
                    .as("the failed device is not free")
                    .isFalse();
        } finally {
            plugin.setHealthy(device, true);
            await("the device is back")
                    .atMost(BridgedNodes.TIMEOUT)
                    .until(() -> allocatable() == 3
                            && UnhealthyDevices.of(snapshot("gpu").topology().orElseThrow())
                                    .equals(UnhealthyDevices.NONE));
        }
    }

    private static long allocatable() {
        return nodes.client()
                .nodes()
                .withName("gpu")
                .get()
                .getStatus()
                .getAllocatable()
                .get(GPU)
                .getNumericalAmount()
                .longValue();
    }

    @ParameterizedTest
    @ValueSource(strings = {"example.com/nine", "example.com/minus"})
    void aPodWaitsForDevicesOnNumaNodesThatTheMachineLacks(String resource) {
        create(SimplePod.named("waits"), "cpu=1", "memory=1Gi", resource + "=1");

        awaitUnschedulable(
                "waits", "the device plugin reports 2 %s on NUMA nodes that the machine lacks".formatted(resource));
        nodes.assertNobodyRefused();
        assertThat(snapshot("odd").confidence()).isEqualTo(Confidence.EXACT);

        create(SimplePod.named("bound").on("odd"), "cpu=1", "memory=1Gi", resource + "=1");
        pods.awaitPhase("bound", "Failed");
        assertThat(pods.get("bound").getStatus().getReason()).isEqualTo("TopologyAffinityError");
    }

    @ParameterizedTest
    @ValueSource(strings = {"example.com/far", "example.com/beyond"})
    void aBestEffortNodeGivesSuchDevices(String resource) {
        create(SimplePod.named("first"), "cpu=1", "memory=1Gi", resource + "=1");
        nodes.awaitRunning(1);
        await("the first is observed")
                .atMost(BridgedNodes.TIMEOUT)
                .until(() -> snapshot("loose").confidence() == Confidence.EXACT
                        && snapshot("loose").pods().size() == 1);
        assertThat(evaluate("loose", SimplePod.named("two").with("c", "cpu=1", "memory=1Gi", resource + "=2"))
                        .admits())
                .isFalse();

        create(SimplePod.named("second"), "cpu=1", "memory=1Gi", resource + "=1");

        nodes.awaitRunning(2);
        nodes.assertNobodyRefused();
    }
}
