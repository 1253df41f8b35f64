package io.numaledger.e2e.bridge;

import io.numaledger.annotation.AllocationText;
import io.numaledger.annotation.Annotations;
import io.numaledger.e2e.support.ClusterPods;
import io.numaledger.nrt.gpu.GpuTopologyText;
import io.numaledger.placement.DeviceAllocation;
import io.numaledger.simulator.workload.SimplePod;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;

import java.util.List;
import java.util.Map;
import java.util.stream.Collectors;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

/** A pod that demands links between its GPUs gets them from a real kubelet, or waits. */
class GpuLinksIT {

    /** Of the four GPUs of one node, two and two have links; both GPUs of the other node have them. */
    @RegisterExtension
    static final BridgedNodes nodes = BridgedNodes.own(() -> BridgedNodes.start("""
            nodes:
            - name: bridges
              kubelet: {topologyManagerPolicy: single-numa-node}
              numaNodes: [{id: 0, cores: 5, memory: 8Gi}, {id: 1, cores: 4, memory: 8Gi}]
              devices: [{resource: nvidia.com/gpu, ids: [GPU-b0, GPU-b1, GPU-b2, GPU-b3], numaNodes: [0]}]
            - name: linked
              kubelet: {topologyManagerPolicy: single-numa-node}
              numaNodes: [{id: 0, cores: 5, memory: 8Gi}, {id: 1, cores: 4, memory: 8Gi}]
              devices: [{resource: nvidia.com/gpu, ids: [GPU-l0, GPU-l1], numaNodes: [1]}]
            """, List.of()));

    private final ClusterPods pods = nodes.pods();

    /** The machine of the test has no NVIDIA driver. An agent that starts would remove what the test publishes. */
    @BeforeAll
    static void publishLinks() {
        nodes.cluster().cluster().nodes().forEach(node -> {
            nodes.cluster().agents().stop(node);
            nodes.cluster().agents().start(node, "--gpu-topology=false");
        });
        publish("bridges", 0, "[4,0,0,0,0,4]", "GPU-b0", "GPU-b1", "GPU-b2", "GPU-b3");
        publish("linked", 1, "12", "GPU-l0", "GPU-l1");
    }

    private static void publish(String node, int numaNode, String links, String... uuids) {
        String gpus = List.of(uuids).stream()
                .map(uuid -> "{\"uuid\":\"%s\",\"numa\":%d}".formatted(uuid, numaNode))
                .collect(Collectors.joining(","));
        String text = "{\"v\":1,\"kind\":\"direct\",\"gpus\":[%s],\"links\":%s,\"pcie\":\"%s\"}"
                .formatted(gpus, links, "?".repeat(uuids.length * (uuids.length - 1) / 2));
        Map<String, Object> patch = Map.of("metadata", Map.of("annotations", Map.of(GpuTopologyText.KEY, text)));
        nodes.patchNode(node, nodes.client().getKubernetesSerialization().asJson(patch));
        await().atMost(BridgedNodes.TIMEOUT)
                .until(() -> nodes.bridge()
                        .cluster()
                        .snapshot(node)
                        .orElseThrow()
                        .node()
                        .gpus()
                        .isPresent());
    }

    private void create(String name) {
        pods.create(SimplePod.named(name)
                .annotated(Annotations.GPU_LINKS, "required")
                .with("c", "cpu=1", "memory=256Mi", "nvidia.com/gpu=2"));
    }

    private List<String> devices(String name) {
        String record = pods.get(name).getMetadata().getAnnotations().get(Annotations.PLACEMENT);
        return AllocationText.read("default", name, record).containers().stream()
                .flatMap(container -> container.devices().stream())
                .map(DeviceAllocation::deviceId)
                .toList();
    }

    @Test
    void runsWhereItsGpusAreLinkedAndWaitsOtherwise() {
        create("first");
        pods.awaitRecord("first");
        assertThat(pods.get("first").getSpec().getNodeName()).isEqualTo("linked");
        assertThat(devices("first")).containsExactly("GPU-l0", "GPU-l1");
        await().atMost(BridgedNodes.TIMEOUT)
                .until(() -> nodes.cluster()
                        .metrics()
                        .anyMatch(line -> line.equals("numaledger_bridge_gpu_links_total{observed=\"best\"} 1.0")));

        create("second");
        await().atMost(BridgedNodes.TIMEOUT).until(() -> nodes.reasons("second").contains("NumaUnschedulable"));
        assertThat(pods.get("second").getSpec().getNodeName()).isNull();

        pods.delete("first");
        pods.awaitRecord("second");
        assertThat(devices("second")).containsExactly("GPU-l0", "GPU-l1");
        assertThat(nodes.bridge().cluster().snapshot("bridges").orElseThrow().pods())
                .isEmpty();
    }
}
