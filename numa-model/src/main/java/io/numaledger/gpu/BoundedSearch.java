package io.numaledger.gpu;

import java.util.Arrays;
import java.util.Comparator;
import java.util.stream.IntStream;

/**
 * A good set out of many GPUs in bounded time: from each GPU, grow a set by the best next GPU, then exchange
 * single GPUs while that adds links. For n usable GPUs and sets of size k this takes in the order of n²k steps, and
 * k(n-k) per exchange, of which there are n per start at most. The choice is called proven where it meets an upper bound,
 * which it does on machines where all pairs have the same links.
 */
final class BoundedSearch {

    private final SetScore score;
    private final LinkMatrix links;
    private final GpuSet all;
    private final int[] usable;
    private final GpuSet required;
    private final int size;

    /** The usable GPUs are the free and the required ones; together at least {@code size}. */
    BoundedSearch(GpuTopology topology, int size, GpuSet free, GpuSet required) {
        this.score = new SetScore(topology);
        this.links = topology.links();
        this.all = free.or(required);
        this.usable = all.indexes().toArray();
        this.required = required;
        this.size = size;
    }

    LinkedSet best() {
        GpuSet best = starts().mapToObj(this::from)
                .distinct()
                .max(Comparator.<GpuSet>comparingLong(score::of)
                        .thenComparingLong(set -> links.total(all.minus(set)))
                        .thenComparing(Comparator.reverseOrder()))
                .orElse(required);
        long total = links.total(best);
        return new LinkedSet(best, total, total == upperBound());
    }

    private IntStream starts() {
        return required.isEmpty() ? IntStream.of(usable) : required.indexes().limit(1);
    }

    private GpuSet from(int start) {
        GrowingSet set = new GrowingSet(score, usable);
        required.with(start).indexes().forEach(set::add);
        while (set.members().size() < size) {
            set.add(set.bestNext());
        }
        int rounds = usable.length;
        while (rounds > 0 && set.exchange(required)) {
            rounds--;
        }
        return set.members();
    }

    /** No set can have more: half the sum of the k GPUs with the most links to any k-1 others each. */
    private long upperBound() {
        long twice = Arrays.stream(usable)
                .mapToLong(this::mostLinksToOthers)
                .sorted()
                .skip(usable.length - size)
                .sum();
        return twice / 2;
    }

    private long mostLinksToOthers(int gpu) {
        return Arrays.stream(usable)
                .filter(other -> other != gpu)
                .mapToLong(other -> links.links(gpu, other))
                .sorted()
                .skip(usable.length - size)
                .sum();
    }
}
