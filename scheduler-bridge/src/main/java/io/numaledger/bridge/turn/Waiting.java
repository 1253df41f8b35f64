package io.numaledger.bridge.turn;

import io.numaledger.bridge.cluster.PodFacts;
import io.numaledger.bridge.cluster.SchedulingTerms;

import java.time.Duration;
import java.util.BitSet;
import java.util.Comparator;
import java.util.Optional;

/** One pod that was refused on every node. */
final class Waiting {

    static final Comparator<Waiting> OLDEST_FIRST =
            Comparator.comparing((Waiting each) -> each.pod, PodFacts.BY_AGE).thenComparing(each -> each.pod.uid());

    final PodFacts pod;
    final SchedulingTerms terms;

    /** When it was first refused. */
    final long since;

    /** The slots of the nodes where it was refused. */
    BitSet refusedOn = new BitSet();

    /** The slots of those of them that may have come free for it since. */
    final BitSet maybeFree = new BitSet();

    /** What has changed since it was refused for want of zones may be held for it; in the ledger's count of changes. */
    long refusedAt;

    /** Since when something is held for it. */
    Optional<Long> holdingSince = Optional.empty();

    /** Since when it could run. */
    Optional<Long> freeSince = Optional.empty();

    /** The scheduler was told since, and has not asked. */
    boolean reminded;

    Waiting(PodFacts pod, SchedulingTerms terms, long since, long refusedAt) {
        this.pod = pod;
        this.terms = terms;
        this.since = since;
        this.refusedAt = refusedAt;
    }

    /** The scheduler asks about it. */
    void asked() {
        maybeFree.clear();
        freeSince = Optional.empty();
        reminded = false;
    }

    /** True if so much time has gone by since then; false if that never came. */
    static boolean isOver(Optional<Long> since, Duration time, long now) {
        return since.filter(then -> now - then >= time.toNanos()).isPresent();
    }
}
