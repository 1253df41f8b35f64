package io.numaledger.bridge.verdict;

import io.numaledger.bridge.cluster.PodFacts;
import io.numaledger.counts.PodAsk;

/**
 * One pod, prepared once for all nodes.
 *
 * @param shape the same object for pods of one shape, as far as they are remembered
 * @param answers what is known of this shape
 * @param counts for the one thread that asks
 */
public record Question(PodFacts pod, PodShape shape, PodAsk ask, ShapeAnswers answers, CountsJudge counts) {

    /** The same for another thread. */
    public Question alone() {
        return new Question(pod, shape, ask, answers, new CountsJudge());
    }
}
