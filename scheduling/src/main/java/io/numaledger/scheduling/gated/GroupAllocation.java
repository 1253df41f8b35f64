package io.numaledger.scheduling.gated;

import io.numaledger.evaluation.budget.EvaluationBudget;
import io.numaledger.evaluation.facts.PodGroupName;
import io.numaledger.scheduling.group.EvictionSearch.Proposal;
import io.numaledger.scheduling.group.GroupListener;
import io.numaledger.scheduling.group.GroupListener.Group;
import io.numaledger.scheduling.group.GroupListener.Outcome;
import io.numaledger.scheduling.group.GroupPlan;
import io.numaledger.scheduling.group.GroupPreemption;
import io.numaledger.scheduling.group.PlanReservations;
import io.numaledger.scheduling.group.PlannedPlace;
import io.numaledger.scheduling.group.PlanningResult;
import io.numaledger.scheduling.group.PodGroups;
import io.numaledger.scheduling.state.ClusterState;
import io.numaledger.scheduling.state.NodeUse;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

import java.io.IOException;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Optional;

/**
 * Carries out the plans of gated groups: reserves nodes for those that fit and releases their pods, evicts pods of lower priority for those
 * that do not, and reserves what is free for those that have waited for long. Not thread-safe.
 */
final class GroupAllocation {

    private static final Logger log = LoggerFactory.getLogger(GroupAllocation.class);

    /** A group that did not fit is planned again when the cluster changes, and after this time: budgets and limits in time change, too. */
    static final Duration RETRY = Duration.ofSeconds(30);

    /** How long victims may take to end before others are chosen. */
    static final Duration EVICTION_TIMEOUT = Duration.ofMinutes(2);

    private final ClusterState cluster;
    private final PodGroups groups;
    private final PlanReservations reservations;
    private final GroupWriter writer;
    private final GroupListener listener;
    private final GatedGroups.Settings settings;
    private final GatedGroupPlanner planner;
    private final GroupReservations waiting;

    /** @param preemption absent: no pods are evicted for groups of higher priority */
    GroupAllocation(
            ClusterState cluster,
            PodGroups groups,
            PlanReservations reservations,
            GroupWriter writer,
            GroupListener listener,
            GatedGroups.Settings settings,
            Optional<GroupPreemption> preemption) {
        this.cluster = cluster;
        this.groups = groups;
        this.reservations = reservations;
        this.writer = writer;
        this.listener = listener;
        this.settings = settings;
        this.planner = new GatedGroupPlanner(cluster.claims(), groups, preemption);
        this.waiting = new GroupReservations(cluster, reservations, planner);
    }

    /** Ends reservations of a group that have lasted long enough. Call it with each check, also where the group is not planned. */
    void expire(PodGroupName name, GroupProgress progress, Instant now) {
        waiting.expire(name, progress, now);
    }

    /**
     * Plans what waits, unless nothing has changed since it did not fit.
     *
     * @param budget of all searches for the group
     */
    void plan(GatedGroup members, GroupProgress progress, Instant now, EvaluationBudget budget) {
        planner.begin(budget);
        GroupProgress.Attempt attempt = new GroupProgress.Attempt(
                cluster.versions().last(),
                groups.topologies().version(),
                isHoldDue(progress, now),
                members.gatedUids(),
                members.needed());
        if (progress.hasFailed(attempt, RETRY, now)) {
            return;
        }
        try {
            plan(members, progress, now, attempt);
        } catch (IllegalArgumentException e) {
            listener.planned(
                    new Group(members.name(), groups.get(members.name()), members.first()),
                    Outcome.REFUSED,
                    members.needed(),
                    new PlanningResult(Optional.empty(), 0, false, List.of(String.valueOf(e.getMessage()))));
            progress.failed(attempt, now);
        }
    }

