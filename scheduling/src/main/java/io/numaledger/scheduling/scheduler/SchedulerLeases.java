package io.numaledger.scheduling.scheduler;

import io.numaledger.evaluation.facts.PodFacts;

import java.time.Duration;
import java.time.Instant;
import java.util.Map;
import java.util.Optional;

/**
 * When the Leases of schedulers were last renewed. A kube-scheduler with leader election renews its Lease every two seconds.
 *
 * @param areRead otherwise nothing is known of them
 * @param renewals by the name of the Lease
 */
public record SchedulerLeases(boolean areRead, Map<String, Instant> renewals) {

    /** Where kube-schedulers have their Leases, unless they are configured otherwise. */
    public static final String NAMESPACE = "kube-system";

    public static final SchedulerLeases UNREAD = new SchedulerLeases(false, Map.of());

    /** Another replica of the scheduler takes the Lease after 15 seconds. */
    static final Duration RENEWED_WITHIN = Duration.ofMinutes(1);

    public SchedulerLeases {
        renewals = Map.copyOf(renewals);
    }

    public static SchedulerLeases read(Map<String, Instant> renewals) {
        return new SchedulerLeases(true, renewals);
    }

    /** The Lease of the cluster's own scheduler has the name of the program, that of another one the name of the scheduler. */
    public static String nameOf(String scheduler) {
        return scheduler.equals(PodFacts.DEFAULT_SCHEDULER) ? "kube-scheduler" : scheduler;
    }

    boolean isRenewed(String scheduler, Instant now) {
        return last(scheduler)
                .filter(renewed -> !renewed.isBefore(now.minus(RENEWED_WITHIN)))
                .isPresent();
    }

    /**
     * When a scheduler ended; absent: it runs, or nothing shows that it does not.
     *
     * @param active when pods show that it has last done something: it may run without this Lease
     */
    Optional<Instant> ended(String scheduler, Optional<Instant> active, Instant now) {
        return last(scheduler)
                .filter(renewed -> renewed.isBefore(now.minus(RENEWED_WITHIN)))
                .filter(renewed ->
                        active.filter(renewed.plus(RENEWED_WITHIN)::isBefore).isEmpty());
    }

    private Optional<Instant> last(String scheduler) {
        return Optional.ofNullable(renewals.get(nameOf(scheduler)));
    }
}
