package io.numaledger.scheduling.gated;

import io.numaledger.evaluation.facts.PodGroupName;
import io.numaledger.scheduling.gated.GatedGroup.Choice;
import io.numaledger.scheduling.group.GroupNode;
import io.numaledger.scheduling.group.GroupPlan;
import io.numaledger.scheduling.group.PlanReservations;
import io.numaledger.scheduling.group.PlannedPlace;
import io.numaledger.scheduling.group.PlanningResult;
import io.numaledger.scheduling.state.ClusterState;
import io.numaledger.scheduling.state.NodeUse;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

import java.time.Duration;
import java.time.Instant;
import java.util.HashSet;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.function.BooleanSupplier;
import java.util.function.Function;

/**
 * Reserves places for a group that has waited for long, so that smaller pods and groups cannot pass it for ever: for no more pods than have to
 * run, and only if the group could run. The reserved places are those where it is expected to fit first, also behind pods that still run there:
 * whoever would take what these leave is refused. Not thread-safe.
 */
final class GroupReservations {

    /** If no awaited pod ends for so long, the group waits for others. */
    static final Duration NO_PROGRESS = Duration.ofMinutes(1);

    private static final Logger log = LoggerFactory.getLogger(GroupReservations.class);

    private final ClusterState cluster;
    private final PlanReservations plans;
    private final GatedGroupPlanner planner;
    private final ReservationLimits limits = new ReservationLimits();

    GroupReservations(ClusterState cluster, PlanReservations plans, GatedGroupPlanner planner) {
        this.cluster = cluster;
        this.plans = plans;
        this.planner = planner;
    }

    /** Ends reservations of a group that have lasted long enough. */
    void expire(PodGroupName name, GroupProgress progress, Instant now) {
        if (progress.reserved()
                .filter(reserved -> !reserved.until().isAfter(now))
                .isPresent()) {
            end(name, progress, now);
        }
    }

    /** Leaves the places that are reserved for a group to others. */
    void end(PodGroupName name, GroupProgress progress, Instant now) {
        release(progress);
        progress.awaitAny();
        limits.ended(name, now);
    }

    /** Leaves the reserved places to others for a moment, because the group is planned anew. */
    void release(GroupProgress progress) {
        progress.reserved()
                .ifPresent(reserved ->
                        plans.release(reserved.number(), reserved.place().plan()));
        progress.endReservation();
    }

    /** The group runs. */
    void succeeded(PodGroupName name, GroupProgress progress) {
        progress.awaitAny();
        limits.succeeded(name);
    }

    /** @param known the nodes that may be used for the group */
    void reserve(GatedGroup members, GroupProgress progress, List<NodeUse> known, Instant now) {
        if (!limits.isAllowed(members.name(), now)) {
            return;
        }
        if (!fitsEmptyCluster(members, progress, known, now)) {
            end(members.name(), progress, now);
            return;
        }
        if (isGoodEnough(members, progress, known, now)) {
            return;
        }
        Optional<PlannedPlace> before = progress.reserved().map(GroupProgress.Reserved::place);
        if (place(members, progress, known, now).equals(before)) {
            return;
        }
        release(progress);
        List<NodeUse> uses = before.isPresent() ? usable(progress) : known;
        place(members, progress, uses, now).ifPresent(place -> {
            long number = plans.next();
            if (plans.reserve(number, place.plan(), uses, place.awaited())) {
                Instant until = limits.begin(members.name(), now);
                progress.reserve(new GroupProgress.Reserved(number, place, until, place.left(uses), now));
                log.info(
                        "event=group.places_kept group={} nodes={} awaited_pods={}",
                        members.name(),
                        place.plan().byNode().keySet(),
                        place.awaited().size());
            }
        });
    }

    private List<NodeUse> usable(GroupProgress progress) {
        return GatedGroupPlanner.usable(progress, cluster.uses(planner.budget()));
    }

    /** What is reserved is for all of them, still possible, and comes nearer. */
    private boolean isGoodEnough(GatedGroup members, GroupProgress progress, List<NodeUse> uses, Instant now) {
        Optional<GroupProgress.Reserved> reserved = progress.reserved()
                .filter(each -> each.place().plan().size() == members.fewest().size())
                .filter(each -> isOf(members, each.place().plan()))
                .filter(each -> each.place().isPossible(basis(members, progress, uses, now)));
        if (reserved.isEmpty()) {
            return false;
        }
        int left = reserved.get().place().left(uses);
        if (left < reserved.get().left()) {
            progress.left(left, now);
        } else if (left > 0 && GroupProgress.isOver(reserved.get().progressAt(), NO_PROGRESS, now)) {
            return !hasOther(members, progress, uses, now);
        }
        return true;
    }

    private static boolean isOf(GatedGroup members, GroupPlan plan) {
        Set<String> waiting = new HashSet<>(members.gatedUids());
        return plan.byNode().values().stream()
                .flatMap(List::stream)
                .allMatch(pod -> pod.uid().filter(waiting::contains).isPresent());
    }

    /** Whether the group fits also without those that it has awaited in vain; if not, all are awaited again. */
    private boolean hasOther(GatedGroup members, GroupProgress progress, List<NodeUse> uses, Instant now) {
        progress.awaitOthers();
        if (soonest(members, progress, uses, now).isPresent()) {
            return true;
        }
        progress.awaitAny();
        progress.reserved().ifPresent(reserved -> progress.left(reserved.left(), now));
        return false;
    }

    /** The place where all pods fit when others have ended; else where as many as possible fit now. */
    private Optional<PlannedPlace> place(GatedGroup members, GroupProgress progress, List<NodeUse> uses, Instant now) {
        List<Choice> any = List.of(new Choice(members.fewest(), 1));
        return soonest(members, progress, uses, now)
                .or(() -> planner.plan(members, uses, now(members, uses), any)
                        .plan()
                        .map(plan -> new PlannedPlace(plan, Set.of())));
    }

    private Optional<PlannedPlace> soonest(
            GatedGroup members, GroupProgress progress, List<NodeUse> uses, Instant now) {
        List<Choice> fewest =
                List.of(new Choice(members.fewest(), members.fewest().size()));
        Function<List<GroupNode>, PlanningResult> plan = nodes -> planner.plan(members, uses, nodes, fewest);
        return PlannedPlace.find(basis(members, progress, uses, now), plan);
    }

    private static PlannedPlace.Basis basis(
            GatedGroup members, GroupProgress progress, List<NodeUse> uses, Instant now) {
        return new PlannedPlace.Basis(uses, GatedGroupPlanner.isInTheWayOf(members), progress.staying(), now);
    }

    private static List<GroupNode> now(GatedGroup members, List<NodeUse> uses) {
        return uses.stream()
                .map(use -> GroupNode.now(use, GatedGroupPlanner.isInTheWayOf(members)))
                .toList();
    }

    /** A group that is too large for the cluster waits for ever, whatever is reserved for it. */
    private boolean fitsEmptyCluster(GatedGroup members, GroupProgress progress, List<NodeUse> uses, Instant now) {
        BooleanSupplier fits = () -> {
            List<GroupNode> nodes = uses.stream().map(GroupNode::empty).toList();
            return planner.plan(members, uses, nodes, members.choices()).plan().isPresent();
        };
        return progress.fitsEmpty(fits, GroupAllocation.RETRY, now);
    }
}
