package io.numaledger.clock;

import java.time.Instant;
import java.time.InstantSource;
import java.util.function.LongSupplier;

/**
 * A monotonic clock that starts at the system's time. It measures how long something lasts; its times are not for others to read, nor to
 * compare with theirs.
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
