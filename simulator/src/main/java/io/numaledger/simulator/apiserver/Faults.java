package io.numaledger.simulator.apiserver;

import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.function.Predicate;

/** The faults that tests have ordered, oldest first; each request meets at most one of them. */
public final class Faults {

    private record Ordered(Predicate<RecordedRequest> when, Fault fault, long uses) {}

    private final List<Ordered> ordered = new ArrayList<>();
    private final Runnable cutWatches;

    Faults(Runnable cutWatches) {
        this.cutWatches = cutWatches;
    }

    /** The next request that the predicate accepts meets the fault. */
    public void once(Predicate<RecordedRequest> when, Fault fault) {
        times(1, when, fault);
    }

    /** The next so many requests that the predicate accepts meet the fault. */
    public synchronized void times(long uses, Predicate<RecordedRequest> when, Fault fault) {
        if (uses < 1) {
            throw new IllegalArgumentException("a fault is never used: uses=%d; order at least one".formatted(uses));
        }
        ordered.add(new Ordered(when, fault, uses));
    }

    /** All requests that the predicate accepts meet the fault, until {@link #clear()}. */
    public void always(Predicate<RecordedRequest> when, Fault fault) {
        times(Long.MAX_VALUE, when, fault);
    }

    public synchronized void clear() {
        ordered.clear();
    }

    /** Closes the connections of all watches that are open now, in the middle of the stream. */
    public void cutWatches() {
        cutWatches.run();
    }

    synchronized Optional<Fault> next(RecordedRequest request) {
        for (int i = 0; i < ordered.size(); i++) {
            Ordered each = ordered.get(i);
            if (each.when().test(request)) {
                if (each.uses() == 1) {
                    ordered.remove(i);
                } else {
                    ordered.set(i, new Ordered(each.when(), each.fault(), each.uses() - 1));
                }
                return Optional.of(each.fault());
            }
        }
        return Optional.empty();
    }
}
