package io.numaledger.bridge.extender;

import com.fasterxml.jackson.core.util.ByteArrayBuilder;
import io.numaledger.evaluation.fit.Evaluation;
import io.numaledger.evaluation.score.Ranking;
import io.numaledger.objects.ObjectReader;
import io.numaledger.scheduling.batch.BatchEvaluator;
import io.numaledger.scheduling.state.ClusterState;
import io.numaledger.scheduling.state.NodeNames;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.util.BitSet;
import java.util.List;
import java.util.stream.IntStream;

/** {@code prioritize}: how good each node is for the pod, 0 to 10. */
public final class PrioritizeVerb {

    private static final byte[] BEFORE_NAME = ascii("{\"Host\":\"");
    /** The bytes after the name of a node, by score. */
    private static final byte[][] AFTER_NAME = IntStream.rangeClosed(0, Ranking.MAX_SCORE)
            .mapToObj(score -> ascii("\",\"Score\":%d}".formatted(score)))
            .toArray(byte[][]::new);

    private final ClusterState cluster;
    private final BatchEvaluator evaluator;
    private final ObjectReader reader = new ObjectReader();

    public PrioritizeVerb(ClusterState cluster, BatchEvaluator evaluator) {
        this.cluster = cluster;
        this.evaluator = evaluator;
    }

    /** @throws IllegalArgumentException for a malformed request */
    public byte[] answer(byte[] body) throws IOException {
        ExtenderArgs args = ExtenderArgs.read(body, cluster, reader).shown(cluster);
        int[] scores = scores(
                args.names(),
                evaluator.evaluate(
                        args.names(),
                        args.pod(),
                        cluster.budget(args.pod(), args.names().size())));
        try (ByteArrayBuilder out = new ByteArrayBuilder(2 * body.length)) {
            out.write('[');
            for (int place = 0; place < scores.length; place++) {
                if (place > 0) {
                    out.write(',');
                }
                out.write(BEFORE_NAME);
                args.names().write(place, out::write);
                out.write(AFTER_NAME[scores[place]]);
            }
            out.write(']');
            return out.toByteArray();
        }
    }

    private static byte[] ascii(String text) {
        return text.getBytes(StandardCharsets.US_ASCII);
    }

    private static int[] scores(NodeNames names, List<Evaluation> evaluations) {
        long[] ranks = new long[evaluations.size()];
        BitSet ranked = new BitSet();
        for (int place = 0; place < ranks.length; place++) {
            ranks[place] = evaluations.get(place).rank();
            ranked.set(place, names.isKnown(place) && evaluations.get(place).admits());
        }
        return Ranking.scores(ranks, ranked);
    }
}
