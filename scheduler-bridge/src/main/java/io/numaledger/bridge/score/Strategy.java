package io.numaledger.bridge.score;

/** What makes one placement better than another inside its zones; scores from 0 to 100. */
public enum Strategy {
    /** The fewest zones. */
    LeastNUMANodes {
        @Override
        long zone(ZoneChange change, int zone) {
            return 100;
        }
    },
    /** Zones with the most left afterwards. */
    LeastAllocated {
        @Override
        long zone(ZoneChange change, int zone) {
            return mean(change, zone, true);
        }
    },
    /** Zones with the least left afterwards. */
    MostAllocated {
        @Override
        long zone(ZoneChange change, int zone) {
            return mean(change, zone, false);
        }
    },
    /** Zones from which all resources go in equal parts: 100 less the largest difference between two parts, in percent. */
    BalancedAllocation {
        @Override
        long zone(ZoneChange change, int zone) {
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

    /** The score of a zone that the pod touches. */
    abstract long zone(ZoneChange change, int zone);

    private static long part(ZoneChange change, int row, int zone) {
        return NodeScore.percent(change.taken(row, zone), change.free(row, zone));
    }

    private static long mean(ZoneChange change, int zone, boolean left) {
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
