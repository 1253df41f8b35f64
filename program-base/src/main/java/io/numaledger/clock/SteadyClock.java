package io.numaledger.clock;

import java.time.Instant;
import java.time.InstantSource;
import java.util.function.LongSupplier;

/**
 * Goes on from the system's time at its start, and does not jump with it afterwards. For how long something lasts; not for times that others
 * read, nor to compare with theirs.
 */
public final class SteadyClock implements InstantSource {

    private final Instant begin;
    private final LongSupplier nanos;
    private final long beginNanos;

    public SteadyClock() {
        this(InstantSource.system(), System::nanoTime);
    }

    SteadyClock(InstantSource system, LongSupplier nanos) {
        this.begin = system.instant();
        this.nanos = nanos;
        this.beginNanos = nanos.getAsLong();
    }

    @Override
    public Instant instant() {
        return begin.plusNanos(nanos.getAsLong() - beginNanos);
    }
}
