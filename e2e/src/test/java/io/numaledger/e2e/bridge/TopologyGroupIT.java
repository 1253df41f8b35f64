package io.numaledger.e2e.bridge;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import com.fasterxml.jackson.dataformat.yaml.YAMLFactory;
import io.fabric8.kubernetes.api.model.Pod;
import io.fabric8.kubernetes.client.KubernetesClient;
import io.numaledger.bridge.run.Bridge;
import io.numaledger.e2e.support.ChartRights;
import io.numaledger.e2e.support.ClusterPods;
import io.numaledger.e2e.support.RealKubernetes;
import io.numaledger.simulator.cluster.SimCluster;
import io.numaledger.simulator.deployment.BridgedCluster;
import io.numaledger.simulator.deployment.Credentials;
import io.numaledger.simulator.hardware.NodeSpecYaml;
import io.numaledger.simulator.workload.SimplePod;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;

import java.io.ByteArrayInputStream;
import java.io.IOException;
import java.io.InputStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Map;
import java.util.TreeMap;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.IntStream;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

/**
 * Groups in racks, with the rights and the admission policy of the chart. Two racks have two nodes each. Each node has two zones of 8 CPUs,
 * one of them reserved: two pods of 5 CPUs fit.
 */
class TopologyGroupIT {

    private static final Duration TIMEOUT = Duration.ofMinutes(3);
    private static final Pattern BLOCK = Pattern.compile("```yaml\n(.*?)```", Pattern.DOTALL);
    private static final ObjectMapper YAML = new ObjectMapper(new YAMLFactory());

    private static BridgedCluster bridged;
    private static ClusterPods pods;

    @BeforeAll
    static void start() {
        bridged = BridgedCluster.start(
                SimCluster.builder(RealKubernetes.binaries())
                        .nodes(NodeSpecYaml.parse("nodes:\n" + node("a") + node("b") + node("c") + node("d"))),
                TopologyGroupIT::credentials,
                settings -> settings.withGroups(Bridge.Groups.PLANNED));
        pods = new ClusterPods(bridged.cluster());
        Map.of("a", "1", "b", "2", "c", "1", "d", "2")
                .forEach((node, rack) -> bridged.cluster()
                        .patchNode(
                                node,
                                "{\"metadata\":{\"labels\":{\"example.com/block\":\"b1\",\"example.com/rack\":\"%s\"}}}"
                                        .formatted(rack)));
    }

    private static String node(String name) {
        return """
                - name: %s
                  kubelet: {topologyManagerPolicy: single-numa-node}
                  numaNodes:
                  - {id: 0, cores: 8, memory: 16Gi}
                  - {id: 1, cores: 8, memory: 16Gi}
                """.formatted(name);
    }

    private static Credentials credentials(SimCluster cluster) {
        cluster.client().load(stream("""
                        apiVersion: apiextensions.k8s.io/v1
                        kind: CustomResourceDefinition
                        metadata: {name: topologies.kai.scheduler, annotations: {api-approved.kubernetes.io: unapproved}}
                        spec:
                          group: kai.scheduler
                          scope: Cluster
                          names: {kind: Topology, plural: topologies, singular: topology}
                          versions:
                          - name: v1alpha1
                            served: true
                            storage: true
                            schema:
                              openAPIV3Schema: {type: object, x-kubernetes-preserve-unknown-fields: true}
                        """)).create();
        return ChartRights.credentials(cluster, "bridge.groups.enabled=true");
    }

    private static InputStream stream(String text) {
        return new ByteArrayInputStream(text.getBytes(StandardCharsets.UTF_8));
    }

    private static KubernetesClient client() {
        return bridged.cluster().client();
    }

    @AfterAll
    static void stop() {
        if (bridged != null) {
            bridged.close();
        }
    }

    @AfterEach
    void deleteAll() {
        client().batch().v1().jobs().inNamespace("default").delete();
        client().pods().inNamespace("default").withGracePeriod(0).delete();
        await().atMost(TIMEOUT).until(() -> pods.all().isEmpty());
        await().atMost(TIMEOUT)
                .until(() -> bridged.bridge().cluster().snapshots().stream()
                                .allMatch(node -> node.pods().isEmpty())
                        && !bridged.bridge().cluster().hasPlanned());
    }

    /** Node → rank → domain, as the pods say. */
    private static Map<String, Map<String, String>> places(String group) {
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

    private static void assertNobodyRefused() {
        assertThat(bridged.cluster().journal().count("TopologyAffinityError")).isZero();
    }

    /** Rack 1 has a pod that takes one of its four places. */
    @Test
    void theJobOfTheDocsRunsInOneRack() throws IOException {
        pods.create(SimplePod.named("other").on("a").with("c", "cpu=5", "memory=1Gi"));
        pods.awaitPhase("other", "Running");
        Matcher block =
                BLOCK.matcher(Files.readString(Path.of(System.getProperty("numaledger.root"), "docs/topology.md")));
        assertThat(block.find()).isTrue();
        JsonNode job = YAML.readTree(block.group(1));
        client().load(stream(job.toString())).inNamespace("default").create();

        await().atMost(TIMEOUT)
                .untilAsserted(() -> assertThat(places("train"))
                        .isEqualTo(
                                Map.of("b", Map.of("0", "b1.2", "1", "b1.2"), "d", Map.of("2", "b1.2", "3", "b1.2"))));
        assertNobodyRefused();
    }

    @Test
    void aTopologyOfKaiSchedulerNamesTheLevels() {
        client().load(stream("""
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

        await().atMost(TIMEOUT)
                .untilAsserted(() -> assertThat(places("g"))
                        .isEqualTo(
                                Map.of("a", Map.of("0", "b1.1", "1", "b1.1"), "c", Map.of("2", "b1.1", "3", "b1.1"))));
        assertNobodyRefused();
    }
}
