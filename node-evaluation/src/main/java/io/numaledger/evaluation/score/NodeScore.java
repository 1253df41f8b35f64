package io.numaledger.evaluation.score;

/** How good a node is for a pod, by each criterion. */
public final class NodeScore {

    static final long MAX = 100;

    private static final long NO_OVERFLOW = Long.MAX_VALUE / MAX;

    private final Strategy strategy;

    public NodeScore(Strategy strategy) {
        this.strategy = strategy;
    }

    /** The score of a criterion from 0 to 100; more is better. */
    public long of(ScoringCriterion criterion, PlacementChange change) {
        return switch (criterion) {
            case FewestZones -> MAX / Math.max(1, zones(change));
            case LeastFragmentation -> MAX - (largest(change, false) - largest(change, true));
            case Strategy -> strategy(change);
        };
    }

    private static int zones(PlacementChange change) {
        int zones = 0;
        for (int zone = 0; zone < change.zones(); zone++) {
            zones += change.touches(zone) ? 1 : 0;
        }
        return zones;
    }

    /** The lowest score of a zone decides. */
    private long strategy(PlacementChange change) {
        long least = MAX;
        for (int zone = 0; zone < change.zones(); zone++) {
            if (change.touches(zone)) {
                least = Math.min(least, strategy.zone(change, zone));
            }
        }
        return least;
    }

    /** The largest request that one zone can take, before or after the pod. */
    private static long largest(PlacementChange change, boolean after) {
        long largest = 0;
        for (int zone = 0; zone < change.zones(); zone++) {
            long request = after && change.touches(zone)
                    ? change.node().requestWithout(change.taken(), zone)
                    : change.node().request(zone);
            largest = Math.max(largest, request);
        }
        return largest;
    }

    /** A part of a whole in percent, 0 to 100; 100 if the whole is 0. */
    static long percent(long part, long whole) {
        if (part >= whole) {
            return MAX;
        }
        return Math.max(0, part < NO_OVERFLOW ? part * MAX / whole : part / (whole / MAX));
    }
}
