package io.numaledger.bridge.run;

import io.numaledger.bridge.watch.PodEvents;
import io.numaledger.evaluation.facts.PodGroup;
import io.numaledger.evaluation.facts.PodGroupName;
import io.numaledger.evaluation.facts.PodGroupName.Kind;
import io.numaledger.scheduling.group.GroupListener.Group;

import java.time.Duration;
import java.time.Instant;
import java.time.InstantSource;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.Optional;

/**
 * Writes why groups wait, once for each reason, and again with the present numbers while it lasts. How many pods of a group fit changes with
 * every pod that comes or goes. Thread-safe.
 */
final class GroupWarnings {

    /** Events live for an hour. */
    static final Duration REFRESH = Duration.ofMinutes(10);

    private static final int MAX_GROUPS = 1_000;
    private static final int MAX_REASONS = 8;

    private final PodEvents events;
    private final InstantSource clock;

    /** Group → reason → when it was last written. */
    private final Map<String, Map<String, Instant>> written = new LinkedHashMap<>(16, 0.75f, true) {
        @Override
        protected boolean removeEldestEntry(Map.Entry<String, Map<String, Instant>> eldest) {
            return size() > MAX_GROUPS;
        }
    };

    GroupWarnings(PodEvents events, InstantSource clock) {
        this.events = events;
        this.clock = clock;
    }

    /**
     * Writes a warning if it is due. The first one of a reason has a name of its own: it is not written again by a process that comes after
     * this one.
     *
     * @param cause makes it another warning; its numbers do not
     */
    void warn(Group group, String reason, String cause, String sentence) {
        String kind = reason + " " + cause.replaceAll("\\d+", "#");
        Instant now = clock.instant();
        Optional<Instant> before;
        synchronized (written) {
            Map<String, Instant> reasons = written.computeIfAbsent(key(group), any -> new HashMap<>());
            before = Optional.ofNullable(reasons.get(kind));
            if (before.filter(at -> at.plus(REFRESH).isAfter(now)).isPresent()
                    || (before.isEmpty() && reasons.size() >= MAX_REASONS)) {
                return;
            }
            reasons.put(kind, now);
        }
        String subject =
                group.object().map(PodGroup::uid).orElse(group.pod().uid().orElse(""));
        Optional<String> id =
                before.isPresent() ? Optional.empty() : Optional.of(Integer.toHexString((subject + kind).hashCode()));
        group.object()
                .ifPresentOrElse(
                        object -> events.warnAgain(object, reason, sentence, id),
                        () -> events.warnAgain(group.pod(), reason, sentence, id));
    }

    /**
     * A group of this name may wait again, for the same reason. kube-scheduler may plan its own groups again and again before it binds their
     * pods: these are told apart by their objects only.
     */
    void planned(Group group) {
        if (group.name().kind() != Kind.NATIVE) {
            gone(group.name());
        }
    }

    /** The group has no pods any more that wait. */
    void gone(PodGroupName name) {
        synchronized (written) {
            written.remove(key(name));
        }
    }

    private static String key(Group group) {
        return group.object()
                .filter(any -> group.name().kind() == Kind.NATIVE)
                .map(PodGroup::uid)
                .orElseGet(() -> key(group.name()));
    }

    private static String key(PodGroupName name) {
        return name.kind() + " " + name;
    }
}
