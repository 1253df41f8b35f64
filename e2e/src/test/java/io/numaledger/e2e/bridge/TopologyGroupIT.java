package io.numaledger.e2e.bridge;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import com.fasterxml.jackson.dataformat.yaml.YAMLFactory;
import io.fabric8.kubernetes.api.model.Pod;
import io.numaledger.e2e.support.ClusterPods;
import io.numaledger.simulator.workload.SimplePod;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;

import java.io.IOException;
import java.util.Map;
import java.util.TreeMap;
import java.util.stream.IntStream;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

/**
 * Groups in racks, with the rights and the admission policy of the chart. Two racks have two nodes each. Each node has two zones of 8 CPUs,
 * one of them reserved: two pods of 5 CPUs fit.
 */
class TopologyGroupIT {

    private static final ObjectMapper YAML = new ObjectMapper(new YAMLFactory());

    @RegisterExtension
    static final BridgedNodes nodes = BridgedNodes.shared(GroupNodes.GROUPS);

    private final ClusterPods pods = nodes.pods();

    /** Node → rank → domain, as the pods say. */
    private Map<String, Map<String, String>> places(String group) {
        Map<String, Map<String, String>> places = new TreeMap<>();
        for (Pod pod : pods.all()) {
            if (pod.getMetadata().getName().startsWith(group)
                    && pod.getStatus().getPhase().equals("Running")) {
                Map<String, String> annotations = pod.getMetadata().getAnnotations();
                places.computeIfAbsent(pod.getSpec().getNodeName(), any -> new TreeMap<>())
                        .put(
                                annotations.getOrDefault("numaledger.io/rank", "-"),
                                annotations.getOrDefault("numaledger.io/topology-domain", "-"));
            }
        }
        return places;
    }

    /** Rack 1 has a pod that takes one of its four places. */
    @Test
    void theJobOfTheDocsRunsInOneRack() throws IOException {
        nodes.create(SimplePod.named("other").on("a"), 5);
        pods.awaitPhase("other", "Running");
        JsonNode job = YAML.readTree(GroupNodes.manifests("topology.md").get(0));
        nodes.client()
                .load(GroupNodes.stream(job.toString()))
                .inNamespace("default")
                .create();

        await().atMost(BridgedNodes.TIMEOUT)
                .untilAsserted(() -> assertThat(places("train"))
                        .isEqualTo(
                                Map.of("b", Map.of("0", "b1.2", "1", "b1.2"), "d", Map.of("2", "b1.2", "3", "b1.2"))));
        nodes.assertNobodyRefused();
    }

    @Test
    void aTopologyOfKaiSchedulerNamesTheLevels() {
        nodes.client().load(GroupNodes.stream("""
                        apiVersion: kai.scheduler/v1alpha1
                        kind: Topology
                        metadata: {name: fabric}
                        spec:
                          levels:
                          - {nodeLabel: example.com/block}
                          - {nodeLabel: example.com/rack, alias: Rack}
                        """)).create();

        IntStream.range(0, 4)
                .forEach(i -> pods.create(SimplePod.named("g-" + i)
                        .ofGatedGroup("g", 4)
                        .annotated("kai.scheduler/topology", "fabric")
                        .annotated("kai.scheduler/topology-required-placement", "Rack")
                        .with("c", "cpu=5", "memory=1Gi")));

        await().atMost(BridgedNodes.TIMEOUT)
                .untilAsserted(() -> assertThat(places("g"))
                        .isEqualTo(
                                Map.of("a", Map.of("0", "b1.1", "1", "b1.1"), "c", Map.of("2", "b1.1", "3", "b1.1"))));
        nodes.assertNobodyRefused();
    }
}
