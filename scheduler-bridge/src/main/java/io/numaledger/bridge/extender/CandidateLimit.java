package io.numaledger.bridge.extender;

import io.numaledger.bridge.evaluation.Evaluation;

import java.util.BitSet;
import java.util.List;
import java.util.function.IntPredicate;
import java.util.stream.IntStream;

/**
 * How many of the nodes that fit a pod {@code filter} answers. kube-scheduler decodes and scores each of them, which takes longer than
 * the bridge takes to find them.
 *
 * @param nodes at most this many, and no refused nodes beside them; 0: all nodes, fitting and refused
 */
public record CandidateLimit(int nodes) {

    /** All nodes, fitting and refused. */
    public static final CandidateLimit NONE = new CandidateLimit(0);

    /** As many as kube-scheduler itself finds before it stops (minFeasibleNodesToFind, pkg/scheduler/schedule_one.go). */
    public static final CandidateLimit DEFAULT = new CandidateLimit(100);

    /** @throws IllegalArgumentException as a sentence, for less than 0 */
    public CandidateLimit {
        if (nodes < 0) {
            throw new IllegalArgumentException("the limit of candidates is %d; use 0 (all) or more".formatted(nodes));
        }
    }

    /** Whether an answer with this many fitting nodes names the refused ones, too. */
    boolean namesRefused(int fitting) {
        return nodes == 0 || fitting == 0;
    }

    /**
     * The places of the fitting nodes that are answered: those with the highest ranks.
     *
     * @param start the place at which to begin among nodes of equal rank
     */
    BitSet best(List<Evaluation> evaluations, int start) {
        int size = evaluations.size();
        BitSet fitting =
                places(IntStream.range(0, size), place -> evaluations.get(place).admits());
        if (nodes == 0 || fitting.cardinality() <= nodes) {
            return fitting;
        }
        long[] ranks = fitting.stream()
                .mapToLong(place -> evaluations.get(place).rank())
                .sorted()
                .toArray();
        long lowest = ranks[ranks.length - nodes];
        BitSet best = places(fitting.stream(), place -> evaluations.get(place).rank() > lowest);
        IntStream.concat(IntStream.range(start, size), IntStream.range(0, start))
                .filter(place -> fitting.get(place) && evaluations.get(place).rank() == lowest)
                .limit(nodes - best.cardinality())
                .forEach(best::set);
        return best;
    }

    private static BitSet places(IntStream all, IntPredicate which) {
        BitSet places = new BitSet();
        all.filter(which).forEach(places::set);
        return places;
    }
}
