package io.numaledger.gpu;

import java.util.Arrays;
import java.util.Comparator;
import java.util.stream.IntStream;

/**
 * A good set out of many GPUs in bounded time: from each GPU in turn, grow a set by the best next GPU, then exchange
 * single GPUs while that adds links. For n candidates and sets of size k this takes in the order of n²k steps plus one
 * exchange round of k(n-k) per link gained, n rounds at most per start. The choice is called proven where it meets an
 * upper bound, which it does on machines where all pairs have the same links.
 */
final class BoundedSearch {

    private final SetScore score;
    private final LinkMatrix links;
    private final int[] candidates;
    private final GpuSet required;
    private final int size;

    /** @param free the candidates beside the required ones; together at least {@code size} */
    BoundedSearch(GpuTopology topology, int size, GpuSet free, GpuSet required) {
        this.score = new SetScore(topology);
        this.links = topology.links();
        this.candidates = free.or(required).indexes().toArray();
        this.required = required;
        this.size = size;
    }

    LinkedSet best() {
        GpuSet all = GpuSet.of(candidates);
        Comparator<GpuSet> better = Comparator.<GpuSet>comparingLong(score::of)
                .thenComparingLong(set -> links.total(all.minus(set)))
                .thenComparing(Comparator.reverseOrder());
        GpuSet best =
                starts().mapToObj(this::grown).map(this::exchanged).max(better).orElse(required);
        long total = links.total(best);
        return new LinkedSet(best, total, total == upperBound());
    }

    private IntStream starts() {
        return required.isEmpty()
                ? IntStream.of(candidates)
                : required.indexes().limit(1);
    }

    private GpuSet grown(int start) {
        GpuSet set = required.with(start);
        while (set.size() < size) {
            set = set.with(bestNext(set));
        }
        return set;
    }

    /** The candidate that brings the most; between equals, the one with more links to come. */
    private int bestNext(GpuSet set) {
        int[] members = set.indexes().toArray();
        GpuSet nodes = IntStream.of(members).mapToObj(score::node).reduce(GpuSet.NONE, GpuSet::or);
        int next = -1;
        Gain nextGain = Gain.NOTHING;
        for (int candidate : candidates) {
            if (!set.contains(candidate)) {
                Gain gain = gain(candidate, set, members, nodes.containsAll(score.node(candidate)) ? 0 : 1);
                if (gain.compareTo(nextGain) > 0) {
                    next = candidate;
                    nextGain = gain;
                }
            }
        }
        return next;
    }

    private Gain gain(int candidate, GpuSet set, int[] members, int newNodes) {
        int weakest = SetScore.NO_PAIR;
        int levels = 0;
        long sum = 0;
        for (int member : members) {
            int pair = links.links(candidate, member);
            sum += pair;
            weakest = Math.min(weakest, pair);
            levels += score.level(candidate, member);
        }
        long toOthers = IntStream.of(candidates)
                .filter(other -> !set.contains(other))
                .map(other -> links.links(candidate, other))
                .sum();
        return new Gain(sum, toOthers, SetScore.pack(sum, weakest, levels, newNodes));
    }

    /**
     * What one more GPU brings.
     *
     * @param links to the set
     * @param toOthers links to the candidates outside of it, which may follow
     * @param score of the pairs that it brings
     */
    private record Gain(long links, long toOthers, long score) implements Comparable<Gain> {

        static final Gain NOTHING = new Gain(-1, 0, 0);

        private static final Comparator<Gain> ORDER = Comparator.comparingLong(Gain::links)
                .thenComparingLong(Gain::toOthers)
                .thenComparingLong(Gain::score);

        @Override
        public int compareTo(Gain other) {
            return ORDER.compare(this, other);
        }
    }

    private GpuSet exchanged(GpuSet grown) {
        GpuSet set = grown;
        for (int round = 0; round < candidates.length; round++) {
            GpuSet next = bestExchange(set);
            if (next.equals(set)) {
                return set;
            }
            set = next;
        }
        return set;
    }

    private GpuSet bestExchange(GpuSet set) {
        int[] toMembers = new int[links.size()];
        for (int candidate : candidates) {
            toMembers[candidate] =
                    set.indexes().map(member -> links.links(candidate, member)).sum();
        }
        int mostGained = 0;
        GpuSet best = set;
        for (int out : set.minus(required).indexes().toArray()) {
            for (int in : candidates) {
                int gained = toMembers[in] - links.links(in, out) - toMembers[out];
                if (!set.contains(in) && gained > mostGained) {
                    mostGained = gained;
                    best = set.minus(GpuSet.of(out)).with(in);
                }
            }
        }
        return best;
    }

    /** No set can have more: half the sum of the k GPUs with the most links to any k-1 others each. */
    private long upperBound() {
        long twice = Arrays.stream(candidates)
                .mapToLong(this::mostLinksToOthers)
                .sorted()
                .skip(candidates.length - size)
                .sum();
        return twice / 2;
    }

    private long mostLinksToOthers(int gpu) {
        return Arrays.stream(candidates)
                .filter(other -> other != gpu)
                .mapToLong(other -> links.links(gpu, other))
                .sorted()
                .skip(candidates.length - size)
                .sum();
    }
}
