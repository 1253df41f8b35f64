package io.numaledger.scheduling.scheduler;

import io.numaledger.evaluation.facts.PodFacts;
import io.numaledger.evaluation.facts.SchedulingAttempt;
import io.numaledger.scheduling.scheduler.SchedulerCheck.BridgeCalls;
import io.numaledger.scheduling.scheduler.SchedulerFinding.Kind;
import io.numaledger.scheduling.state.ClusterState;

import java.time.Duration;
import java.time.Instant;
import java.time.InstantSource;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;

/** Which schedulers call this replica of the bridge, and what is wrong with those that do not. Thread-safe. */
public final class SchedulerCalls {

    private static final Duration LEASES_COUNT_FOR = Duration.ofSeconds(30);

    private final Set<String> names;
    private final InstantSource clock;
    private final Instant since;
    private final Map<String, Instant> lastFilter = new ConcurrentHashMap<>();
    private volatile LeasesAt leases = new LeasesAt(SchedulerLeases.UNREAD, Instant.MIN);

    private record LeasesAt(SchedulerLeases leases, Instant readAt) {}

    /** @param names of the schedulers that should call the bridge */
    public SchedulerCalls(Set<String> names, InstantSource clock) {
        this.names = Set.copyOf(names);
        this.clock = clock;
        this.since = clock.instant();
    }

    public Set<String> names() {
        return names;
    }

    /** A scheduler has called {@code filter} for a pod. */
    public void filtered(PodFacts pod) {
        if (names.contains(pod.scheduler())) {
            lastFilter.put(pod.scheduler(), clock.instant());
        }
    }

    /** The Leases of schedulers were read. */
    public void read(SchedulerLeases now) {
        leases = new LeasesAt(now, clock.instant());
    }

    /** What was read long ago does not show whether a scheduler runs. */
    private SchedulerLeases leases() {
        LeasesAt last = leases;
        return last.readAt().isBefore(clock.instant().minus(LEASES_COUNT_FOR)) ? SchedulerLeases.UNREAD : last.leases();
    }

    /** When a scheduler has last called {@code filter}; absent: it has not. */
    public Optional<Instant> lastFilter(String scheduler) {
        return Optional.ofNullable(lastFilter.get(scheduler));
    }

    /** What is wrong, by scheduler. */
    public List<SchedulerFinding> findings(ClusterState cluster) {
        return check(cluster).findings(cluster.pods().all(), clock.instant());
    }

    /**
     * What is wrong with the scheduler of one pod.
     *
     * @param fits whether a node would take the pod
     */
    public Optional<SchedulerFinding> of(PodFacts pod, ClusterState cluster, boolean fits) {
        Instant now = clock.instant();
        return check(cluster)
                .of(pod, cluster.pods().all(), now)
                .or(() -> fits && isNotAsked(pod)
                        ? Optional.of(new SchedulerFinding(
                                Kind.NOT_ASKED,
                                pod.scheduler(),
                                List.of(pod),
                                Duration.between(pod.startedAt().orElse(now), now),
                                names))
                        : Optional.empty());
    }

    private SchedulerCheck check(ClusterState cluster) {
        return new SchedulerCheck(
                names,
                Optional.of(new BridgeCalls(
                        since,
                        Set.copyOf(lastFilter.keySet()),
                        node -> cluster.snapshot(node)
                                .filter(snapshot -> snapshot.model().kubelet().isPresent())
                                .isPresent())),
                leases());
    }

    /** Whether a pod's scheduler has tried it, and has called this replica for no pod since it was created. */
    private boolean isNotAsked(PodFacts pod) {
        return pod.node().isEmpty()
                && names.contains(pod.scheduler())
                && pod.attempt().result() == SchedulingAttempt.Result.REFUSED
                && pod.startedAt()
                        .filter(created -> lastFilter(pod.scheduler())
                                .filter(created::isBefore)
                                .isEmpty())
                        .isPresent();
    }
}
