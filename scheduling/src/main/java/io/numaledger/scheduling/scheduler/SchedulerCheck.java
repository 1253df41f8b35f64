package io.numaledger.scheduling.scheduler;

import io.numaledger.evaluation.facts.PodFacts;
import io.numaledger.evaluation.facts.PodGroupName;
import io.numaledger.evaluation.facts.UnmodelledConstraint;
import io.numaledger.evaluation.fit.RefusalReason;
import io.numaledger.scheduling.scheduler.SchedulerFinding.Kind;

import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Collection;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.SortedMap;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.function.Predicate;
import java.util.stream.Collectors;
import java.util.stream.Stream;

/**
 * Finds pods that no scheduler tries, and schedulers that do not call the bridge. What it needs is in the pods: kube-scheduler writes
 * the condition PodScheduled when it finds no node, and the bridge a predicted placement when it binds. The condition stays when the
 * scheduler ends; that shows in its Lease.
 *
 * @param names of the schedulers that should call the bridge: {@code --scheduler-names}
 * @param bridge what is known of the bridge; absent: there is none, and no scheduler has to call it
 */
public record SchedulerCheck(Set<String> names, Optional<BridgeCalls> bridge, SchedulerLeases leases) {

    /** A scheduler tries a pod within a second, unless it has many others to try. */
    static final Duration TRIED_WITHIN = Duration.ofSeconds(30);

    /** The schedulers that call the bridge if nothing is configured. */
    public static final Set<String> DEFAULT_NAMES = Set.of(PodFacts.DEFAULT_SCHEDULER, "numaledger");

    /**
     * What is known of the bridge.
     *
     * @param since when it started; what was bound earlier proves nothing
     * @param callers the schedulers that are known to have called it
     * @param hasZones whether it knows the zones of a node
     */
    public record BridgeCalls(Instant since, Set<String> callers, Predicate<String> hasZones) {}

    public SchedulerCheck {
        names = Set.copyOf(names);
    }

    /**
     * What is wrong, by scheduler.
     *
     * @param pods all pods of the cluster
     */
    public List<SchedulerFinding> findings(Collection<PodFacts> pods, Instant now) {
        List<SchedulerFinding> findings = new ArrayList<>();
        Map<String, Instant> active = lastActive(pods);
        Set<String> known = known(active, now);
        byScheduler(pods.stream().filter(SchedulerCheck::awaitsScheduler)).forEach((scheduler, waiting) -> {
            Optional<Instant> last = Optional.ofNullable(active.get(scheduler));
            leases.ended(scheduler, last, now)
                    .map(ended -> notRunning(scheduler, waiting, Duration.between(ended, now), known))
                    .or(() -> untried(scheduler, waiting, last, known, now))
                    .ifPresent(findings::add);
        });
        bridge.filter(calls -> isNeverCalled(calls, pods))
                .ifPresent(calls -> byScheduler(pods.stream().filter(pod -> isBoundWithout(calls, pod)))
                        .forEach((scheduler, bound) -> findings.add(new SchedulerFinding(
                                Kind.BOUND_WITHOUT_BRIDGE, scheduler, bound, age(bound.get(0), now), known))));
        return findings;
    }

    /** What is wrong with the scheduler of one pod, as far as it concerns this pod. */
    public Optional<SchedulerFinding> of(PodFacts pod, Collection<PodFacts> pods, Instant now) {
        return findings(pods, now).stream()
                .filter(finding -> finding.concerns(pod))
                .findFirst()
                .map(found -> new SchedulerFinding(
                        found.kind(),
                        found.scheduler(),
                        List.of(pod),
                        found.kind() == Kind.NOT_RUNNING ? found.lasting() : age(pod, now),
                        found.known()));
    }

    /** Which of the schedulers that should call the bridge run, as far as that is known. */
    private Set<String> known(Map<String, Instant> active, Instant now) {
        Set<String> known = new TreeSet<>();
        for (String name : names) {
            Optional<Instant> last = Optional.ofNullable(active.get(name));
            boolean isSeen = leases.isRenewed(name, now) || last.isPresent() || name.equals(PodFacts.DEFAULT_SCHEDULER);
            if ((isSeen || !leases.areRead()) && leases.ended(name, last, now).isEmpty()) {
                known.add(name);
            }
        }
        return known;
    }

