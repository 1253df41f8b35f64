package io.numaledger.bridge.aggregated;

import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import io.numaledger.apiobjects.view.ApiGroup;
import io.numaledger.apiobjects.view.ExplanationJson;
import io.numaledger.bridge.access.ApiAccess;
import io.numaledger.bridge.access.Reviews.Action;
import io.numaledger.bridge.server.BridgeServer.Answer;
import io.numaledger.bridge.server.BridgeServer.Request;
import io.numaledger.bridge.server.BridgeServer.Route;
import io.numaledger.bridge.server.GuardedRoute;
import io.numaledger.bridge.server.HeadDecision;
import io.numaledger.bridge.server.HeadDecision.Refused;
import io.numaledger.bridge.server.HeadDecision.Undecided;
import io.numaledger.evaluation.facts.PodFacts;
import io.numaledger.evaluation.holder.Holder;
import io.numaledger.evaluation.holder.PodNames;
import io.numaledger.objects.PodManifest;
import io.numaledger.scheduling.explain.Explanation;
import io.numaledger.scheduling.explain.ExplanationLimits;
import io.numaledger.scheduling.explain.ExplanationLimits.TimeUpException;
import io.numaledger.scheduling.queue.PendingPodQueue;
import io.numaledger.scheduling.scheduler.SchedulerCalls;
import io.numaledger.scheduling.scheduler.SchedulerFinding;
import io.numaledger.scheduling.state.ClusterState;
import io.numaledger.scheduling.stranded.MoveSearch;
import io.numaledger.scheduling.stranded.StrandedCapacity;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.TreeMap;
import java.util.function.UnaryOperator;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * The API group {@code numaledger.io/v1alpha1}, behind kube-apiserver: NumaNodes to read, and Explanations that are answered when they are
 * created. Nothing is stored.
 */
public final class AggregatedApi {

    private static final ObjectMapper JSON = new ObjectMapper();
    private static final Pattern EXPLANATIONS = Pattern.compile("/([^/]+)/" + ApiGroup.EXPLANATIONS + "(/[^/]+)?");
    private static final Answer NOT_FOUND = Answer.text(404, "the server could not find the requested resource");
    private static final String CREATED = "creationTimestamp";
    private static final Set<String> SPEC = Set.of("podName", "pod", "resourceClaimTemplates", "evict");

    private final ClusterState cluster;
    private final NodesApi nodes;
    private final PendingPodQueue queue;
    private final SchedulerCalls calls;
    private final Audits audits;
    private final StrandedApi stranded;
    private final ApiAccess access;

    /** @param moves finds pods whose move would make room that is stranded */
    public AggregatedApi(
            ClusterState cluster,
            PendingPodQueue queue,
            SchedulerCalls calls,
            Audits audits,
            StrandedCapacity stranded,
            MoveSearch.Finder moves,
            ApiAccess access) {
        this.cluster = cluster;
        this.nodes = new NodesApi(cluster, access);
        this.queue = queue;
        this.calls = calls;
        this.audits = audits;
        this.stranded = new StrandedApi(stranded, moves, access);
        this.access = access;
    }

    /**
     * Everything that the aggregation layer asks for.
     *
     * @param slow puts a route on threads of its own
     */
    public Map<String, Route> routes(UnaryOperator<Route> slow) {
        Map<String, Route> routes = new TreeMap<>();
        routes.put("/apis", GuardedRoute.withoutBody(request -> found(request, Discovery.groups())));
        routes.put("/apis/" + ApiGroup.NAME, GuardedRoute.withoutBody(request -> found(request, Discovery.group())));
        routes.put("/openapi/v2", GuardedRoute.withoutBody(request -> found(request, Discovery.openApiV2())));
        routes.put("/openapi/v3", GuardedRoute.withoutBody(request -> found(request, Discovery.openApiV3Index())));
        routes.put(
                "/openapi/v3" + ApiGroup.ROOT,
                GuardedRoute.withoutBody(request -> found(request, Discovery.openApiV3())));
        routes.put(ApiGroup.ROOT, GuardedRoute.withoutBody(request -> found(request, Discovery.resources())));
        routes.put(ApiGroup.ROOT + "/" + ApiGroup.NODES, new GuardedRoute(0, nodes::decide, slow.apply(request -> {
            try {
                return asStatus(nodes.answer(request));
            } catch (IllegalArgumentException e) {
                return asStatus(Answer.text(400, String.valueOf(e.getMessage())));
            }
        })));
        routes.put(
                ApiGroup.ROOT + "/" + ApiGroup.AUDITS,
                new GuardedRoute(
                        0, head -> decide(head, ApiGroup.AUDITS), slow.apply(request -> asStatus(audits(request)))));
        routes.put(
                ApiGroup.ROOT + "/" + ApiGroup.STRANDED,
                new GuardedRoute(0, stranded::decide, slow.apply(request -> asStatus(stranded.answer(request)))));
        routes.put(
                ApiGroup.ROOT + "/namespaces",
                new GuardedRoute(GuardedRoute.MANIFEST_BYTES, this::decideExplanation, slow.apply(request -> {
                    try {
                        return asStatus(explanations(request));
                    } catch (IllegalArgumentException e) {
                        return asStatus(Answer.text(400, String.valueOf(e.getMessage())));
                    }
                })));
        return routes;
    }

