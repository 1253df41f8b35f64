package io.numaledger.bridge.gated;

import io.numaledger.bridge.group.ExpectedPlace;
import io.numaledger.bridge.objects.PodFacts;

import java.time.Duration;
import java.time.Instant;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;

/** What is known of a group beside its pods. */
final class GroupProgress {

    Optional<Instant> incompleteSince = Optional.empty();
    Optional<Instant> waitingSince = Optional.empty();
    Optional<Held> held = Optional.empty();

    /** Whether the group fits the cluster without any pods, and when that was found. */
    Optional<FitsEmpty> fitsEmpty = Optional.empty();

    /** UIDs of pods whose end it has awaited in vain. */
    final Set<String> staying = new HashSet<>();

    /** When pods of lower priority were evicted for it. */
    Optional<Instant> evictedAt = Optional.empty();

    /** UID → a released pod without a node. */
    final Map<String, Released> released = new HashMap<>();

    /** UID → since when its scheduler refuses a released pod. */
    final Map<String, Instant> refusedSince = new HashMap<>();

    /** Node → until when it is not used for the group. */
    final Map<String, Instant> barred = new HashMap<>();

    /** UIDs of pods whose end at a kubelet was noticed. */
    final Set<String> refused = new HashSet<>();

    /** UIDs of pods that say falsely that they are planned. */
    final Set<String> ignored = new HashSet<>();

    /** The versions of the cluster's nodes and topologies, and the pods and their least number, with which it did not fit. */
    Optional<Attempt> failed = Optional.empty();

    Instant failedAt = Instant.MIN;

    void failed(Attempt attempt, Instant now) {
        failed = Optional.of(attempt);
        failedAt = now;
    }

    /** @param since when it was first seen */
    record Released(PodFacts pod, String node, Instant since) {}

    record Attempt(long version, long topologies, boolean holdDue, List<String> pods, int needed) {

        Attempt after(long newVersion) {
            return new Attempt(newVersion, topologies, holdDue, pods, needed);
        }
    }

    /**
     * Nodes that are kept for a group that does not fit yet.
     *
     * @param left how many of the awaited pods ran when it was last seen that one had ended
     * @param progressAt when that was
     */
    record Held(long number, ExpectedPlace place, Instant until, int left, Instant progressAt) {

        Held with(int nowLeft, Instant now) {
            return new Held(number, place, until, nowLeft, now);
        }
    }

    record FitsEmpty(boolean fits, Instant at) {}

    /** Nodes that were barred long enough may be used again. */
    void unbar(Instant now) {
        barred.values().removeIf(until -> !until.isAfter(now));
    }

    static boolean isOver(Instant since, Duration time, Instant now) {
        return !since.plus(time).isAfter(now);
    }
}
