package io.numaledger.benchmarks.soak;

import io.numaledger.benchmarks.figures.Percentiles;

import java.util.ArrayList;
import java.util.List;
import java.util.OptionalLong;
import java.util.function.ToLongFunction;

/** What the agent of one node cost, minute by minute, and whether that grew. */
final class SoakReport {

    /** Minutes that do not count, because classes are loaded and methods compiled. */
    static final int WARM_UP = 4;

    /** The tolerated growth of memory: methods that are compiled late, up to the code cache of 24 MiB. */
    private static final long RESIDENT_GROWTH_KIB = 3072;

    private static final long LIVE_HEAP_GROWTH_KIB = 512;
    private static final long THREAD_GROWTH = 2;
    private static final long FILE_GROWTH = 4;

    private final String node;
    private final List<Sample> samples = new ArrayList<>();

    /**
     * The figures at the end of a minute.
     *
     * @param residentKiB VmRSS
     * @param liveHeapKiB the heap after a full collection; empty: unknown
     * @param cpuMillis CPU time of the process since its start
     */
    record Sample(long residentKiB, OptionalLong liveHeapKiB, long threads, long files, long cpuMillis) {

        /** 0 if it is unknown. */
        private long knownLiveHeapKiB() {
            return liveHeapKiB.orElse(0);
        }
    }

    SoakReport(String node) {
        this.node = node;
    }

    void add(Sample sample) {
        samples.add(sample);
    }

    /** Whether the agent grew by more than is tolerated. Short soaks, with fewer than four minutes after the warm-up, never fail. */
    boolean hasGrown() {
        return samples.size() >= WARM_UP + 4
                && (growth(Sample::residentKiB) > RESIDENT_GROWTH_KIB
                        || growth(Sample::knownLiveHeapKiB) > LIVE_HEAP_GROWTH_KIB
                        || growth(Sample::threads) > THREAD_GROWTH
                        || growth(Sample::files) > FILE_GROWTH);
    }

    String summary() {
        return "%s: second half against first, after %d minutes of warm-up: ".formatted(node, WARM_UP)
                + "RSS %+d KiB, ".formatted(growth(Sample::residentKiB))
                + "live heap %+d KiB, ".formatted(growth(Sample::knownLiveHeapKiB))
                + "threads %+d, files %+d".formatted(growth(Sample::threads), growth(Sample::files));
    }

    /** The median of the second half of the minutes that count, less the median of the first half. */
    private long growth(ToLongFunction<Sample> figure) {
        List<Sample> counted = samples.subList(Math.min(WARM_UP, samples.size()), samples.size());
        int half = counted.size() / 2;
        return Percentiles.of(counted.subList(half, counted.size()).stream().mapToLong(figure))
                        .at(50)
                - Percentiles.of(counted.subList(0, half).stream().mapToLong(figure))
                        .at(50);
    }
}
