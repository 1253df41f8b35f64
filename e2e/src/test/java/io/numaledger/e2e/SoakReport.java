package io.numaledger.e2e;

import java.util.ArrayList;
import java.util.List;
import java.util.OptionalLong;
import java.util.function.ToLongFunction;

/** What the agent of one node cost, minute by minute. */
final class SoakReport {

    /** Minutes of which nothing counts: classes are loaded, methods compiled. */
    static final int WARM_UP = 4;

    private final String node;
    private final List<Sample> samples = new ArrayList<>();

    /**
     * At the end of a minute.
     *
     * @param residentKiB VmRSS
     * @param liveHeapKiB what a full collection left; empty: could not be asked
     * @param cpuMillis of the process since its start
     */
    record Sample(long residentKiB, OptionalLong liveHeapKiB, long threads, long files, long cpuMillis) {}

    SoakReport(String node) {
        this.node = node;
    }

    void add(Sample sample) {
        samples.add(sample);
    }

    String summary() {
        return "%s: second half against first, after %d minutes of warm-up: RSS %+d KiB, live heap %+d KiB, threads %+d, files %+d"
                .formatted(node, WARM_UP, residentGrowthKiB(), liveHeapGrowthKiB(), threadGrowth(), fileGrowth());
    }

    long residentGrowthKiB() {
        return growth(Sample::residentKiB);
    }

    /** 0 where it could not be asked. */
    long liveHeapGrowthKiB() {
        return growth(sample -> sample.liveHeapKiB().orElse(0));
    }

    long threadGrowth() {
        return growth(Sample::threads);
    }

    long fileGrowth() {
        return growth(Sample::files);
    }

    /** The median of the second half of what counts, less that of the first. */
    private long growth(ToLongFunction<Sample> figure) {
        List<Sample> counted = samples.subList(Math.min(WARM_UP, samples.size()), samples.size());
        int half = counted.size() / 2;
        return median(counted.subList(half, counted.size()), figure) - median(counted.subList(0, half), figure);
    }

    private static long median(List<Sample> samples, ToLongFunction<Sample> figure) {
        long[] sorted = samples.stream().mapToLong(figure).sorted().toArray();
        return sorted.length == 0 ? 0 : sorted[sorted.length / 2];
    }
}
