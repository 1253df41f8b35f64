package io.numaledger.scheduling.gated;

import io.numaledger.evaluation.facts.PodGroupName;
import io.numaledger.evaluation.fit.SchedulingRequest;
import io.numaledger.scheduling.group.GroupListener;
import io.numaledger.scheduling.group.GroupListener.Group;
import io.numaledger.scheduling.group.GroupPreemption;
import io.numaledger.scheduling.group.PlanReservations;
import io.numaledger.scheduling.group.PodGroups;
import io.numaledger.scheduling.state.ClusterState;

import java.time.Duration;
import java.time.InstantSource;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;

/**
 * Groups whose pods have a scheduling gate: the bridge plans them, and schedulers try their pods only then. Runs on the replica that
 * binds. Not thread-safe.
 *
 * <p>A group is planned as soon as enough of its pods are there. If it fits, its nodes are reserved for it, and each pod is tied to its node
 * and loses its gate in one write. Nothing is stored beside that: what a process before this one has left half done is seen in the pods,
 * and goes on from there. Each check does what is missing; {@link GatedGroup} has the states. Where enough pods run, as many of the others
 * are planned as fit.
 */
public final class GatedGroups {

    private final ClusterState cluster;
    private final PodGroups groups;
    private final GroupListener listener;
    private final InstantSource clock;
    private final GatedGroupReader reader;
    private final GroupUpkeep upkeep;
    private final GroupAllocation allocation;
    private final PlanningRounds rounds = new PlanningRounds();
    private final Map<PodGroupName, GroupProgress> known = new HashMap<>();

    /**
     * The limits.
     *
     * @param schedulers the names of the schedulers whose pods are planned
     * @param comeUp how long a group may be incomplete after its first pod was released; then its pods are evicted
     * @param unscheduled how long a scheduler may refuse a released pod; then it is evicted and its node is barred
     * @param holdAfter how long a group waits before nodes are reserved for it although it does not fit yet
     */
    public record Settings(Set<String> schedulers, Duration comeUp, Duration unscheduled, Duration holdAfter) {

        /** @param schedulers the names of the schedulers whose pods are planned */
        public static Settings of(Set<String> schedulers) {
            return new Settings(schedulers, Duration.ofMinutes(2), Duration.ofSeconds(30), Duration.ofMinutes(1));
        }
    }

    /**
     * @param clock does not jump: it limits times
     * @param preemption absent: no pods are evicted for groups of higher priority
     */
    public GatedGroups(
            ClusterState cluster,
            PodGroups groups,
            PlanReservations reservations,
            GroupWriter writer,
            GroupListener listener,
            InstantSource clock,
            Settings settings,
            Optional<GroupPreemption> preemption) {
        this.cluster = cluster;
        this.groups = groups;
        this.listener = listener;
        this.clock = clock;
        this.reader = new GatedGroupReader(cluster, groups, listener, settings.schedulers());
        this.upkeep = new GroupUpkeep(cluster, groups, reservations, writer, listener, settings);
        this.allocation = new GroupAllocation(cluster, groups, reservations, writer, listener, settings, preemption);
    }

    /**
     * Does what is missing for every group, and plans as many of them as the work of a round allows: {@link PlanningRounds}. Call it about
     * once a second.
     */
    public void check() {
        List<GatedGroup> all = cluster.pods().gatedGroups().stream()
                .map(reader::read)
                .flatMap(Optional::stream)
                .toList();
        Set<PodGroupName> names = new HashSet<>();
        all.forEach(each -> names.add(each.name()));
        known.entrySet().removeIf(each -> {
            boolean gone = !names.contains(each.getKey());
            if (gone) {
                stop(each.getKey(), each.getValue());
                listener.gone(each.getKey());
            }
            return gone;
        });
        List<GatedGroup> plannable = new ArrayList<>();
        all.forEach(each -> alone(each, () -> {
            if (check(each)) {
                plannable.add(each);
            }
        }));
        rounds.plan(
                plannable,
                (each, budget) -> alone(each, () -> allocation.plan(each, known(each), clock.instant(), budget)));
    }

    /** Another replica leads from now on: nodes are not reserved here any more. */
    public void stop() {
        known.forEach(this::stop);
        known.clear();
    }

    private void stop(PodGroupName name, GroupProgress progress) {
        allocation.stopHolding(name, progress, clock.instant());
        progress.allReleased().forEach(each -> cluster.reserved().removePlanned(each.node(), each.pod()));
    }

    /** What is wrong with one group must not keep others from being planned. */
    private void alone(GatedGroup members, Runnable task) {
        try {
            task.run();
        } catch (IllegalArgumentException invalid) {
            listener.invalid(group(members), String.valueOf(invalid.getMessage()));
        } catch (RuntimeException | Error failure) {
            listener.failed(group(members), failure);
        }
    }

    /** The state of a group as the last check left it. */
    GatedGroup.State state(PodGroupName name) {
        return reader.read(name).map(members -> members.state(known(members))).orElse(GatedGroup.State.TOO_FEW);
    }

    private Group group(GatedGroup members) {
        return new Group(members.name(), groups.get(members.name()), members.first());
    }

    private GroupProgress known(GatedGroup members) {
        return known.computeIfAbsent(members.name(), any -> new GroupProgress());
    }

    /** Returns whether the group is to be planned. */
    private boolean check(GatedGroup members) {
        GroupProgress progress = known(members);
        members.released()
                .forEach(SchedulingRequest::of); // a pod with invalid annotations must not be planned: it fits no node
        if (upkeep.check(members, progress, clock.instant())) {
            return false;
        }
        allocation.expire(members.name(), progress, clock.instant());
        if (!members.isPlannable()) {
            allocation.stopHolding(members.name(), progress, clock.instant());
            progress.notPlannable();
        }
        return members.isPlannable();
    }
}
