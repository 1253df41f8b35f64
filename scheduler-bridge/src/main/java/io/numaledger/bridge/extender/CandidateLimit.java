package io.numaledger.bridge.extender;

import io.numaledger.bridge.evaluation.Evaluation;

import java.util.Arrays;
import java.util.BitSet;
import java.util.List;
import java.util.stream.IntStream;
import java.util.stream.LongStream;

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

    /** How many nodes that fit, and are not reserved, are enough. */
    int enough() {
        return nodes == 0 ? Integer.MAX_VALUE : nodes;
    }

    /** The places of the fitting nodes that are answered: the first of {@link #bestFirst}. */
    BitSet best(List<Evaluation> evaluations, int seed) {
        BitSet fitting = new BitSet(evaluations.size());
        for (int place = 0; place < evaluations.size(); place++) {
            fitting.set(place, evaluations.get(place).admits());
        }
        return nodes == 0 || fitting.cardinality() <= nodes ? fitting : best(evaluations, fitting, seed);
    }

    private BitSet best(List<Evaluation> evaluations, BitSet fitting, int seed) {
        long lowest = lowestOfBest(evaluations, fitting);
        BitSet best = new BitSet(evaluations.size());
        fitting.stream().filter(place -> evaluations.get(place).rank() > lowest).forEach(best::set);
        places(evaluations.size(), seed)
                .filter(place -> fitting.get(place) && evaluations.get(place).rank() == lowest)
                .limit(nodes - best.cardinality())
                .forEach(best::set);
        return best;
    }

    /** The rank of the last node that is answered. Sorting all ranks would take longer than to find them. */
    private long lowestOfBest(List<Evaluation> evaluations, BitSet fitting) {
        long[] highest = new long[2 * nodes];
        long lowest = Long.MIN_VALUE;
        int count = 0;
        for (int place = fitting.nextSetBit(0); place >= 0; place = fitting.nextSetBit(place + 1)) {
            long rank = evaluations.get(place).rank();
            if (count < nodes || rank > lowest) {
                highest[count++] = rank;
            }
            if (count == highest.length) {
                Arrays.sort(highest);
                System.arraycopy(highest, nodes, highest, 0, nodes);
                count = nodes;
                lowest = highest[0];
            }
        }
        Arrays.sort(highest, 0, count);
        return highest[count - nodes];
    }

    /**
     * The places of all fitting nodes, those with the highest ranks first.
     *
     * @param seed decides at which place to begin among nodes of equal rank, so that equal nodes get equally many pods
     */
    static IntStream bestFirst(List<Evaluation> evaluations, int seed) {
        int[] fitting = places(evaluations.size(), seed)
                .filter(place -> evaluations.get(place).admits())
                .toArray();
        long[] ranks = IntStream.of(fitting)
                .mapToLong(place -> evaluations.get(place).rank())
                .toArray();
        long[] distinct = LongStream.of(ranks).sorted().distinct().toArray();
        // Sorts numbers instead of objects: how many ranks are higher, then the position.
        return IntStream.range(0, fitting.length)
                .mapToLong(i -> (long) (distinct.length - Arrays.binarySearch(distinct, ranks[i])) << Integer.SIZE | i)
                .sorted()
                .mapToInt(key -> fitting[(int) key]);
    }

    private static IntStream places(int size, int seed) {
        int start = Math.floorMod(seed, Math.max(1, size));
        return IntStream.concat(IntStream.range(start, size), IntStream.range(0, start));
    }
}