    /** A document that has no parts. */
    private static Answer found(Request request, JsonNode document) {
        return request.rest().isEmpty() ? json(200, document) : asStatus(NOT_FOUND);
    }

    private HeadDecision decide(Request head, String resource) {
        if (!head.method().equals("GET") || head.query().containsKey("watch")) {
            return refused(405, resource + " can be read, and not watched or written");
        }
        return asStatus(access.decide(head, reading(head, resource)));
    }

    private static Action reading(Request head, String resource) {
        String name = objectName(head);
        return ApiAccess.action(name.isEmpty() ? "list" : "get", resource, "", name);
    }

    private static String objectName(Request head) {
        return head.rest().isEmpty() ? "" : head.rest().substring(1);
    }

    private Answer audits(Request request) {
        String name = objectName(request);
        return access.answer(
                request,
                reading(request, ApiGroup.AUDITS),
                caller -> Audits.inFormOf(request, audits.answer(caller, name)));
    }

    private HeadDecision decideExplanation(Request head) {
        Matcher path = EXPLANATIONS.matcher(head.rest());
        if (!path.matches()) {
            return new Refused(asStatus(NOT_FOUND));
        }
        if (!head.method().equals("POST") || path.group(2) != null) {
            return refused(405, "explanations can be created only: nothing is stored");
        }
        return asStatus(access.decide(head, explaining(path.group(1))));
    }

    private static Action explaining(String namespace) {
        return ApiAccess.action("create", ApiGroup.EXPLANATIONS, namespace, "");
    }

    private Answer explanations(Request request) {
        String namespace = request.rest().split("/", -1)[1];
        return access.answer(
                request, explaining(namespace), caller -> explanation(request, namespace, access.podNames(caller)));
    }

    private Answer explanation(Request request, String namespace, PodNames names) {
        ObjectNode asked = asked(request);
        JsonNode spec = asked.path("spec");
        List<String> evicted = new ArrayList<>();
        spec.path("evict").forEach(each -> evicted.add(inNamespace(each.asText(), namespace)));
        String name = spec.path("podName").asText("");
        List<String> named = new ArrayList<>(evicted);
        if (!name.isEmpty()) {
            named.add(namespace + "/" + name);
        }
        for (String each : named) {
            if (!names.shows(Holder.of(each))) {
                return Answer.text(403, "you may not list pods in the namespace: pod=%s".formatted(each));
            }
        }
        Optional<String> unknown = evicted.stream()
                .filter(each -> cluster.pods().get(each).isEmpty())
                .findFirst();
        if (unknown.isPresent()) {
            return Answer.text(404, "pods \"%s\" not found".formatted(unknown.get()));
        }
        Optional<PodManifest> described = name.isEmpty() ? Optional.of(manifest(spec, namespace)) : Optional.empty();
        Optional<PodFacts> pod = name.isEmpty()
                ? described.map(PodManifest::pod)
                : cluster.pods().get(namespace + "/" + name);
        if (pod.isEmpty()) {
            return Answer.text(404, "pods \"%s\" not found".formatted(name));
        }
        try {
            List<Explanation> explanations = ExplanationLimits.explain(
                    cluster,
                    evicted,
                    pod.get(),
                    described.map(PodManifest::claims).orElse(List.of()),
                    queue.reservedForOlder(pod.get()));
            boolean fits = explanations.stream().anyMatch(Explanation::schedulable);
            return json(201, answered(asked, namespace, calls.of(pod.get(), cluster, fits), explanations, names));
        } catch (TimeUpException e) {
            return Answer.text(503, String.valueOf(e.getMessage()));
        }
    }

