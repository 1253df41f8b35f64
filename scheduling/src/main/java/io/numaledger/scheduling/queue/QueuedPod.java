package io.numaledger.scheduling.queue;

import io.numaledger.evaluation.facts.PodFacts;

import java.time.Duration;
import java.util.BitSet;
import java.util.Comparator;
import java.util.Optional;

/** What the queue knows of one pending pod, and changes. The queue's lock guards it. Times are in nanoseconds of the queue's clock. */
final class QueuedPod {

    static final Comparator<QueuedPod> OLDEST_FIRST = Comparator.comparing(QueuedPod::pod, PodFacts.BY_AGE)
            .thenComparing(each -> each.pod().uid().orElse(""));

    private PendingPod pending;

    /** How many filter calls there were: what was evaluated before the last one is out of date. */
    private int calls;

    /** The slots of the nodes that refused it. */
    BitSet refusedOn = new BitSet();

    /** The slots of those of them that changed since, and may admit it now. */
    final BitSet changed = new BitSet();

    /** The slots of those of them that are held, as the scheduler was told. */
    BitSet held = new BitSet();

    /** Since when nodes are reserved for the pod. */
    Optional<Long> reservingSince = Optional.empty();

    /** Since when the pod could run somewhere. */
    Optional<Long> schedulableSince = Optional.empty();

    /** The retries that were requested since the pod's last filter call. */
    RetryRequests requests = RetryRequests.NONE;

    /** Not all of the pod's claims were known when it was refused. */
    boolean awaitsClaims;

    /** Other nodes than those in the scheduler's sample may take it. */
    boolean sampled;

    final Nominations nominations = new Nominations();

    QueuedPod(PendingPod pending) {
        this.pending = pending;
    }

    /** The pod at this instant. */
    PendingPod pending() {
        return pending;
    }

    PodFacts pod() {
        return pending.pod;
    }

    int calls() {
        return calls;
    }

    /** The scheduler has tried it again. */
    void tried() {
        calls++;
        changed.clear();
        schedulableSince = Optional.empty();
        requests = RetryRequests.NONE;
    }

    /** The pod was refused for lack of zones. */
    void refused(long version) {
        pending = pending.refusedAgain(version);
    }

    /** The nodes at these slots have changed. */
    void addChanges(BitSet slots) {
        BitSet relevant = (BitSet) slots.clone();
        relevant.and(refusedOn);
        changed.or(relevant);
    }

    /** Whether the scheduler should be asked to retry it now; mostly the scheduler tries it by itself. */
    boolean isRetryDue(long now) {
        return isOver(schedulableSince, sampled ? Nominations.FIRST_AFTER : PendingPodQueue.REQUEUE_AFTER, now)
                && (!sampled || nominations.mayBegin(now));
    }

    /** Whether at least this much time has passed since then; false if that never happened. */
    static boolean isOver(Optional<Long> since, Duration time, long now) {
        return since.filter(then -> now - then >= time.toNanos()).isPresent();
    }
}