    /** @throws IllegalArgumentException as a sentence, for pods with invalid annotations */
    private void plan(GatedGroup members, GroupProgress progress, Instant now, GroupProgress.Attempt attempt) {
        List<NodeUse> uses = cluster.uses(planner.budget());
        PlanningResult result = planner.now(members, progress, uses);
        if (result.plan().isPresent() && progress.reserved().isPresent()) {
            waiting.release(progress);
            uses = cluster.uses(planner.budget());
            result = planner.now(members, progress, uses);
        }
        Group group = new Group(members.name(), groups.get(members.name()), members.first());
        if (result.plan().isPresent()) {
            if (reservations.reserve(reservations.next(), result.plan().get(), uses)) {
                progress.planned();
                waiting.succeeded(members.name(), progress);
                listener.planned(group, Outcome.PLANNED, members.needed(), result);
                release(members.name(), progress, result.plan().get(), now);
            }
            return;
        }
        Optional<String> unproven =
                planner.mayPreempt(members) ? GroupPreemption.obstacle(members.gated()) : Optional.empty();
        listener.planned(group, Outcome.REFUSED, members.needed(), result.with(unproven));
        boolean fitsSoon = planner.fitsSoon(members, progress, uses);
        if (progress.awaitsVictims(fitsSoon, EVICTION_TIMEOUT, now)
                || (!fitsSoon && preempts(members, progress, uses, now))) {
            progress.failed(attempt.after(cluster.versions().last()), now);
            return;
        }
        progress.waits(now);
        if (attempt.reservationDue()) {
            waiting.reserve(members, progress, GatedGroupPlanner.usable(progress, uses), now);
        }
        progress.failed(attempt.after(cluster.versions().last()), now);
    }

    /** Reserves the nodes of the plan that is possible without the victims, and evicts them. Returns whether it does. */
    private boolean preempts(GatedGroup members, GroupProgress progress, List<NodeUse> known, Instant now) {
        List<NodeUse> uses = known;
        Optional<Proposal> proposal = planner.proposal(members, progress, withoutHeld(progress, uses));
        if (proposal.isPresent() && progress.reserved().isPresent()) {
            waiting.release(progress);
            uses = cluster.uses(planner.budget());
            proposal = planner.proposal(members, progress, uses);
        }
        if (proposal.isEmpty()) {
            return false;
        }
        long number = reservations.next();
        PlannedPlace place = proposal.get().place();
        if (!reservations.reserve(number, place.plan(), uses, place.awaited())) {
            return false;
        }
        progress.preempting(
                new GroupProgress.Reserved(
                        number,
                        place,
                        now.plus(PlanReservations.TERMINATION_TIMEOUT),
                        place.awaited().size(),
                        now),
                now);
        listener.preempting(
                new Group(members.name(), groups.get(members.name()), members.first()),
                proposal.get().victims().pods());
        proposal.get().victims().pods().forEach(victim -> {
            try {
                writer.preempt(victim);
            } catch (IOException e) {
                log.warn(
                        "event=group.write_failed group={} pod={} error=\"{}\"",
                        members.name(),
                        victim.key(),
                        e.getMessage());
            }
        });
        return true;
    }

    /** The nodes without what is reserved there for the group itself. */
    private static List<NodeUse> withoutHeld(GroupProgress progress, List<NodeUse> uses) {
        return uses.stream()
                .map(use -> progress.reserved()
                        .map(reserved -> use.withoutReserved(each -> each.plan() == reserved.number()))
                        .orElse(use))
                .toList();
    }

    private boolean isHoldDue(GroupProgress progress, Instant now) {
        return progress.hasWaited(settings.holdAfter(), now);
    }

    /** Leaves the nodes that are reserved for a group to others. */
    void stopHolding(PodGroupName name, GroupProgress progress, Instant now) {
        waiting.end(name, progress, now);
    }

    /** A pod that cannot be written is planned again with the next check. */
    private void release(PodGroupName name, GroupProgress progress, GroupPlan plan, Instant now) {
        plan.byNode()
                .forEach((node, pods) -> pods.forEach(pod -> {
                    try {
                        writer.release(pod, node, plan.place(pod));
                        progress.released(pod, node, now);
                    } catch (IOException e) {
                        cluster.reserved().removePlanned(node, pod);
                        log.warn(
                                "event=group.write_failed group={} pod={} error=\"{}\"",
                                name,
                                pod.key(),
                                e.getMessage());
                    }
                }));
    }
}
