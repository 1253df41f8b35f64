package io.numaledger.bridge.queue;

import io.numaledger.bridge.evaluation.PodShape;
import io.numaledger.bridge.objects.PodFacts;
import org.jspecify.annotations.Nullable;

import java.time.Duration;
import java.util.BitSet;
import java.util.Comparator;
import java.util.Optional;

/** A pod that every node refused in its last filter call. The queue's lock guards it. */
public final class PendingPod {

    static final Comparator<PendingPod> OLDEST_FIRST = Comparator.comparing(
                    (PendingPod each) -> each.pod, PodFacts.BY_AGE)
            .thenComparing(each -> each.pod.uid().orElse(""));

    final PodFacts pod;

    /** When it was first refused, in nanoseconds of the queue's clock. So are all times here. */
    final long since;

    /** The slots of the nodes that refused it. */
    BitSet refusedOn = new BitSet();

    /** The slots of those of them that changed since, and may admit it now. */
    final BitSet changed = new BitSet();

    /** The slots of those of them that are held, as the scheduler was told. */
    BitSet held = new BitSet();

    /** Nodes with a later version than this changed after it was refused for lack of zones, and may be reserved for it. */
    long refusedAtVersion;

    /** Since when nodes are reserved for it. */
    Optional<Long> reservingSince = Optional.empty();

    /** Since when it could run somewhere. */
    Optional<Long> schedulableSince = Optional.empty();

    /** Those since its last filter call. */
    RetryRequests requests = RetryRequests.NONE;

    /** Not all of its claims were known when it was refused. */
    boolean awaitsClaims;

    /** Other nodes than those in the scheduler's sample may take it. */
    boolean sampled;

    private @Nullable PodShape shape;

    final Nominations nominations = new Nominations();

    PendingPod(PodFacts pod, long since, long refusedAtVersion) {
        this.pod = pod;
        this.since = since;
        this.refusedAtVersion = refusedAtVersion;
    }

    PodShape shape() {
        if (shape == null) {
            shape = PodShape.of(pod);
        }
        return shape;
    }

    /** The scheduler has tried it again. */
    void tried() {
        changed.clear();
        schedulableSince = Optional.empty();
        requests = RetryRequests.NONE;
    }

    /** For how long it could run before the scheduler is asked to retry it; mostly the scheduler tries it by itself. */
    Duration waitsBeforeRetry() {
        return sampled ? Nominations.FIRST_AFTER : PendingPodQueue.REQUEUE_AFTER;
    }

    /** Whether at least this much time has passed since then; false if that never happened. */
    static boolean isOver(Optional<Long> since, Duration time, long now) {
        return since.filter(then -> now - then >= time.toNanos()).isPresent();
    }
}
