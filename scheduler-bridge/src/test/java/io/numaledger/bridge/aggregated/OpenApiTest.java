package io.numaledger.bridge.aggregated;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import com.fasterxml.jackson.databind.node.ObjectNode;
import io.numaledger.apiobjects.view.ExplanationJson;
import io.numaledger.apiobjects.view.NodeJson;
import io.numaledger.apiobjects.view.StrandedJson;
import io.numaledger.evaluation.facts.PodFacts;
import io.numaledger.evaluation.holder.PodNames;
import io.numaledger.objects.ClaimReader;
import io.numaledger.objects.ClusterYaml;
import io.numaledger.objects.Documents;
import io.numaledger.objects.PodManifest;
import io.numaledger.objects.ResourceSliceReader;
import io.numaledger.scheduling.TestCluster;
import io.numaledger.scheduling.explain.Explanation;
import io.numaledger.scheduling.stranded.ReferencePods;
import io.numaledger.scheduling.stranded.StrandedCapacity;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

import java.io.IOException;
import java.util.ArrayList;
import java.util.List;

import static org.assertj.core.api.Assertions.assertThat;

/** Compares real answers with the OpenAPI document: every field is described, every required field is there. */
class OpenApiTest {

    private static final ObjectMapper JSON = new ObjectMapper();
    private static final String CPUS_4 = "cpu: \"4\", memory: 1Gi";
    private static final String LARGE =
            "{\"kind\":\"Pod\",\"metadata\":{\"name\":\"x\"},\"spec\":{\"containers\":[{\"name\":\"c\",\"resources\":"
                    + "{\"limits\":{\"cpu\":\"4\",\"memory\":\"1Gi\",\"nvidia.com/gpu\":\"1\"}}}]}}";

    private final TestCluster cluster = new TestCluster();
    private JsonNode document;

    @BeforeEach
    void fill() throws IOException {
        cluster.apply(
                ClusterYaml.node("free"),
                ClusterYaml.node("full"),
                ClusterYaml.nodeOf34Zones("slow")
                        .replace("memoryManagerPolicy, value: None", "memoryManagerPolicy, value: Static"),
                ClusterYaml.node("foreign").replace("- {name: cores, value: \"0:0;1:1;2:2;3:3;4:4\"}", ""),
                "---\nkind: Node\nmetadata: {name: bare}\n",
                ClusterYaml.running("a", "full", CPUS_4, "1-4"),
                ClusterYaml.running("b", "full", "cpu: \"1\", memory: 1Gi", "5"),
                ClusterYaml.pod("c", CPUS_4, "", "", ""));
        cluster.apply(ClusterYaml.running("claiming", "free", CPUS_4, "1-4")
                .replace("  nodeName: free", "  nodeName: free\n  resourceClaims: [{name: vf, resourceClaimName: c}]"));
        cluster.state
                .claims()
                .sliceChanged(
                        new ResourceSliceReader().slice(Documents.read("""
                metadata: {name: s}
                spec:
                  driver: vf.example.com
                  nodeName: free
                  pool: {name: n, generation: 1, resourceSliceCount: 1}
                  devices: [{name: d, attributes: {dra.net/numaNode: {int: 1}}}, {name: unknown}]
                """).get(0)));
        cluster.state
                .claims()
                .claimChanged(ClaimReader.claim(Documents.read("""
                metadata: {name: c, namespace: default}
                status: {allocation: {devices: {results: [{request: r, driver: vf.example.com, pool: n, device: d}]}}}
                """).get(0)));
        document = Discovery.openApiV3();
    }

    @Test
    void describesNodes() {
        cluster.state
                .snapshots()
                .forEach(node -> assertThat(violations(
                                schema("Node"), NodeJson.detailed(node, cluster.state, PodNames.ALL), "node"))
                        .isEmpty());
    }

    @Test
    void describesClaims() throws IOException {
        assertThat(NodeJson.of(cluster.snapshot("free"), cluster.state, PodNames.ALL)
                        .at("/pods/0/claims/devices/0/zones/0")
                        .asText())
                .isEqualTo("node-1");
        PodFacts pod = cluster.state.pods().get("default/claiming").orElseThrow();
        assertThat(violations(
                        schema("Explanation"),
                        JSON.valueToTree(ExplanationJson.full(
                                Explanation.ofAll(cluster.state, pod).get(2))),
                        ""))
                .isEmpty();
    }

    @Test
    void describesExplanations() throws IOException {
        var pod = PodManifest.read(LARGE).pod();
        for (List<String> ended : List.of(List.<String>of(), List.of("default/a"))) {
            assertThat(Explanation.ofAll(cluster.state, ended, pod))
                    .hasSize(5)
                    .allSatisfy(each -> assertThat(
                                    violations(schema("Explanation"), JSON.valueToTree(ExplanationJson.full(each)), ""))
                            .isEmpty());
        }
    }

    @Test
    void describesStrandedCapacity() {
        StrandedCapacity capacity =
                new StrandedCapacity(cluster.state, ReferencePods.of(List.of("a:cpu=3")), any -> "");
        capacity.update(100);
        List<ObjectNode> references = StrandedJson.of(capacity.report());
        assertThat(references).hasSize(1);
        ObjectNode one = references.get(0);
        one.set("nodes", StrandedJson.nodes(capacity.nodes("a")));
        one.set("moves", StrandedJson.moves(List.of(), PodNames.ALL));
        assertThat(violations(schema("StrandedCapacity"), one, "")).isEmpty();
    }

    private JsonNode schema(String name) {
        return document.path("components").path("schemas").path(name);
    }

    private List<String> violations(JsonNode schema, JsonNode value, String where) {
        if (schema.has("$ref")) {
            String ref = schema.get("$ref").asText();
            return violations(schema(ref.substring(ref.lastIndexOf('/') + 1)), value, where);
        }
        if (value.isNull()) {
            return schema.path("nullable").asBoolean() ? List.of() : List.of(where + " is null");
        }
        List<String> found = new ArrayList<>();
        switch (schema.path("type").asText()) {
            case "object" -> objectViolations(schema, value, where, found);
            case "array" -> {
                require(value.isArray(), where + " is no array", found);
                for (int i = 0; i < value.size(); i++) {
                    found.addAll(violations(schema.path("items"), value.get(i), where + "/" + i));
                }
            }
            case "string" -> {
                require(value.isTextual(), where + " is no string", found);
                List<String> allowed = new ArrayList<>();
                schema.path("enum").forEach(each -> allowed.add(each.asText()));
                require(allowed.isEmpty() || allowed.contains(value.asText()), where + " is " + value, found);
            }
            case "boolean" -> require(value.isBoolean(), where + " is no boolean", found);
            case "integer" -> require(value.isIntegralNumber(), where + " is no integer", found);
            default -> found.add(where + " has no type that is known here: " + schema);
        }
        return found;
    }

    private void objectViolations(JsonNode schema, JsonNode value, String where, List<String> found) {
        require(value.isObject(), where + " is no object", found);
        schema.path("required")
                .forEach(name -> require(value.has(name.asText()), where + " lacks " + name.asText(), found));
        value.properties().forEach(field -> {
            JsonNode own = schema.path("properties").has(field.getKey())
                    ? schema.path("properties").get(field.getKey())
                    : schema.path("additionalProperties");
            String at = where + "/" + field.getKey();
            require(own.isObject(), at + " is not described", found);
            if (own.isObject()) {
                found.addAll(violations(own, field.getValue(), at));
            }
        });
    }

    private static void require(boolean holds, String violation, List<String> found) {
        if (!holds) {
            found.add(violation);
        }
    }
}
