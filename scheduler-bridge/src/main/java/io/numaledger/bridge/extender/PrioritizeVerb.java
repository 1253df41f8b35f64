package io.numaledger.bridge.extender;

import com.fasterxml.jackson.core.util.ByteArrayBuilder;
import io.numaledger.bridge.ledger.Ledger;
import io.numaledger.bridge.score.Ranking;
import io.numaledger.bridge.verdict.Outcome;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.util.stream.IntStream;

/** {@code prioritize}: which of these nodes is best, 0 to 10. */
public final class PrioritizeVerb {

    private static final byte[] BEFORE_NAME = ascii("{\"Host\":\"");
    /** By score. */
    private static final byte[][] BEHIND_NAME = IntStream.rangeClosed(0, Ranking.MAX)
            .mapToObj(score -> ascii("\",\"Score\":%d}".formatted(score)))
            .toArray(byte[][]::new);

    private final Ledger ledger;

    public PrioritizeVerb(Ledger ledger) {
        this.ledger = ledger;
    }

    /** @throws IllegalArgumentException for a malformed request */
    public byte[] answer(byte[] body) throws IOException {
        ExtenderArgs args = ExtenderArgs.read(body, ledger.noNodes());
        int[] scores = scores(args);
        try (ByteArrayBuilder out = new ByteArrayBuilder(2 * body.length)) {
            out.write('[');
            for (int i = 0; i < scores.length; i++) {
                if (i > 0) {
                    out.write(',');
                }
                out.write(BEFORE_NAME);
                args.names().give(i, out::write);
                out.write(BEHIND_NAME[scores[i]]);
            }
            out.write(']');
            return out.toByteArray();
        }
    }

    private static byte[] ascii(String text) {
        return text.getBytes(StandardCharsets.US_ASCII);
    }

    private int[] scores(ExtenderArgs args) {
        long[] ranks = ledger.outcomes(args.names(), ledger.question(args.pod())).stream()
                .mapToLong(Outcome::rank)
                .toArray();
        return Ranking.scores(ranks);
    }
}
