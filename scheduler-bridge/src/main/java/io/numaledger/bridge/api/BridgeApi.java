package io.numaledger.bridge.api;

import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import com.fasterxml.jackson.dataformat.yaml.YAMLFactory;
import io.numaledger.bridge.explain.Explanation;
import io.numaledger.bridge.explain.ExplanationJson;
import io.numaledger.bridge.explain.NodeJson;
import io.numaledger.bridge.objects.PodFacts;
import io.numaledger.bridge.objects.PodManifest;
import io.numaledger.bridge.server.BridgeServer.Answer;
import io.numaledger.bridge.server.BridgeServer.Request;
import io.numaledger.bridge.state.ClusterState;

import java.io.IOException;
import java.io.InputStream;
import java.util.ArrayList;
import java.util.List;

/** The bridge's own API: free amounts, holders, and explanations. {@code openapi.json} describes it. */
public final class BridgeApi {

    private static final ObjectMapper JSON = new ObjectMapper();
    private static final ObjectMapper YAML = new ObjectMapper(new YAMLFactory());

    private final ClusterState cluster;

    public BridgeApi(ClusterState cluster) {
        this.cluster = cluster;
    }

    /** {@code GET /v1/nodes} and {@code GET /v1/nodes/NAME}. */
    public Answer nodes(Request request) throws IOException {
        if (!request.method().equals("GET")) {
            return Answer.text(405, "only GET is served here");
        }
        String name = request.rest().startsWith("/") ? request.rest().substring(1) : request.rest();
        if (name.isEmpty()) {
            ObjectNode answer = JSON.createObjectNode();
            ArrayNode nodes = answer.putArray("nodes");
            cluster.snapshots().forEach(node -> nodes.add(NodeJson.of(node)));
            return json(answer);
        }
        return cluster.snapshot(name)
                .map(node -> json(NodeJson.of(node)))
                .orElseGet(() -> Answer.text(404, "no such node: node=%s; GET /v1/nodes lists them".formatted(name)));
    }

    /** {@code POST /v1/explain}: a Pod manifest, or {@code {"pod":"namespace/name"}}. */
    public Answer explain(Request request) throws IOException {
        PodFacts pod = pod(request.text(), tree(request.text()));
        ObjectNode answer = JSON.createObjectNode();
        ArrayNode explanations = answer.putArray("explanations");
        Explanation.ofAll(cluster, pod).forEach(each -> explanations.add(ExplanationJson.full(each)));
        return json(answer);
    }

    /** {@code POST /v1/whatif}: {@code {"evict":["ns/name"],"place":<Pod or name>}}. */
    public Answer whatif(Request request) throws IOException {
        JsonNode asked = tree(request.text());
        if (!asked.path("place").isObject() && !asked.path("place").isTextual()) {
            throw new IllegalArgumentException(
                    "malformed request: place is missing; give a Pod, or namespace/name, and the pods to evict");
        }
        JsonNode place = asked.path("place");
        PodFacts pod = place.isTextual() ? named(place.asText()) : pod(place.toString(), place);
        List<String> evicted = new ArrayList<>();
        asked.path("evict").forEach(each -> evicted.add(each.asText()));
        ObjectNode answer = JSON.createObjectNode();
        ArrayNode explanations = answer.putArray("explanations");
        Explanation.ofAll(cluster, evicted, pod).forEach(each -> explanations.add(ExplanationJson.full(each)));
        return json(answer);
    }

    /** {@code GET /openapi.json}. */
    public Answer openApi(Request request) throws IOException {
        try (InputStream document = BridgeApi.class.getResourceAsStream("openapi.json")) {
            if (document == null) {
                throw new IOException("openapi.json is missing in this build; rebuild the bridge");
            }
            return Answer.json(document.readAllBytes());
        }
    }

    private static JsonNode tree(String text) {
        try {
            JsonNode tree = YAML.readTree(text);
            if (tree == null || !tree.isObject()) {
                throw new IllegalArgumentException("malformed request: not an object; send a Pod as JSON or YAML");
            }
            return tree;
        } catch (JsonProcessingException e) {
            throw new IllegalArgumentException(
                    "malformed request: %s; send JSON or YAML".formatted(e.getOriginalMessage()), e);
        }
    }

    private PodFacts pod(String text, JsonNode tree) {
        if (tree.path("pod").isTextual()) {
            return named(tree.path("pod").asText());
        }
        try {
            return PodManifest.read(text).pod();
        } catch (IOException e) {
            throw new IllegalArgumentException(e.getMessage(), e);
        }
    }

    private PodFacts named(String key) {
        return cluster.pod(key)
                .orElseThrow(() -> new IllegalArgumentException(
                        "no such pod: pod=%s; name it namespace/name, or send its manifest".formatted(key)));
    }

    private static Answer json(JsonNode answer) {
        try {
            return Answer.json(JSON.writeValueAsBytes(answer));
        } catch (JsonProcessingException e) {
            throw new IllegalStateException("a tree cannot fail to be written", e);
        }
    }
}
