package io.numaledger.apiservers.fake.fault;

import io.numaledger.apiservers.fake.request.RecordedRequest;

import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.function.Predicate;

/** The faults that tests inject. A request gets the oldest fault that matches it, and no other. */
public final class Faults {

    private record Injected(Predicate<RecordedRequest> when, Fault fault, long uses) {}

    private final List<Injected> injected = new ArrayList<>();
    private final Runnable cutWatches;

    public Faults(Runnable cutWatches) {
        this.cutWatches = cutWatches;
    }

    /** Injects the fault into the next matching request. */
    public void once(Predicate<RecordedRequest> when, Fault fault) {
        times(1, when, fault);
    }

    /** Injects the fault into the given number of matching requests. */
    public synchronized void times(long uses, Predicate<RecordedRequest> when, Fault fault) {
        if (uses < 1) {
            throw new IllegalArgumentException(
                    "a fault without a use has no effect: uses=%d; give at least 1".formatted(uses));
        }
        injected.add(new Injected(when, fault, uses));
    }

    /** Injects the fault into all matching requests until {@link #clear()}. */
    public void always(Predicate<RecordedRequest> when, Fault fault) {
        times(Long.MAX_VALUE, when, fault);
    }

    public synchronized void clear() {
        injected.clear();
    }

    /** Closes the connections of all open watches. */
    public void cutWatches() {
        cutWatches.run();
    }

    public synchronized Optional<Fault> next(RecordedRequest request) {
        for (int i = 0; i < injected.size(); i++) {
            Injected each = injected.get(i);
            if (each.when().test(request)) {
                if (each.uses() == 1) {
                    injected.remove(i);
                } else {
                    injected.set(i, new Injected(each.when(), each.fault(), each.uses() - 1));
                }
                return Optional.of(each.fault());
            }
        }
        return Optional.empty();
    }
}
