package io.numaledger.e2e.bridge;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import com.fasterxml.jackson.databind.node.ObjectNode;
import com.fasterxml.jackson.dataformat.yaml.YAMLFactory;
import io.fabric8.kubernetes.api.model.Pod;
import io.fabric8.kubernetes.client.KubernetesClient;
import io.fabric8.kubernetes.client.dsl.base.PatchContext;
import io.fabric8.kubernetes.client.dsl.base.PatchType;
import io.numaledger.bridge.run.Bridge;
import io.numaledger.e2e.support.ChartRights;
import io.numaledger.e2e.support.ClusterPods;
import io.numaledger.e2e.support.RealKubernetes;
import io.numaledger.simulator.cluster.SimCluster;
import io.numaledger.simulator.deployment.BridgedCluster;
import io.numaledger.simulator.deployment.Credentials;
import io.numaledger.simulator.hardware.NodeSpecYaml;
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
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

/**
 * The manifests of the docs run: four pods of 5 CPUs on two nodes that take two each. Where a controller is not at hand, its pods are made of
 * the template, with its labels.
 */
class GroupManifestsIT {

    private static final ObjectMapper YAML = new ObjectMapper(new YAMLFactory());
    private static final Duration TIMEOUT = Duration.ofMinutes(3);
    private static final Pattern BLOCK = Pattern.compile("```yaml\n(.*?)```", Pattern.DOTALL);
    private static final int PODS = 4;

    private static BridgedCluster bridged;
    private static ClusterPods pods;

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
                GroupManifestsIT::credentials,
                settings -> settings.withGroups(Bridge.Groups.PLANNED));
        pods = new ClusterPods(bridged.cluster());
    }

    private static Credentials credentials(SimCluster cluster) {
        cluster.client().load(stream("""
                        apiVersion: apiextensions.k8s.io/v1
                        kind: CustomResourceDefinition
                        metadata: {name: podgroups.scheduling.run.ai}
                        spec:
                          group: scheduling.run.ai
                          scope: Namespaced
                          names: {kind: PodGroup, plural: podgroups, singular: podgroup}
                          versions:
                          - name: v2alpha2
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
    }

    private static KubernetesClient client() {
        return bridged.cluster().client();
    }

    /** The documents of the YAML blocks of a page. */
    private static List<JsonNode> manifests(String page) throws IOException {
        Matcher blocks = BLOCK.matcher(Files.readString(Path.of(System.getProperty("numaledger.root"), "docs", page)));
        List<JsonNode> documents = new ArrayList<>();
        while (blocks.find()) {
            YAML.readerFor(JsonNode.class).<JsonNode>readValues(blocks.group(1)).forEachRemaining(documents::add);
        }
        return documents;
    }

    private static void create(JsonNode object) {
        client().load(stream(object.toString())).inNamespace("default").create();
    }

    /** As a controller makes them. */
    private static void createPods(JsonNode template, String name, Map<String, String> labels) {
        for (int i = 0; i < PODS; i++) {
            ObjectNode pod = template.deepCopy();
            pod.put("apiVersion", "v1").put("kind", "Pod");
            ObjectNode metadata = pod.withObjectProperty("metadata");
            metadata.put("name", name + "-" + i);
            labels.forEach(metadata.withObjectProperty("labels")::put);
            create(pod);
        }
    }

    private static void awaitAllRun() {
        await().atMost(TIMEOUT)
                .until(() -> pods.all().stream()
                                .filter(pod -> pod.getStatus().getPhase().equals("Running"))
                                .count()
                        == PODS);
        assertThat(pods.all()).allMatch(GroupManifestsIT::isPlanned);
        assertThat(bridged.cluster().journal().count("TopologyAffinityError")).isZero();
    }

    private static boolean isPlanned(Pod pod) {
        return pod.getSpec()
                .getNodeName()
                .equals(pod.getMetadata().getAnnotations().get("numaledger.io/planned-node"));
    }

    @Test
    void aJob() throws IOException {
        manifests("groups.md").forEach(GroupManifestsIT::create);
        awaitAllRun();
    }

    @Test
    void aJobOfKueue() throws IOException {
        JsonNode job = manifests("groups-kueue.md").get(0);
        create(job);
        client().batch()
                .v1()
                .jobs()
                .inNamespace("default")
                .withName("train")
                .patch(PatchContext.of(PatchType.JSON_MERGE), "{\"spec\":{\"suspend\":false}}"); // as Kueue does
        awaitAllRun();
    }

    @Test
    void aJobWithAPodGroupOfKai() throws IOException {
        manifests("groups-kai.md").forEach(GroupManifestsIT::create);
        awaitAllRun();
    }

    @Test
    void aJobSet() throws IOException {
        JsonNode template = manifests("groups-jobset.md").get(0).at("/spec/replicatedJobs/0/template/spec/template");
        createPods(template, "train", Map.of("jobset.sigs.k8s.io/jobset-name", "train"));
        awaitAllRun();
    }

    @Test
    void aLeaderWorkerSet() throws IOException {
        JsonNode set = manifests("groups-jobset.md").get(1);
        ObjectNode template =
                set.at("/spec/leaderWorkerTemplate/workerTemplate").deepCopy();
        template.withObjectProperty("metadata")
                .withObjectProperty("annotations")
                .put(
                        "leaderworkerset.sigs.k8s.io/size",
                        set.at("/spec/leaderWorkerTemplate/size").asText());
        createPods(
                template,
                "serve",
                Map.of("leaderworkerset.sigs.k8s.io/name", "serve", "leaderworkerset.sigs.k8s.io/group-index", "0"));
        awaitAllRun();
    }
}
