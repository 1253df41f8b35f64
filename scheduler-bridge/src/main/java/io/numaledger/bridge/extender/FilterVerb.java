package io.numaledger.bridge.extender;

import com.fasterxml.jackson.core.JsonFactory;
import com.fasterxml.jackson.core.JsonGenerator;
import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import io.numaledger.bridge.cluster.PodFacts;
import io.numaledger.bridge.ledger.Ledger;
import io.numaledger.bridge.verdict.Outcome;
import io.numaledger.bridge.verdict.PodShape;

import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.Optional;

/** {@code filter}: on which of these nodes the kubelet would take the pod. */
public final class FilterVerb {

    private static final JsonFactory JSON = new ObjectMapper().getFactory();

    private final Ledger ledger;
    private final DecisionLog decisions;

    public FilterVerb(Ledger ledger, DecisionLog decisions) {
        this.ledger = ledger;
        this.decisions = decisions;
    }

    /** @throws IllegalArgumentException for a malformed request */
    public byte[] answer(byte[] body) throws IOException {
        ExtenderArgs args = ExtenderArgs.read(body);
        Map<String, Outcome> refused = new LinkedHashMap<>();
        Map<String, Optional<JsonNode>> kept = new LinkedHashMap<>(args.nodes());
        String invalid = "";
        try {
            PodShape shape = PodShape.of(args.pod());
            for (String node : args.nodes().keySet()) {
                Optional<Outcome> outcome = ledger.outcome(node, shape, args.pod());
                outcome.filter(answer -> !answer.fits()).ifPresent(answer -> refused.put(node, answer));
            }
        } catch (IllegalArgumentException e) {
            invalid = e.getMessage();
            kept.clear();
        }
        kept.keySet().removeAll(refused.keySet());
        decisions.filtered(args.pod(), kept.size(), refused, invalid);
        return write(args, kept, refused, invalid);
    }

    private static byte[] write(
            ExtenderArgs args, Map<String, Optional<JsonNode>> kept, Map<String, Outcome> refused, String invalid)
            throws IOException {
        ByteArrayOutputStream out = new ByteArrayOutputStream(4096);
        try (JsonGenerator json = JSON.createGenerator(out)) {
            json.writeStartObject();
            if (args.full()) {
                json.writeObjectFieldStart("Nodes");
                json.writeObjectFieldStart("metadata");
                json.writeEndObject();
                json.writeArrayFieldStart("items");
                for (Optional<JsonNode> node : kept.values()) {
                    json.writeTree(node.orElseThrow());
                }
                json.writeEndArray();
                json.writeEndObject();
                json.writeNullField("NodeNames");
            } else {
                json.writeNullField("Nodes");
                json.writeArrayFieldStart("NodeNames");
                for (String name : kept.keySet()) {
                    json.writeString(name);
                }
                json.writeEndArray();
            }
            writeFailed(json, "FailedNodes", refused, false);
            json.writeObjectFieldStart("FailedAndUnresolvableNodes");
            for (String name : invalid.isEmpty()
                    ? java.util.Set.<String>of()
                    : args.nodes().keySet()) {
                json.writeStringField(name, invalid);
            }
            writeEntries(json, refused, true);
            json.writeEndObject();
            json.writeStringField("Error", "");
            json.writeEndObject();
        }
        return out.toByteArray();
    }

    private static void writeFailed(JsonGenerator json, String field, Map<String, Outcome> refused, boolean never)
            throws IOException {
        json.writeObjectFieldStart(field);
        writeEntries(json, refused, never);
        json.writeEndObject();
    }

    private static void writeEntries(JsonGenerator json, Map<String, Outcome> refused, boolean never)
            throws IOException {
        for (var node : refused.entrySet()) {
            if (node.getValue().never() == never) {
                json.writeStringField(node.getKey(), "NUMA: " + node.getValue().sentence());
            }
        }
    }

    /** Pods of one shape on these nodes; for callers that want no JSON. */
    Optional<Outcome> outcome(String node, PodFacts pod) {
        return ledger.outcome(node, PodShape.of(pod), pod);
    }
}
