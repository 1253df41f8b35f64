package io.numaledger.bridge.replica;

import io.numaledger.bridge.replica.ElectionLease.Seen;

import java.io.IOException;
import java.time.Duration;
import java.util.Optional;
import java.util.function.LongSupplier;

/**
 * One replica's part in the election. A Lease has expired when this replica has not seen it change for its duration, on a clock of its own
 * that does not jump; times in the Lease are not read. As client-go, tools/leaderelection/leaderelection.go.
 */
final class Election {

    /**
     * How long a leader leads without a renewal, and when another replica may take the Lease.
     *
     * @param lease longer than the renewal and the last bind of a leader together
     * @param renewal counted from before the write that succeeded
     */
    record Limits(Duration lease, Duration renewal) {}

    private record Term(long number, long renewedAt) {}

    private final ElectionLease lease;
    private final String identity;
    private final Limits limits;
    private final LongSupplier nanos;

    /** The last version, even if the Lease was deleted since: its holder does not know that yet. */
    private volatile Optional<Seen> seen = Optional.empty();

    private long changedAt;
    private boolean deleted;
    private long terms;
    private volatile Optional<Term> term = Optional.empty();

    /** @param nanos a clock that does not jump */
    Election(ElectionLease lease, String identity, Limits limits, LongSupplier nanos) {
        this.lease = lease;
        this.identity = identity;
        this.limits = limits;
        this.nanos = nanos;
    }

    /**
     * Takes the Lease if it has expired or nobody holds it, or renews it. Call it often.
     *
     * @throws IOException if the API server gives no answer
     */
    synchronized void attempt() throws IOException {
        if (term.isEmpty()) {
            observe(lease.read());
        }
        long begun = nanos.getAsLong();
        if (mayTake(begun)) {
            Optional<Seen> written = lease.write(deleted ? Optional.empty() : seen, identity);
            if (written.isEmpty()) {
                observe(lease.read());
                return;
            }
            changed(written.get());
            long number = term.map(Term::number).orElseGet(() -> ++terms);
            term = Optional.of(new Term(number, begun));
        }
    }

    private boolean mayTake(long now) {
        return seen.map(Seen::holder)
                .filter(holder -> !holder.isEmpty() && !holder.equals(identity))
                .map(holder -> now - changedAt >= limits.lease().toNanos())
                .orElse(true);
    }

    private void observe(Optional<Seen> now) {
        deleted = now.isEmpty();
        now.filter(version -> !seen.equals(Optional.of(version))).ifPresent(this::changed);
        if (now.filter(version -> version.holder().equals(identity)).isEmpty()) {
            term = Optional.empty();
        }
    }

    private void changed(Seen version) {
        deleted = false;
        seen = Optional.of(version);
        changedAt = nanos.getAsLong();
    }

    /**
     * The number of the term in which this replica has the Lease. It stays the same as long as no other replica could lead meanwhile.
     * The number is absent if this replica does not have the Lease, or has not renewed it in time.
     */
    Optional<Long> term() {
        return term.filter(held ->
                        nanos.getAsLong() - held.renewedAt() < limits.renewal().toNanos())
                .map(Term::number);
    }

    /** The identity of the holder that was seen last. */
    Optional<String> holder() {
        return holderOf(seen);
    }

    /**
     * Reads who has the Lease.
     *
     * @throws IOException if the API server gives no answer
     */
    Optional<String> currentHolder() throws IOException {
        return holderOf(lease.read());
    }

    private static Optional<String> holderOf(Optional<Seen> version) {
        return version.map(Seen::holder).filter(holder -> !holder.isEmpty());
    }

    /**
     * Gives the Lease away, if this replica has it.
     *
     * @throws IOException if the API server gives no answer
     */
    synchronized void release() throws IOException {
        term = Optional.empty();
        Optional<Seen> now = lease.read();
        if (holderOf(now).equals(Optional.of(identity)) && lease.write(now, "").isEmpty()) {
            // A write whose answer was lost has come through meanwhile.
            now = lease.read();
            if (holderOf(now).equals(Optional.of(identity))) {
                var unused = lease.write(now, "");
            }
        }
    }
}
