package io.numaledger.bridge.extender;

import com.fasterxml.jackson.core.JsonFactory;
import com.fasterxml.jackson.core.JsonGenerator;
import com.fasterxml.jackson.core.io.SerializedString;
import io.numaledger.bridge.ledger.Ledger;
import io.numaledger.bridge.score.Ranking;
import io.numaledger.bridge.verdict.Outcome;

import java.io.ByteArrayOutputStream;
import java.io.IOException;

/** {@code prioritize}: which of these nodes is best, 0 to 10. */
public final class PrioritizeVerb {

    private static final JsonFactory JSON = new JsonFactory();
    private static final SerializedString HOST = new SerializedString("Host");
    private static final SerializedString SCORE = new SerializedString("Score");

    private final Ledger ledger;

    public PrioritizeVerb(Ledger ledger) {
        this.ledger = ledger;
    }

    /** @throws IllegalArgumentException for a malformed request */
    public byte[] answer(byte[] body) throws IOException {
        ExtenderArgs args = ExtenderArgs.read(body, ledger.noNodes());
        int[] scores = scores(args);
        ByteArrayOutputStream out = new ByteArrayOutputStream(2 * body.length);
        try (JsonGenerator json = JSON.createGenerator(out)) {
            json.writeStartArray();
            for (int i = 0; i < scores.length; i++) {
                json.writeStartObject();
                json.writeFieldName(HOST);
                args.names().give(i, json::writeString);
                json.writeFieldName(SCORE);
                json.writeNumber(scores[i]);
                json.writeEndObject();
            }
            json.writeEndArray();
        }
        return out.toByteArray();
    }

    private int[] scores(ExtenderArgs args) {
        long[] ranks = ledger.outcomes(args.names(), ledger.question(args.pod())).stream()
                .mapToLong(Outcome::rank)
                .toArray();
        return Ranking.scores(ranks);
    }
}
