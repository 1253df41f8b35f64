package io.numaledger.evaluation.score;

/** Scores the zones that a pod uses, 0 to 100. */
public enum Strategy {
    /** Zones with the most left after the pod. */
    LeastAllocated {
        @Override
        long zone(PlacementChange change, int zone) {
            return mean(change, zone, true);
        }
    },
    /** Zones with the least left after the pod. */
    MostAllocated {
        @Override
        long zone(PlacementChange change, int zone) {
            return mean(change, zone, false);
        }
    },
    /** Zones from which the pod takes equal parts of all resources: 100 less the largest difference between two parts, in percent. */
    BalancedAllocation {
        @Override
        long zone(PlacementChange change, int zone) {
            long least = 100;
            long most = 0;
            for (int row = 0; row < change.rows(); row++) {
                if (change.taken(row, zone) > 0) {
                    long part = part(change, row, zone);
                    least = Math.min(least, part);
                    most = Math.max(most, part);
                }
            }
            return 100 - Math.max(0, most - least);
        }
    };

    public static final Strategy DEFAULT = LeastAllocated;

    /** The score of a zone that the pod uses. */
    abstract long zone(PlacementChange change, int zone);

    private static long part(PlacementChange change, int row, int zone) {
        return NodeScore.percent(change.taken(row, zone), change.free(row, zone));
    }

    private static long mean(PlacementChange change, int zone, boolean left) {
        long sum = 0;
        int counted = 0;
        for (int row = 0; row < change.rows(); row++) {
            if (change.taken(row, zone) > 0) {
                long free = change.free(row, zone);
                long taken = change.taken(row, zone);
                sum += NodeScore.percent(left ? Math.max(0, free - taken) : taken, free);
                counted++;
            }
        }
        return counted == 0 ? 100 : sum / counted;
    }
}
