package io.numaledger.e2e.bridge;

import io.fabric8.kubernetes.api.model.Pod;
import io.fabric8.kubernetes.api.model.PodBuilder;
import io.fabric8.kubernetes.client.KubernetesClient;
import io.numaledger.annotation.AllocationText;
import io.numaledger.annotation.Annotations;
import io.numaledger.e2e.support.ChartRights;
import io.numaledger.e2e.support.RealKubernetes;
import io.numaledger.nrt.gpu.GpuTopologyText;
import io.numaledger.placement.DeviceAllocation;
import io.numaledger.simulator.deployment.BridgedCluster;
import io.numaledger.simulator.workload.SimplePod;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;

import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.stream.Collectors;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

/** A pod that demands links between its GPUs gets them from a real kubelet, or waits. */
class GpuLinksIT {

    private static final Duration TIMEOUT = Duration.ofMinutes(3);

    private static BridgedCluster bridged;

    /** Of the four GPUs of one node, two and two have links; both GPUs of the other node have them. */
    @BeforeAll
    static void start() {
        bridged = BridgedCluster.start(RealKubernetes.binaries(), """
                nodes:
                - name: bridges
                  kubelet: {topologyManagerPolicy: single-numa-node}
                  numaNodes: [{id: 0, cores: 5, memory: 8Gi}, {id: 1, cores: 4, memory: 8Gi}]
                  devices: [{resource: nvidia.com/gpu, ids: [GPU-b0, GPU-b1, GPU-b2, GPU-b3], numaNodes: [0]}]
                - name: linked
                  kubelet: {topologyManagerPolicy: single-numa-node}
                  numaNodes: [{id: 0, cores: 5, memory: 8Gi}, {id: 1, cores: 4, memory: 8Gi}]
                  devices: [{resource: nvidia.com/gpu, ids: [GPU-l0, GPU-l1], numaNodes: [1]}]
                """, ChartRights::credentials);
        publish("bridges", 0, "[4,0,0,0,0,4]", "GPU-b0", "GPU-b1", "GPU-b2", "GPU-b3");
        publish("linked", 1, "12", "GPU-l0", "GPU-l1");
    }

    @AfterAll
    static void stop() {
        if (bridged != null) {
            bridged.close();
        }
    }

    /** The machine of the test has no NVIDIA driver, so that the agents publish no GPU topology. */
    private static void publish(String node, int numaNode, String links, String... uuids) {
        String gpus = List.of(uuids).stream()
                .map(uuid -> "{\"uuid\":\"%s\",\"numa\":%d}".formatted(uuid, numaNode))
                .collect(Collectors.joining(","));
        String text = "{\"v\":1,\"kind\":\"direct\",\"gpus\":[%s],\"links\":%s,\"pcie\":\"%s\"}"
                .formatted(gpus, links, "?".repeat(uuids.length * (uuids.length - 1) / 2));
        Map<String, Object> patch = Map.of("metadata", Map.of("annotations", Map.of(GpuTopologyText.KEY, text)));
        bridged.cluster().patchNode(node, client().getKubernetesSerialization().asJson(patch));
        await().atMost(TIMEOUT)
                .until(() -> bridged.bridge()
                        .cluster()
                        .snapshot(node)
                        .orElseThrow()
                        .node()
                        .gpus()
                        .isPresent());
    }

    private static KubernetesClient client() {
        return bridged.cluster().client();
    }

    private static void create(String name) {
        client().resource(new PodBuilder(SimplePod.named(name)
                                .with("c", "cpu=1", "memory=256Mi", "nvidia.com/gpu=2")
                                .build())
                        .editMetadata()
                        .addToAnnotations(Annotations.GPU_LINKS, "required")
                        .endMetadata()
                        .build())
                .create();
    }

    private static Pod pod(String name) {
        return client().pods().inNamespace("default").withName(name).get();
    }

    private static void awaitObserved(String name) {
        await().atMost(TIMEOUT)
                .until(() -> pod(name).getMetadata().getAnnotations().containsKey(Annotations.PLACEMENT));
    }

    private static List<String> devices(String name) {
        String record = pod(name).getMetadata().getAnnotations().get(Annotations.PLACEMENT);
        return AllocationText.read("default", name, record).containers().stream()
                .flatMap(container -> container.devices().stream())
                .map(DeviceAllocation::deviceId)
                .toList();
    }

    private static List<String> events(String name) {
        return client().v1().events().inNamespace("default").list().getItems().stream()
                .filter(event -> event.getInvolvedObject().getName().equals(name))
                .map(event -> event.getReason())
                .toList();
    }

    @Test
    void runsWhereItsGpusAreLinkedAndWaitsOtherwise() {
        create("first");
        awaitObserved("first");
        assertThat(pod("first").getSpec().getNodeName()).isEqualTo("linked");
        assertThat(devices("first")).containsExactly("GPU-l0", "GPU-l1");
        await().atMost(TIMEOUT)
                .until(() -> bridged.metrics()
                        .anyMatch(line -> line.equals("numaledger_bridge_gpu_links_total{observed=\"best\"} 1.0")));

        create("second");
        await().atMost(TIMEOUT).until(() -> events("second").contains("NumaUnschedulable"));
        assertThat(pod("second").getSpec().getNodeName()).isNull();

        client().pods().inNamespace("default").withName("first").delete();
        awaitObserved("second");
        assertThat(devices("second")).containsExactly("GPU-l0", "GPU-l1");
        assertThat(bridged.bridge().cluster().snapshot("bridges").orElseThrow().pods())
                .isEmpty();
    }
}
