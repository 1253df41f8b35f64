package io.numaledger.scheduling.scheduler;

import io.numaledger.evaluation.facts.PodFacts;
import io.numaledger.text.NearNames;

import java.time.Duration;
import java.util.List;
import java.util.Set;
import java.util.TreeSet;

/**
 * What is wrong with one scheduler.
 *
 * @param scheduler its name, as pods say
 * @param pods that it concerns, the oldest first; at least one
 * @param lasting for how long at least one of the pods was not tried, or the scheduler has not run; how long ago the first of them was bound
 * @param known the schedulers that run, or may run
 */
public record SchedulerFinding(Kind kind, String scheduler, List<PodFacts> pods, Duration lasting, Set<String> known) {

    /** What is wrong. */
    public enum Kind {
        /** Nobody has ever seen a scheduler of this name, and none has tried the pods. */
        UNKNOWN_SCHEDULER("unknown-scheduler"),
        /** The scheduler has not tried the pods. */
        NOT_TRIED("not-tried"),
        /** The scheduler has renewed its Lease before, and does so no more. */
        NOT_RUNNING("not-running"),
        /** The scheduler has bound pods that need zones, and has not called the bridge. */
        BOUND_WITHOUT_BRIDGE("bound-without-bridge"),
        /** The scheduler has tried the pod, and this replica of the bridge was not called. */
        NOT_ASKED("not-asked");

        private final String text;

        Kind(String text) {
            this.text = text;
        }

        /** The kind's name in the API and in metrics. */
        @Override
        public String toString() {
            return text;
        }
    }

    /** The API server accepts any name. */
    private static final int MAX_NAME_LENGTH = 253;

    public SchedulerFinding {
        scheduler = scheduler.length() > MAX_NAME_LENGTH ? scheduler.substring(0, MAX_NAME_LENGTH) + "…" : scheduler;
        pods = List.copyOf(pods);
    }

    /** Whether it concerns this pod. */
    boolean concerns(PodFacts pod) {
        return pods.stream().anyMatch(each -> each.key().equals(pod.key()) && each.isSameAs(pod));
    }

    /**
     * One sentence: what is wrong, and what to do.
     *
     * @param subject the pods, such as {@code this pod}
     */
    public String message(String subject) {
        String names = known.isEmpty() ? "none" : String.join(", ", new TreeSet<>(known));
        return switch (kind) {
            case UNKNOWN_SCHEDULER ->
                "no scheduler named %s has tried %s for %s; correct schedulerName, or start that scheduler; known: %s%s"
                        .formatted(scheduler, subject, text(lasting), names, NearNames.hint(scheduler, known));
            case NOT_TRIED ->
                "the scheduler %s has not tried %s for %s; check that it runs, or correct schedulerName; known: %s"
                        .formatted(scheduler, subject, text(lasting), names);
            case NOT_RUNNING ->
                "the scheduler %s does not run: its Lease %s/%s was last renewed %s ago, so that nobody tries %s; start it, or create the pods anew with another schedulerName; known: %s"
                        .formatted(
                                scheduler,
                                SchedulerLeases.NAMESPACE,
                                SchedulerLeases.nameOf(scheduler),
                                text(lasting),
                                subject,
                                names);
            case BOUND_WITHOUT_BRIDGE ->
                "the scheduler %s has bound %s without calling the bridge, and no scheduler has called it since; add the bridge to the scheduler's configuration (mode=reconfigured), or name in schedulerName the scheduler of the chart (mode=scheduler)"
                        .formatted(scheduler, subject);
            case NOT_ASKED ->
                "the scheduler %s has tried %s, and has not called this replica of the bridge since the pod was created: its own plugins refuse every node, or it has called another replica, or the bridge is not in its configuration; the pod's event FailedScheduling says why"
                        .formatted(scheduler, subject);
        };
    }

    /** Such as {@code 45s}, {@code 3m}, {@code 2h} or {@code 4d}. */
    private static String text(Duration time) {
        if (time.toMinutes() < 2) {
            return time.toSeconds() + "s";
        }
        if (time.toHours() < 2) {
            return time.toMinutes() + "m";
        }
        return time.toDays() < 2 ? time.toHours() + "h" : time.toDays() + "d";
    }
}
