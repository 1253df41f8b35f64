package io.numaledger.bridge.extender;

import com.fasterxml.jackson.core.JsonGenerator;
import com.fasterxml.jackson.core.io.SerializedString;
import com.fasterxml.jackson.databind.ObjectMapper;
import io.numaledger.bridge.ledger.Ledger;
import io.numaledger.bridge.turn.WaitingPods;
import io.numaledger.bridge.verdict.Outcome;

import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.util.BitSet;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.stream.IntStream;

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
     * @param outcomes in the order of the request; none if the pod itself is refused
     * @param kept where in the request the nodes stand that are left
     * @param invalid why the pod itself is refused; empty: it is not
     */
    private record Filtered(List<Outcome> outcomes, BitSet kept, String invalid) {

        /** Where the refused nodes stand. */
        IntStream refused() {
            BitSet refused = new BitSet(outcomes.size());
            refused.set(0, outcomes.size());
            refused.andNot(kept);
            return refused.stream();
        }

        /** How many nodes were refused for what. */
        Map<Outcome, Integer> reasons() {
            Map<Outcome, Integer> reasons = new HashMap<>();
            refused().forEach(place -> reasons.merge(outcomes.get(place), 1, Integer::sum));
            return reasons;
        }
    }

    /** @throws IllegalArgumentException for a malformed request */
    public byte[] answer(byte[] body) throws IOException {
        ExtenderArgs args = ExtenderArgs.read(body, ledger.noNodes());
        Filtered filtered = filter(args);
        decisions.filtered(args.pod(), filtered.kept().cardinality(), filtered.reasons(), filtered.invalid());
        ByteArrayOutputStream out = new ByteArrayOutputStream(body.length + 256);
        try (JsonGenerator json = JSON.getFactory().createGenerator(out)) {
            write(json, args, filtered);
        }
        return out.toByteArray();
    }

    private Filtered filter(ExtenderArgs args) {
        BitSet kept = new BitSet(args.names().size());
        long judgedAt = ledger.changes();
        try {
            List<Outcome> outcomes = ledger.outcomes(args.names(), ledger.question(args.pod()));
            for (int place = 0; place < outcomes.size(); place++) {
                if (outcomes.get(place).fits()) {
                    kept.set(place);
                }
            }
            leaveToOlder(args, judgedAt, kept, outcomes);
            return new Filtered(outcomes, kept, "");
        } catch (IllegalArgumentException e) {
            return new Filtered(List.of(), new BitSet(), String.valueOf(e.getMessage()));
        }
    }

    private void leaveToOlder(ExtenderArgs args, long judgedAt, BitSet kept, List<Outcome> outcomes) {
        List<String> names = args.names();
        Set<String> held = waiting.count() == 0
                ? Set.of()
                : waiting.held(
                        args.pod(),
                        args.terms(),
                        kept.stream().mapToObj(names::get).toList());
        for (int place = kept.nextSetBit(0); place >= 0 && !held.isEmpty(); place = kept.nextSetBit(place + 1)) {
            if (held.contains(names.get(place))) {
                kept.clear(place);
                outcomes.set(place, Outcome.HELD);
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
                args.names().give(node, json::writeRawUTF8String);
            }
            json.writeEndArray();
        }
        json.writeObjectFieldStart("FailedNodes");
        writeRefused(json, args, filtered, false);
        json.writeEndObject();
        json.writeObjectFieldStart("FailedAndUnresolvableNodes");
        for (String name : filtered.invalid().isEmpty() ? List.<String>of() : args.names()) {
            json.writeStringField(name, filtered.invalid());
        }
        writeRefused(json, args, filtered, true);
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

    private static void writeRefused(JsonGenerator json, ExtenderArgs args, Filtered filtered, boolean never)
            throws IOException {
        Map<Outcome, SerializedString> texts = new HashMap<>();
        for (var places = filtered.refused().iterator(); places.hasNext(); ) {
            int place = places.nextInt();
            Outcome outcome = filtered.outcomes().get(place);
            if (outcome.never() == never) {
                json.writeFieldName(args.names().get(place));
                json.writeString(
                        texts.computeIfAbsent(outcome, any -> new SerializedString("NUMA: " + any.sentence())));
            }
        }
    }
}
