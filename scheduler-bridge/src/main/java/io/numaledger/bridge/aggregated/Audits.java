package io.numaledger.bridge.aggregated;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import com.fasterxml.jackson.databind.node.ObjectNode;
import io.netty.handler.codec.http.EmptyHttpHeaders;
import io.numaledger.apiobjects.recording.AuditFile;
import io.numaledger.apiobjects.view.ApiTable;
import io.numaledger.apiobjects.view.AuditJson;
import io.numaledger.apiobjects.view.AuditTable;
import io.numaledger.bridge.access.Caller;
import io.numaledger.bridge.server.BridgeServer.Answer;
import io.numaledger.bridge.server.BridgeServer.Request;
import io.numaledger.bridge.server.BridgeServer.Route;
import io.numaledger.evaluation.holder.Holder;
import io.numaledger.evaluation.holder.PodNames;
import io.numaledger.scheduling.audit.AuditEntry;
import io.numaledger.scheduling.audit.PredictionAudit;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.function.Function;
import java.util.function.UnaryOperator;

/**
 * Answers about audited predictions, of the pods that a caller may list. Only the replica that leads has them: others pass the question on
 * to it.
 */
public final class Audits {

    /** The path where replicas ask the leader. */
    public static final String PATH = "/audits";

    /** Most bytes of a forwarded request; its caller may be in many groups. */
    public static final int QUESTION_BYTES = 1 << 20;

    private static final ObjectMapper JSON = new ObjectMapper();

    private final Route route;

    /**
     * Answers from this audit.
     *
     * @param names which pods a caller may list
     * @param leader makes a route that the leader answers
     */
    public Audits(PredictionAudit audit, Function<Caller, PodNames> names, UnaryOperator<Route> leader) {
        this.route = leader.apply(request -> answer(audit, names, request));
    }

    /** Answers other replicas, which have authenticated the caller. */
    public Route route() {
        return route;
    }

    /** @param name the UID of a pod; empty: all entries, the newest first */
    Answer answer(Caller caller, String name) throws IOException {
        ObjectNode question = JSON.createObjectNode().put("name", name);
        question.set("caller", JSON.valueToTree(caller));
        return route.answer(new Request(
                "POST", "", Map.of(), EmptyHttpHeaders.INSTANCE, List.of(), JSON.writeValueAsBytes(question)));
    }

    /** The given answer in the form that a request asks for. */
    static Answer inFormOf(Request request, Answer answer) throws IOException {
        boolean isTable = answer.status() == 200
                && ApiTable.isAskedFor(
                        Optional.ofNullable(request.headers().get("Accept")).orElse(""));
        return isTable ? json(AuditTable.of(JSON.readTree(answer.body()))) : answer;
    }

    private static Answer answer(PredictionAudit audit, Function<Caller, PodNames> allowed, Request request)
            throws IOException {
        JsonNode question = JSON.readTree(request.body());
        PodNames names = allowed.apply(JSON.treeToValue(question.path("caller"), Caller.class));
        String name = question.path("name").asText();
        if (name.isEmpty()) {
            return json(AuditJson.list(audit.entries().stream()
                    .filter(entry -> isShown(entry, names))
                    .toList()));
        }
        return audit.entry(name)
                .filter(entry -> isShown(entry, names))
                .map(entry -> json(withFile(entry, names)))
                .orElseGet(() -> Answer.text(404, "predictionaudits.numaledger.io \"%s\" not found".formatted(name)));
    }

    private static ObjectNode withFile(AuditEntry entry, PodNames names) {
        ObjectNode object = AuditJson.of(entry);
        ObjectNode status = object.withObject("/status");
        try {
            AuditFile.of(entry, names).ifPresent(file -> status.set("file", file));
        } catch (IllegalArgumentException notExpressible) {
            status.put("fileError", String.valueOf(notExpressible.getMessage()));
        }
        return object;
    }

    private static boolean isShown(AuditEntry entry, PodNames names) {
        return names.shows(Holder.of(entry.pod().key()));
    }

    private static Answer json(JsonNode document) {
        return Answer.json(document.toString().getBytes(StandardCharsets.UTF_8));
    }
}
