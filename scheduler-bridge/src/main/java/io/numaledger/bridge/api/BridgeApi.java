package io.numaledger.bridge.api;

import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import com.fasterxml.jackson.dataformat.yaml.YAMLFactory;
import io.numaledger.bridge.access.ApiAccess;
import io.numaledger.bridge.access.Reviews.Action;
import io.numaledger.bridge.explain.ExplanationJson;
import io.numaledger.bridge.explain.ExplanationLimits;
import io.numaledger.bridge.explain.ExplanationLimits.TimeUpException;
import io.numaledger.bridge.explain.NodeJson;
import io.numaledger.bridge.holder.Holder;
import io.numaledger.bridge.holder.PodNames;
import io.numaledger.bridge.objects.PodFacts;
import io.numaledger.bridge.objects.PodManifest;
import io.numaledger.bridge.server.BridgeServer.Answer;
import io.numaledger.bridge.server.BridgeServer.Request;
import io.numaledger.bridge.server.HeadDecision;
import io.numaledger.bridge.state.ClusterState;

import java.io.IOException;
import java.io.InputStream;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;

/**
 * The bridge's own API: free amounts, holders, and explanations. {@code openapi.json} describes it. Callers need the same rights as in
 * the aggregated API, and read the names of pods in those namespaces only where they may list pods.
 */
public final class BridgeApi {

    private static final ObjectMapper JSON = new ObjectMapper();
    private static final ObjectMapper YAML = new ObjectMapper(new YAMLFactory());

    private final ClusterState cluster;
    private final Optional<ApiAccess> access;

    /** @param access absent: every caller may read everything */
    public BridgeApi(ClusterState cluster, Optional<ApiAccess> access) {
        this.cluster = cluster;
        this.access = access;
    }

    /** What an allowed request gets. */
    @FunctionalInterface
    private interface Body {
        Answer of(PodNames names) throws IOException;
    }

    private Answer ifAllowed(Request request, Action action, Body body) throws IOException {
        if (access.isEmpty()) {
            return body.of(PodNames.ALL);
        }
        return access.get()
                .answer(request, action, caller -> body.of(access.get().podNames(caller)));
    }

    /** Decides by the head of a request who calls. What the caller may do hangs on the body. */
    public HeadDecision decide(Request head) {
        return access.map(use -> use.decide(head, Optional.empty())).orElse(HeadDecision.ACCEPTED);
    }

    /** {@code GET /v1/nodes} and {@code GET /v1/nodes/NAME}. */
    public Answer nodes(Request request) throws IOException {
        if (!request.method().equals("GET")) {
            return Answer.text(405, "only GET is served here");
        }
        String name = request.rest().startsWith("/") ? request.rest().substring(1) : request.rest();
        if (name.isEmpty()) {
            return ifAllowed(request, ApiAccess.action("list", ApiAccess.NODES, "", ""), names -> {
                ObjectNode answer = JSON.createObjectNode();
                ArrayNode nodes = answer.putArray("nodes");
                cluster.snapshots().forEach(node -> nodes.add(NodeJson.of(node, names)));
                return json(answer);
            });
        }
        return ifAllowed(
                request,
                ApiAccess.action("get", ApiAccess.NODES, "", name),
                names -> cluster.snapshot(name)
                        .map(node -> json(NodeJson.of(node, names)))
                        .orElseGet(() ->
                                Answer.text(404, "no such node: node=%s; GET /v1/nodes lists them".formatted(name))));
    }

    /** {@code POST /v1/explain}: a Pod manifest, or {@code {"pod":"namespace/name"}}. */
    public Answer explain(Request request) throws IOException {
        JsonNode asked = tree(request.text());
        return asked.path("pod").isTextual()
                ? named(request, List.of(), asked.path("pod").asText())
                : explained(request, List.of(), manifest(request.text()));
    }

    /** {@code POST /v1/whatif}: {@code {"evict":["ns/name"],"place":<Pod or name>}}. */
    public Answer whatif(Request request) throws IOException {
        JsonNode asked = tree(request.text());
        JsonNode place = asked.path("place");
        if (!place.isObject() && !place.isTextual()) {
            throw new IllegalArgumentException(
                    "malformed request: place is missing; give a Pod, or namespace/name, and the pods to evict");
        }
        List<String> evicted = new ArrayList<>();
        asked.path("evict").forEach(each -> evicted.add(each.asText()));
        return place.isTextual()
                ? named(request, evicted, place.asText())
                : explained(request, evicted, manifest(place.toString()));
    }

    private Answer named(Request request, List<String> evicted, String key) throws IOException {
        String namespace = key.contains("/") ? key.substring(0, key.indexOf('/')) : "";
        return ifAllowed(request, explaining(namespace), names -> {
            if (!names.shows(Holder.of(key))) {
                return Answer.text(403, "you may not list pods in the namespace: pod=%s".formatted(key));
            }
            PodFacts pod = cluster.pod(key)
                    .orElseThrow(() -> new IllegalArgumentException(
                            "no such pod: pod=%s; name it namespace/name, or send its manifest".formatted(key)));
            return answer(evicted, pod, names);
        });
    }

    private Answer explained(Request request, List<String> evicted, PodFacts pod) throws IOException {
        return ifAllowed(request, explaining(pod.namespace()), names -> answer(evicted, pod, names));
    }

    private static Action explaining(String namespace) {
        return ApiAccess.action("create", ApiAccess.EXPLANATIONS, namespace, "");
    }

    private Answer answer(List<String> evicted, PodFacts pod, PodNames names) {
        for (String each : evicted) {
            if (!names.shows(Holder.of(each))) {
                return Answer.text(403, "you may not list pods in the namespace: pod=%s".formatted(each));
            }
        }
        ObjectNode answer = JSON.createObjectNode();
        ArrayNode explanations = answer.putArray("explanations");
        try {
            ExplanationLimits.explain(cluster, evicted, pod)
                    .forEach(each -> explanations.add(ExplanationJson.full(each, names)));
        } catch (TimeUpException e) {
            return Answer.text(503, String.valueOf(e.getMessage()));
        }
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

    private static PodFacts manifest(String text) {
        try {
            return PodManifest.read(text).pod();
        } catch (IOException e) {
            throw new IllegalArgumentException(e.getMessage(), e);
        }
    }

    private static Answer json(JsonNode answer) {
        try {
            return Answer.json(JSON.writeValueAsBytes(answer));
        } catch (JsonProcessingException e) {
            throw new IllegalStateException("a tree cannot fail to be written", e);
        }
    }
}
