package io.numaledger.bridge.extender;

import com.fasterxml.jackson.core.JsonGenerator;
import com.fasterxml.jackson.databind.ObjectMapper;
import io.numaledger.bridge.ledger.Ledger;
import io.numaledger.bridge.turn.WaitingPods;
import io.numaledger.bridge.verdict.Outcome;

import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.util.BitSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;

/** {@code filter}: on which of these nodes the kubelet would take the pod. */
public final class FilterVerb {

    private static final ObjectMapper JSON = new ObjectMapper();

    private final Ledger ledger;
    private final WaitingPods waiting;
    private final DecisionLog decisions;

    public FilterVerb(Ledger ledger, WaitingPods waiting, DecisionLog decisions) {
        this.ledger = ledger;
        this.waiting = waiting;
        this.decisions = decisions;
    }

    /**
     * What the scheduler hears.
     *
     * @param kept where in the request the nodes stand that are left
     * @param invalid why the pod itself is refused; empty: it is not
     */
    private record Filtered(BitSet kept, Map<String, Outcome> refused, String invalid) {}

    /** @throws IllegalArgumentException for a malformed request */
    public byte[] answer(byte[] body) throws IOException {
        ExtenderArgs args = ExtenderArgs.read(body);
        Filtered filtered = filter(args);
        decisions.filtered(args.pod(), filtered.kept().cardinality(), filtered.refused(), filtered.invalid());
        ByteArrayOutputStream out = new ByteArrayOutputStream(body.length + 256);
        try (JsonGenerator json = JSON.getFactory().createGenerator(out)) {
            write(json, args, filtered);
        }
        return out.toByteArray();
    }

    private Filtered filter(ExtenderArgs args) {
        BitSet kept = new BitSet(args.names().size());
        Map<String, Outcome> refused = new LinkedHashMap<>();
        long judgedAt = ledger.changes();
        try {
            List<Outcome> outcomes = ledger.outcomes(args.names(), ledger.question(args.pod()));
            for (int i = 0; i < outcomes.size(); i++) {
                if (outcomes.get(i).fits()) {
                    kept.set(i);
                } else {
                    refused.put(args.names().get(i), outcomes.get(i));
                }
            }
            leaveToOlder(args, judgedAt, kept, refused);
            return new Filtered(kept, refused, "");
        } catch (IllegalArgumentException e) {
            return new Filtered(new BitSet(), Map.of(), String.valueOf(e.getMessage()));
        }
    }

    private void leaveToOlder(ExtenderArgs args, long judgedAt, BitSet kept, Map<String, Outcome> refused) {
        List<String> names = args.names();
        Set<String> held = waiting.count() == 0
                ? Set.of()
                : waiting.held(
                        args.pod(),
                        args.terms(),
                        kept.stream().mapToObj(names::get).toList());
        for (int at = kept.nextSetBit(0); at >= 0 && !held.isEmpty(); at = kept.nextSetBit(at + 1)) {
            if (held.contains(names.get(at))) {
                kept.clear(at);
                refused.put(names.get(at), Outcome.HELD);
            }
        }
        if (kept.isEmpty()) {
            waiting.refused(args.pod(), args.terms(), names, held, judgedAt);
        }
    }

    private static void write(JsonGenerator json, ExtenderArgs args, Filtered filtered) throws IOException {
        json.writeStartObject();
        if (args.full()) {
            writeObjects(json, args, filtered);
        } else {
            json.writeNullField("Nodes");
            json.writeArrayFieldStart("NodeNames");
            for (int node = next(filtered, 0); node >= 0; node = next(filtered, node + 1)) {
                json.writeString(args.names().get(node));
            }
            json.writeEndArray();
        }
        json.writeObjectFieldStart("FailedNodes");
        writeRefused(json, filtered, false);
        json.writeEndObject();
        json.writeObjectFieldStart("FailedAndUnresolvableNodes");
        for (String name : filtered.invalid().isEmpty() ? List.<String>of() : args.names()) {
            json.writeStringField(name, filtered.invalid());
        }
        writeRefused(json, filtered, true);
        json.writeEndObject();
        json.writeStringField("Error", "");
        json.writeEndObject();
    }

    private static int next(Filtered filtered, int from) {
        return filtered.kept().nextSetBit(from);
    }

    private static void writeObjects(JsonGenerator json, ExtenderArgs args, Filtered filtered) throws IOException {
        json.writeObjectFieldStart("Nodes");
        json.writeObjectFieldStart("metadata");
        json.writeEndObject();
        json.writeArrayFieldStart("items");
        for (int node = next(filtered, 0); node >= 0; node = next(filtered, node + 1)) {
            json.writeTree(args.objects().get(node));
        }
        json.writeEndArray();
        json.writeEndObject();
        json.writeNullField("NodeNames");
    }

    private static void writeRefused(JsonGenerator json, Filtered filtered, boolean never) throws IOException {
        for (var node : filtered.refused().entrySet()) {
            if (node.getValue().never() == never) {
                json.writeStringField(node.getKey(), "NUMA: " + node.getValue().sentence());
            }
        }
    }
}
