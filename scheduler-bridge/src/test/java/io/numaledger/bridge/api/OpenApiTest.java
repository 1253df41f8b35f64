package io.numaledger.bridge.api;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import io.numaledger.bridge.ClusterYaml;
import io.numaledger.bridge.TestCluster;
import io.numaledger.bridge.server.BridgeServer.Answer;
import io.numaledger.bridge.server.BridgeServer.Request;
import io.numaledger.bridge.server.BridgeServer.Route;
import io.numaledger.bridge.server.Requests;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.TreeMap;
import java.util.TreeSet;

import static org.assertj.core.api.Assertions.assertThat;

/** Compares real answers of every path with the OpenAPI document: every field is described, every required field is there. */
class OpenApiTest {

    private static final ObjectMapper JSON = new ObjectMapper();
    private static final String CPUS_4 = "cpu: \"4\", memory: 1Gi";
    private static final String LARGE =
            "{\"kind\":\"Pod\",\"metadata\":{\"name\":\"x\"},\"spec\":{\"containers\":[{\"name\":\"c\",\"resources\":"
                    + "{\"limits\":{\"cpu\":\"4\",\"memory\":\"1Gi\",\"nvidia.com/gpu\":\"1\"}}}]}}";

    private final TestCluster cluster = new TestCluster();
    private final BridgeApi api = new BridgeApi(cluster.state, Optional.empty());
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
        document = JSON.readTree(api.openApi(request("GET", "", "")).body());
    }

    private static Request request(String method, String rest, String body) {
        return Requests.of(method, rest, body);
    }

    @Test
    void describesEveryAnswer() throws IOException {
        Map<String, Answer> answers = new TreeMap<>();
        answers.put("get /v1/nodes", api.nodes(request("GET", "", "")));
        answers.put("get /v1/nodes/{name}", api.nodes(request("GET", "/full", "")));
        answers.put("post /v1/explain", api.explain(request("POST", "", LARGE)));
        answers.put(
                "post /v1/whatif",
                api.whatif(request("POST", "", "{\"evict\":[\"default/a\"],\"place\":%s}".formatted(LARGE))));
        for (var answer : answers.entrySet()) {
            String[] operation = answer.getKey().split(" ");
            JsonNode schema = document.path("paths")
                    .path(operation[1])
                    .path(operation[0])
                    .at("/responses/200/content/application~1json/schema");
            assertThat(schema.isObject()).as(answer.getKey()).isTrue();
            assertThat(answer.getValue().status()).isEqualTo(200);
            assertThat(violations(schema, JSON.readTree(answer.getValue().body()), answer.getKey()))
                    .isEmpty();
        }
        assertThat(answers.keySet()).isEqualTo(operations());
    }

    private TreeSet<String> operations() {
        TreeSet<String> operations = new TreeSet<>();
        document.path("paths")
                .properties()
                .forEach(path -> path.getValue()
                        .fieldNames()
                        .forEachRemaining(method -> operations.add(method + " " + path.getKey())));
        return operations;
    }

    @Test
    void explainsAPodByName() throws IOException {
        Answer byName = api.explain(request("POST", "", "{\"pod\":\"default/c\"}"));
        assertThat(violations(schema("Explanations"), JSON.readTree(byName.body()), "explain"))
                .isEmpty();
    }

    @Test
    void rejectsInvalidRequestsAsDescribed() throws IOException {
        assertThat(api.nodes(request("GET", "/nobody", "")).status()).isEqualTo(404);
        for (Route route : List.<Route>of(api::explain, api::whatif)) {
            for (String body : List.of("{", "[]", "{\"kind\":\"Job\"}", "{\"pod\":\"default/nobody\"}")) {
                assertThat(catchMessage(route, body)).as(body).contains("; ");
            }
        }
    }

    private static String catchMessage(Route route, String body) throws IOException {
        try {
            return "answered " + route.answer(request("POST", "", body)).status();
        } catch (IllegalArgumentException e) {
            return String.valueOf(e.getMessage());
        }
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