    private static ObjectNode asked(Request request) {
        JsonNode asked;
        try {
            asked = JSON.readTree(request.body());
        } catch (IOException e) {
            throw new IllegalArgumentException("malformed Explanation: not JSON", e);
        }
        JsonNode spec = asked == null ? JSON.nullNode() : asked.path("spec");
        if (!spec.isObject() || spec.has("podName") == spec.has("pod")) {
            throw new IllegalArgumentException("malformed Explanation: spec needs either podName or pod");
        }
        spec.fieldNames().forEachRemaining(field -> {
            if (!SPEC.contains(field)) {
                throw new IllegalArgumentException("malformed Explanation: unknown field \"spec.%s\"".formatted(field));
            }
        });
        if (spec.has("resourceClaimTemplates")
                && !(spec.has("pod") && spec.path("resourceClaimTemplates").isArray())) {
            throw new IllegalArgumentException(
                    "malformed Explanation: spec.resourceClaimTemplates is a list, and stands beside spec.pod");
        }
        return (ObjectNode) asked;
    }

    private static String inNamespace(String pod, String namespace) {
        return pod.contains("/") ? pod : namespace + "/" + pod;
    }

    private static PodManifest manifest(JsonNode spec, String namespace) {
        JsonNode pod = spec.path("pod");
        if (!pod.isObject()) {
            throw new IllegalArgumentException("malformed Explanation: spec.pod is not an object");
        }
        ObjectNode manifest = pod.deepCopy();
        String own = manifest.at("/metadata/namespace").asText(namespace);
        if (!own.equals(namespace)) {
            throw new IllegalArgumentException(
                    "the pod is of another namespace: pod=%s explanation=%s; create the Explanation in the pod's namespace"
                            .formatted(own, namespace));
        }
        if (!manifest.at("/metadata").has(CREATED)) {
            manifest.withObject("/metadata").put(CREATED, Instant.now().toString());
        }
        if (!manifest.has("kind")) {
            manifest.put("apiVersion", "v1").put("kind", "Pod");
        }
        manifest.withObject("/metadata").put("namespace", namespace);
        try {
            List<JsonNode> templates = new ArrayList<>();
            spec.path("resourceClaimTemplates").forEach(templates::add);
            return PodManifest.read(manifest.toString()).withTemplates(templates);
        } catch (IOException e) {
            throw new IllegalArgumentException("malformed Explanation: spec.pod: " + e.getMessage(), e);
        }
    }

    private static ObjectNode answered(
            ObjectNode asked,
            String namespace,
            Optional<SchedulerFinding> scheduler,
            List<Explanation> explanations,
            PodNames names) {
        ObjectNode answer = object("Explanation");
        answer.putObject("metadata")
                .put("name", asked.at("/metadata/name").asText(""))
                .put("namespace", namespace);
        answer.set("spec", asked.path("spec"));
        ObjectNode status = answer.putObject("status");
        status.put(
                "schedulableNodes",
                explanations.stream().filter(Explanation::schedulable).count());
        scheduler.ifPresent(found -> status.set("scheduler", ExplanationJson.scheduler(found)));
        ArrayNode nodes = status.putArray("nodes");
        explanations.forEach(each -> nodes.add(ExplanationJson.full(each, names)));
        return answer;
    }

    static ObjectNode object(String kind) {
        return JSON.createObjectNode().put("apiVersion", ApiGroup.GROUP_VERSION).put("kind", kind);
    }

    static HeadDecision refused(int status, String why) {
        return new Refused(asStatus(Answer.text(status, why)));
    }

    static HeadDecision asStatus(HeadDecision decision) {
        if (decision instanceof Refused no) {
            return new Refused(asStatus(no.answer()));
        }
        return decision instanceof Undecided undecided
                ? new Undecided(() -> undecided.review().refusal().map(AggregatedApi::asStatus))
                : decision;
    }

    /** Errors in the form that Kubernetes' clients read. */
    private static Answer asStatus(Answer answer) {
        if (answer.status() < 400) {
            return answer;
        }
        String reason = switch (answer.status()) {
            case 401 -> "Unauthorized";
            case 403 -> "Forbidden";
            case 404 -> "NotFound";
            case 405 -> "MethodNotAllowed";
            case 410 -> "Expired";
            case 429 -> "TooManyRequests";
            case 503 -> "ServiceUnavailable";
            default -> "BadRequest";
        };
        return json(
                answer.status(),
                JSON.createObjectNode()
                        .put("kind", "Status")
                        .put("apiVersion", "v1")
                        .put("status", "Failure")
                        .put("message", new String(answer.body(), StandardCharsets.UTF_8).strip())
                        .put("reason", reason)
                        .put("code", answer.status()));
    }

    static Answer json(int status, JsonNode document) {
        try {
            return new Answer(status, "application/json", JSON.writeValueAsBytes(document));
        } catch (JsonProcessingException e) {
            throw new IllegalStateException("a tree cannot fail to be written", e);
        }
    }
}
