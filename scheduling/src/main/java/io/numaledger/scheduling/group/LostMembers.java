package io.numaledger.scheduling.group;

import io.numaledger.evaluation.facts.PodFacts;
import io.numaledger.evaluation.facts.PodGroup;
import io.numaledger.evaluation.facts.PodGroupName;
import io.numaledger.evaluation.facts.PodGroupName.Kind;
import io.numaledger.evaluation.facts.PodPhase;
import io.numaledger.evaluation.fit.RefusalReason;
import io.numaledger.scheduling.state.ClusterState;

import java.time.Duration;
import java.time.Instant;
import java.time.InstantSource;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalInt;
import java.util.Set;

/**
 * Reserves the place of a pod that a running group has lost and needs, until another one is bound in its stead: its controller makes one a
 * moment later, and the group may have no other place, such as in a full rack. As with each plan of a group, pods of higher priority may take
 * the place. The reservation lasts as long as the pod terminates, and {@link #LIMIT} longer. Thread-safe.
 */
public final class LostMembers {

    /** A controller makes a pod within some seconds, and kube-scheduler retries within 10. */
    static final Duration LIMIT = Duration.ofSeconds(30);

    /** The events of a node may come while its place is planned. */
    private static final int MAX_ATTEMPTS = 3;

    private final ClusterState cluster;
    private final PodGroups groups;
    private final PlanReservations reservations;
    private final boolean plansGated;
    private final InstantSource clock;

    /** UID of a lost pod → its place. */
    private final Map<String, Place> places = new HashMap<>();

    /** @param until from then on, nothing is reserved; with the end of the pod, at the latest, it is set anew */
    private record Place(PodGroupName group, String node, long number, boolean gone, Instant until) {}

    /**
     * @param plansGated whether this bridge plans gated groups
     * @param clock does not jump
     */
    public LostMembers(
            ClusterState cluster,
            PodGroups groups,
            PlanReservations reservations,
            boolean plansGated,
            InstantSource clock) {
        this.cluster = cluster;
        this.groups = groups;
        this.reservations = reservations;
        this.plansGated = plansGated;
        this.clock = clock;
    }

    /** A pod has changed. */
    public void changed(PodFacts pod) {
        if (pod.phase() == PodPhase.FAILED) {
            lost(pod, true);
        } else if (pod.terminating() && pod.phase() != PodPhase.SUCCEEDED) {
            lost(pod, false);
        }
    }

    /** A pod is deleted. */
    public void deleted(PodFacts pod) {
        if (pod.phase() != PodPhase.SUCCEEDED) {
            lost(pod, true);
        }
    }

    private synchronized void lost(PodFacts pod, boolean gone) {
        Optional<PodGroupName> group = pod.group().group().filter(name -> isPlanned(name, pod));
        if (pod.node().isEmpty()
                || pod.uid().isEmpty()
                || group.isEmpty()
                || pod.reason().filter(RefusalReason::isByKubelet).isPresent()) {
            return;
        }
        Instant until = clock.instant().plus(gone ? LIMIT : PlanReservations.TERMINATION_TIMEOUT);
        Place known = places.get(pod.uid().get());
        if (known != null) {
            if (gone && !known.gone()) {
                places.put(pod.uid().get(), new Place(known.group(), known.node(), known.number(), true, until));
            }
            return;
        }
        if (isMissing(group.get(), pod)) {
            reserve(pod, group.get(), gone, until);
        }
    }

    private void reserve(PodFacts pod, PodGroupName group, boolean gone, Instant until) {
        String node = pod.node().orElseThrow();
        long number = reservations.next();
        for (int attempt = 0; attempt < MAX_ATTEMPTS; attempt++) {
            boolean done = cluster.use(node)
                    .filter(use -> cluster.reserved()
                            .plan(
                                    use,
                                    number,
                                    List.of(pod.replacement()),
                                    Set.of(pod.uid().orElseThrow())))
                    .isPresent();
            if (done) {
                places.put(pod.uid().orElseThrow(), new Place(group, node, number, gone, until));
                return;
            }
        }
    }

    /** Whether kube-scheduler or this bridge plans the pod's group. */
    private boolean isPlanned(PodGroupName name, PodFacts pod) {
        return name.kind() == Kind.NATIVE
                ? groups.isWatched(Kind.NATIVE)
                : plansGated && pod.annotation(PodFacts.PLANNED_NODE).isPresent();
    }

    /** Some of the group's pods run, and it needs more. */
    private boolean isMissing(PodGroupName name, PodFacts pod) {
        OptionalInt least = groups.get(name)
                .map(PodGroup::minMember)
                .filter(OptionalInt::isPresent)
                .orElseGet(() -> pod.group().minMember());
        return isMissing(name, least.orElse(0));
    }

    private boolean isMissing(PodGroupName name, int least) {
        List<PodFacts> members = cluster.pods().ofGroup(name);
        long running = members.stream().filter(each -> each.node().isPresent()).count();
        long placed = members.stream()
                .filter(each -> each.node().isPresent() || PlannedNode.of(each).isPresent())
                .count();
        return running > 0 && placed < least;
    }

    /** Ends what is not needed any more. Call it about once a second. */
    public synchronized void check() {
        Instant now = clock.instant();
        places.values().removeIf(place -> {
            boolean over = !place.until().isAfter(now)
                    || cluster.pods().ofGroup(place.group()).stream()
                            .findFirst()
                            .filter(member -> isMissing(place.group(), member))
                            .isEmpty();
            if (over) {
                cluster.reserved().removePlan(place.node(), place.number());
            }
            return over;
        });
    }
}
