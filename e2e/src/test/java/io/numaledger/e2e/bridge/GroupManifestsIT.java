package io.numaledger.e2e.bridge;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import com.fasterxml.jackson.databind.node.ObjectNode;
import com.fasterxml.jackson.dataformat.yaml.YAMLFactory;
import io.fabric8.kubernetes.api.model.Pod;
import io.fabric8.kubernetes.client.dsl.base.PatchContext;
import io.fabric8.kubernetes.client.dsl.base.PatchType;
import io.numaledger.e2e.support.ClusterPods;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;

import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Set;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * The manifests of the docs run: four pods of 5 CPUs on two nodes that take two each. Where a controller is not at hand, its pods are made of
 * the template, with its labels.
 */
class GroupManifestsIT {

    private static final ObjectMapper YAML = new ObjectMapper(new YAMLFactory());
    private static final int PODS = 4;

    @RegisterExtension
    static final BridgedNodes nodes = BridgedNodes.shared(GroupNodes.GROUPS);

    private final ClusterPods pods = nodes.pods();

    @BeforeEach
    void useTwoNodes() {
        nodes.cordon(Set.of("c", "d"));
    }

    /** The documents of the YAML blocks of a page. */
    private static List<JsonNode> manifests(String page) throws IOException {
        List<JsonNode> documents = new ArrayList<>();
        for (String block : GroupNodes.manifests(page)) {
            YAML.readerFor(JsonNode.class).<JsonNode>readValues(block).forEachRemaining(documents::add);
        }
        return documents;
    }

    private static void create(JsonNode object) {
        nodes.client()
                .load(GroupNodes.stream(object.toString()))
                .inNamespace("default")
                .create();
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

    private void awaitAllRun() {
        nodes.awaitRunning(PODS);
        assertThat(pods.all()).allMatch(GroupManifestsIT::isPlanned);
        nodes.assertNobodyRefused();
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
        nodes.client()
                .batch()
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
