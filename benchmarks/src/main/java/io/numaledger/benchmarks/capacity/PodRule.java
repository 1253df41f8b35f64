package io.numaledger.benchmarks.capacity;

import java.util.Comparator;

/** Which waiting pod is tried first when something has become free. */
enum PodRule {
    /** Also the order of kube-scheduler, if all are tried each time: it begins with the one that was tried longest ago. */
    OLDEST,
    LARGEST,
    SMALLEST;

    Comparator<WaitingPod> order() {
        Comparator<WaitingPod> byAge = Comparator.comparingLong(WaitingPod::createdAt);
        return switch (this) {
            case OLDEST -> byAge;
            case LARGEST -> Comparator.comparingLong(WaitingPod::cpu).reversed().thenComparing(byAge);
            case SMALLEST -> Comparator.comparingLong(WaitingPod::cpu).thenComparing(byAge);
        };
    }
}
