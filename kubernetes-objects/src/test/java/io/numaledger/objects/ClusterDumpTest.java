package io.numaledger.objects;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import io.numaledger.evaluation.facts.PodOrigin;
import io.numaledger.evaluation.snapshot.ClusterObjects;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Instant;
import java.util.Optional;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

class ClusterDumpTest {

    private static final ObjectMapper JSON = new ObjectMapper();

    private static final String OWNED = """
            ---
            apiVersion: v1
            kind: Pod
            metadata:
              name: owned
              creationTimestamp: "2026-11-29T10:00:00Z"
              ownerReferences:
              - {apiVersion: v1, kind: ConfigMap, name: x, uid: u}
              - {apiVersion: apps/v1, kind: ReplicaSet, name: y, uid: v, controller: true}
            spec: {nodeName: a, containers: [{name: c, image: x}]}
            """;

    @TempDir
    private Path directory;

    private Path file(String text) throws IOException {
        return Files.writeString(directory.resolve("dump"), text);
    }

    private static ArrayNode items() throws IOException {
        ArrayNode items = JSON.createArrayNode();
        for (JsonNode each :
                Documents.read(ClusterYaml.node("a") + ClusterYaml.pod("p", "cpu: 1", "", "", "") + OWNED)) {
            items.add(each);
        }
        return items;
    }

    @Test
    void aListIsReadItemByItem() throws IOException {
        ObjectNode list = JSON.createObjectNode().put("apiVersion", "v1").set("items", items());
        String text = list.put("kind", "List").toPrettyString();

        ClusterObjects streamed = ClusterDump.read(file(text));

        assertThat(streamed).isEqualTo(ClusterDump.parse(text));
        assertThat(streamed.pods()).extracting(pod -> pod.key()).containsExactly("default/p", "default/owned");
        assertThat(streamed.nodes()).containsOnlyKeys("a");
        assertThat(streamed.topologies()).containsOnlyKeys("a");
    }

    @Test
    void listsAndObjectsFollowEachOther() throws IOException {
        ArrayNode items = items();
        ObjectNode list = JSON.createObjectNode().put("kind", "List");
        list.putArray("items").add(items.get(0)).add(items.get(1));
        String text = "%s\n%s%s".formatted(list, items.get(2), items.get(3));

        assertThat(ClusterDump.read(file(text))).isEqualTo(ClusterDump.parse(text));
    }

    @Test
    void knowsWhoMadeAPod() throws IOException {
        ClusterObjects objects =
                ClusterDump.parse(ClusterYaml.node("a") + OWNED + ClusterYaml.pod("p", "cpu: 1", "", "", ""));

        assertThat(objects.origins())
                .containsEntry(
                        "default/owned",
                        new PodOrigin(Optional.of("ReplicaSet"), Optional.of(Instant.parse("2026-11-29T10:00:00Z"))))
                .containsEntry("default/p", PodOrigin.UNKNOWN);
    }

    @Test
    void aFaultInJsonIsSaid() throws IOException {
        Path file = file("{\"kind\": \"List\", \"items\": [{\"kind\": \"Pod\"");

        assertThatThrownBy(() -> ClusterDump.read(file))
                .isInstanceOf(IOException.class)
                .hasMessageContaining("cannot use the dump: file=")
                .hasMessageContaining("no JSON");
    }

    @Test
    void yamlThatBeginsWithABraceIsRead() throws IOException {
        String text =
                "{kind: Node, metadata: {name: a}}\n---\n{kind: Pod, metadata: {name: p}, spec: {containers: []}}";

        assertThat(ClusterDump.read(file(text)).pods())
                .extracting(pod -> pod.key())
                .containsExactly("default/p");
    }
}
