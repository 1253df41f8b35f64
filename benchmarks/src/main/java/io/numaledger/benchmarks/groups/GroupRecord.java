package io.numaledger.benchmarks.groups;

import io.numaledger.benchmarks.groups.GroupMix.Arrival;

import java.time.Duration;
import java.util.HashSet;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.TreeMap;

/** What became of one group and when. Times are of {@link System#nanoTime()}. Not thread-safe. */
final class GroupRecord {

    final Arrival arrival;
    /** Name of a running pod → its node. */
    private final Map<String, String> running = new TreeMap<>();

    private Optional<Long> createdAt = Optional.empty();
    private Optional<Long> incompleteSince = Optional.empty();
    private Optional<Long> upAt = Optional.empty();
    private boolean ended;
    private boolean brokeRule;
    private Duration longestIncomplete = Duration.ZERO;

    GroupRecord(Arrival arrival) {
        this.arrival = arrival;
    }

    void created(long now) {
        createdAt = Optional.of(now);
    }

    /** Returns whether all of its pods run since now. */
    boolean podRuns(String pod, String node, long now) {
        running.put(pod, node);
        if (isEnded() || upAt.isPresent()) {
            return false;
        }
        if (running.size() < arrival.gpus().size()) {
            incompleteSince = incompleteSince.or(() -> Optional.of(now));
            return false;
        }
        complete(now);
        upAt = Optional.of(now);
        Set<String> racks = new HashSet<>();
        running.values().forEach(each -> racks.add(GroupMix.rack(each)));
        brokeRule = arrival.inOneRack() && racks.size() > 1;
        return true;
    }

    void podEnds(String pod, long now) {
        running.remove(pod);
        if (running.isEmpty()) {
            complete(now);
        }
    }

    private void complete(long now) {
        Duration last = Duration.ofNanos(now - incompleteSince.orElse(now));
        longestIncomplete = last.compareTo(longestIncomplete) > 0 ? last : longestIncomplete;
        incompleteSince = Optional.empty();
    }

    /** The longest time in which some of its pods ran without others, before it was up. Does not count a time that has not ended. */
    Duration longestIncomplete() {
        return longestIncomplete;
    }

    /** Since when some of its pods run without others, before it was up. */
    Optional<Long> incompleteSince() {
        return incompleteSince;
    }

    void ends(long now) {
        complete(now);
        ended = true;
    }

    boolean isEnded() {
        return ended;
    }

    boolean isUp() {
        return upAt.isPresent();
    }

    boolean brokeRule() {
        return brokeRule;
    }

    /** From its creation until all of its pods ran. */
    Optional<Duration> untilUp() {
        return upAt.map(up -> Duration.ofNanos(up - createdAt.orElseThrow()));
    }
}
