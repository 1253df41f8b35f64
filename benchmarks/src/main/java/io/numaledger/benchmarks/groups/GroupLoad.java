package io.numaledger.benchmarks.groups;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;

/**
 * The groups of one run, in the order of their arrival.
 *
 * @param groups by number
 */
record GroupLoad(List<Group> groups) {

    private static final int[] SIZES = {1, 1, 2, 2, 3, 4, 4, 6, 8, 12, 16};
    private static final Duration INTERVAL = Duration.ofMillis(1500);

    /**
     * One group of pods that are alike.
     *
     * @param at after the begin of the run
     * @param runs how long, after all its pods run
     * @param inOneRack whether all of them have to be in one rack, where somebody plans that
     */
    record Group(String name, int size, int cpus, int gpus, Duration at, Duration runs, boolean inOneRack) {}

    /** The same groups for the same seed. */
    static GroupLoad of(long seed, int count) {
        Random random = new Random(seed);
        List<Group> groups = new ArrayList<>();
        for (int i = 0; i < count; i++) {
            int size = SIZES[random.nextInt(SIZES.length)];
            groups.add(new Group(
                    "group-%03d".formatted(i),
                    size,
                    1 + random.nextInt(3),
                    size > 8 ? 1 : 1 + random.nextInt(3),
                    INTERVAL.multipliedBy(i),
                    Duration.ofSeconds(5 + random.nextInt(15)),
                    random.nextBoolean()));
        }
        return new GroupLoad(groups);
    }
}
