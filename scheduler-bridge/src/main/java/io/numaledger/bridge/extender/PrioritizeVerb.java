package io.numaledger.bridge.extender;

import com.fasterxml.jackson.core.JsonFactory;
import com.fasterxml.jackson.core.JsonGenerator;
import io.numaledger.bridge.ledger.Ledger;
import io.numaledger.bridge.score.Ranking;
import io.numaledger.bridge.verdict.Outcome;
import io.numaledger.bridge.verdict.PodShape;

import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.util.SortedMap;
import java.util.TreeMap;

/** {@code prioritize}: which of these nodes is best, 0 to 10. */
public final class PrioritizeVerb {

    private static final JsonFactory JSON = new JsonFactory();

    private final Ledger ledger;
    private final Ranking ranking;

    public PrioritizeVerb(Ledger ledger, Ranking ranking) {
        this.ledger = ledger;
        this.ranking = ranking;
    }

    /** @throws IllegalArgumentException for a malformed request */
    public byte[] answer(byte[] body) throws IOException {
        ExtenderArgs args = ExtenderArgs.read(body);
        PodShape shape = PodShape.of(args.pod());
        SortedMap<String, Outcome> outcomes = new TreeMap<>();
        for (String node : args.nodes().keySet()) {
            ledger.outcome(node, shape, args.pod()).ifPresent(outcome -> outcomes.put(node, outcome));
        }
        SortedMap<String, Integer> scores = ranking.scores(outcomes);
        ByteArrayOutputStream out = new ByteArrayOutputStream(4096);
        try (JsonGenerator json = JSON.createGenerator(out)) {
            json.writeStartArray();
            for (String node : args.nodes().keySet()) {
                json.writeStartObject();
                json.writeStringField("Host", node);
                json.writeNumberField("Score", scores.getOrDefault(node, 0));
                json.writeEndObject();
            }
            json.writeEndArray();
        }
        return out.toByteArray();
    }
}
