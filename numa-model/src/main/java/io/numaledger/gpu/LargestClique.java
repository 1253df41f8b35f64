package io.numaledger.gpu;

import java.util.stream.IntStream;

/**
 * The largest set of GPUs in which every pair has a link: Bron and Kerbosch's search with a pivot, cut where the
 * rest cannot win. Between equals, the lower mask. Real machines take a handful of steps; a made-up one of more than
 * about 60 GPUs could take unbounded time, so that the search stops after {@link #MAX_STEPS} with the largest found.
 */
public final class LargestClique {

    static final int MAX_STEPS = 1 << 18;

    private final GpuSet[] neighbours;
    private GpuSet best = GpuSet.NONE;
    private int steps;

    public LargestClique(LinkMatrix links) {
        neighbours =
                IntStream.range(0, links.size()).mapToObj(links::neighbours).toArray(GpuSet[]::new);
    }

    /** Among these GPUs. Not thread-safe. */
    public GpuSet within(GpuSet free) {
        best = GpuSet.NONE;
        steps = 0;
        search(GpuSet.NONE, free, GpuSet.NONE);
        return best;
    }

    /** Visits the cliques that hold all of {@code clique}, any of {@code open} and none of {@code done}. */
    private void search(GpuSet clique, GpuSet open, GpuSet done) {
        if (++steps > MAX_STEPS || clique.size() + open.size() < best.size()) {
            return;
        }
        if (open.isEmpty() && done.isEmpty()) {
            keep(clique);
            return;
        }
        GpuSet rest = open;
        GpuSet seen = done;
        GpuSet branches = open.minus(neighbours[pivot(open, done)]);
        for (int gpu = branches.next(0); gpu >= 0; gpu = branches.next(gpu + 1)) {
            search(clique.with(gpu), rest.and(neighbours[gpu]), seen.and(neighbours[gpu]));
            rest = rest.minus(GpuSet.of(gpu));
            seen = seen.with(gpu);
        }
    }

    private void keep(GpuSet clique) {
        boolean larger = clique.size() > best.size();
        if (larger || (clique.size() == best.size() && clique.compareTo(best) < 0)) {
            best = clique;
        }
    }

    /** The GPU with the most open neighbours leaves the fewest branches. */
    private int pivot(GpuSet open, GpuSet done) {
        int pivot = -1;
        int most = -1;
        GpuSet usable = open.or(done);
        for (int gpu = usable.next(0); gpu >= 0; gpu = usable.next(gpu + 1)) {
            int count = open.and(neighbours[gpu]).size();
            if (count > most) {
                pivot = gpu;
                most = count;
            }
        }
        return pivot;
    }
}
