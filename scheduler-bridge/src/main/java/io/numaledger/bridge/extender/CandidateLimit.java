package io.numaledger.bridge.extender;

import io.numaledger.evaluation.fit.Evaluation;

import java.util.Arrays;
import java.util.BitSet;
import java.util.List;

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
        int[] fitting = fitting(evaluations, seed);
        boolean all = nodes == 0 || fitting.length <= nodes;
        long lowest = all ? Long.MIN_VALUE : lowestOfBest(evaluations, fitting);
        BitSet best = new BitSet(evaluations.size());
        for (int place : fitting) {
            best.set(place, all || evaluations.get(place).rank() > lowest);
        }
        int left = all ? 0 : nodes - best.cardinality();
        for (int i = 0; left > 0; i++) {
            if (evaluations.get(fitting[i]).rank() == lowest) {
                best.set(fitting[i]);
                left--;
            }
        }
        return best;
    }

    /** The rank of the last node that is answered. Sorting all ranks would take longer than to find them. */
    private long lowestOfBest(List<Evaluation> evaluations, int[] fitting) {
        long[] highest = new long[2 * nodes];
        long lowest = Long.MIN_VALUE;
        int count = 0;
        for (int place : fitting) {
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
    static int[] bestFirst(List<Evaluation> evaluations, int seed) {
        int[] fitting = fitting(evaluations, seed);
        long[] ranks = new long[fitting.length];
        for (int i = 0; i < ranks.length; i++) {
            ranks[i] = evaluations.get(fitting[i]).rank();
        }
        long[] distinct = distinct(ranks);
        // Counts how many have each rank, which is faster than sorting the places.
        int[] next = new int[distinct.length + 1];
        int[] higher = new int[ranks.length];
        for (int i = 0; i < ranks.length; i++) {
            higher[i] = distinct.length - 1 - Arrays.binarySearch(distinct, ranks[i]);
            next[higher[i] + 1]++;
        }
        for (int rank = 1; rank < next.length; rank++) {
            next[rank] += next[rank - 1];
        }
        int[] sorted = new int[fitting.length];
        for (int i = 0; i < fitting.length; i++) {
            sorted[next[higher[i]]++] = fitting[i];
        }
        return sorted;
    }

    /** The places of the fitting nodes, from the one at which to begin. */
    private static int[] fitting(List<Evaluation> evaluations, int seed) {
        int size = evaluations.size();
        int[] fitting = new int[size];
        int count = 0;
        int place = Math.floorMod(seed, Math.max(1, size));
        for (int looked = 0; looked < size; looked++) {
            if (evaluations.get(place).admits()) {
                fitting[count++] = place;
            }
            place = place + 1 == size ? 0 : place + 1;
        }
        return Arrays.copyOf(fitting, count);
    }

    /** The distinct numbers in ascending order. */
    private static long[] distinct(long[] numbers) {
        long[] sorted = numbers.clone();
        Arrays.sort(sorted);
        int count = 0;
        for (long number : sorted) {
            if (count == 0 || sorted[count - 1] != number) {
                sorted[count++] = number;
            }
        }
        return Arrays.copyOf(sorted, count);
    }
}