    private static SortedMap<String, List<PodFacts>> byScheduler(Stream<PodFacts> pods) {
        return pods.sorted(PodFacts.BY_AGE)
                .collect(Collectors.groupingBy(PodFacts::scheduler, TreeMap::new, Collectors.toList()));
    }

    private static boolean awaitsScheduler(PodFacts pod) {
        return pod.node().isEmpty()
                && pod.uid().isPresent()
                && !pod.ended()
                && !pod.terminating()
                && pod.group().gates().isEmpty();
    }

    private static SchedulerFinding notRunning(
            String scheduler, List<PodFacts> waiting, Duration lasting, Set<String> known) {
        return new SchedulerFinding(Kind.NOT_RUNNING, scheduler, waiting, lasting, known);
    }

    /**
     * Finds the pods of one scheduler that it should have tried by now.
     *
     * @param active when it has last done something
     */
    private Optional<SchedulerFinding> untried(
            String scheduler, List<PodFacts> waiting, Optional<Instant> active, Set<String> known, Instant now) {
        boolean isNamed = names.contains(scheduler);
        boolean isOther = !isNamed && active.isPresent(); // it may keep pods in queues of its own
        if (isOther || active.filter(now.minus(TRIED_WITHIN)::isBefore).isPresent()) {
            return Optional.empty();
        }
        List<PodFacts> late = waiting.stream()
                .filter(pod -> !pod.unschedulable())
                .filter(pod -> !isNamed || !isInPreEnqueue(pod))
                .filter(pod -> age(pod, now).compareTo(TRIED_WITHIN) >= 0)
                .toList();
        Kind kind = isNamed && known.contains(scheduler) ? Kind.NOT_TRIED : Kind.UNKNOWN_SCHEDULER;
        return late.isEmpty()
                ? Optional.empty()
                : Optional.of(new SchedulerFinding(kind, scheduler, late, age(late.get(0), now), known));
    }

    /** kube-scheduler tries no pod before its group is complete and its claims exist (PreEnqueue of GangScheduling, DynamicResources). */
    private static boolean isInPreEnqueue(PodFacts pod) {
        return pod.group()
                        .group()
                        .filter(group -> group.kind() == PodGroupName.Kind.NATIVE)
                        .isPresent()
                || pod.constraints().unmodelled().contains(UnmodelledConstraint.RESOURCE_CLAIMS);
    }

    /** When each scheduler has last done something, as pods show. It may need long for thousands of pods. */
    private static Map<String, Instant> lastActive(Collection<PodFacts> pods) {
        Map<String, Instant> active = new HashMap<>();
        for (PodFacts pod : pods) {
            Optional<Instant> done =
                    pod.node().isPresent() ? pod.startedAt() : pod.attempt().since();
            if ((pod.node().isPresent() && !pod.isStatic()) || pod.unschedulable()) {
                active.merge(
                        pod.scheduler(), done.orElse(Instant.MIN), (one, other) -> one.isAfter(other) ? one : other);
            }
        }
        return active;
    }

    private static Duration age(PodFacts pod, Instant now) {
        return pod.startedAt().map(created -> Duration.between(created, now)).orElse(Duration.ZERO);
    }

    /** One scheduler that calls is enough: the others of {@link #names} may be none of this cluster, or not meant to call. */
    private boolean isNeverCalled(BridgeCalls calls, Collection<PodFacts> pods) {
        return calls.callers().isEmpty()
                && pods.stream()
                        .noneMatch(pod -> isBoundSince(calls, pod)
                                && pod.records().predicted().isPresent());
    }

    private boolean isBoundSince(BridgeCalls calls, PodFacts pod) {
        return pod.node().isPresent()
                && names.contains(pod.scheduler())
                && pod.startedAt().filter(calls.since()::isBefore).isPresent();
    }

    /** The bridge would have predicted the placement of a pod that holds something of a zone, or whose kubelet refuses it. */
    private boolean isBoundWithout(BridgeCalls calls, PodFacts pod) {
        return isBoundSince(calls, pod)
                && !pod.isStatic()
                && pod.records().predicted().isEmpty()
                && (pod.observed()
                        || pod.reason().filter(RefusalReason::isForZones).isPresent())
                && calls.hasZones().test(pod.node().orElseThrow());
    }
}
