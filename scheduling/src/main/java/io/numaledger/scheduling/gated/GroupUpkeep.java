package io.numaledger.scheduling.gated;

import io.numaledger.evaluation.budget.EvaluationBudget;
import io.numaledger.evaluation.facts.PodFacts;
import io.numaledger.evaluation.facts.PodGroupName;
import io.numaledger.evaluation.fit.RefusalReason;
import io.numaledger.scheduling.group.GroupListener;
import io.numaledger.scheduling.group.GroupListener.Group;
import io.numaledger.scheduling.group.GroupNode;
import io.numaledger.scheduling.group.GroupPlanner;
import io.numaledger.scheduling.group.PlanReservations;
import io.numaledger.scheduling.group.PlannedNode;
import io.numaledger.scheduling.group.PodGroups;
import io.numaledger.scheduling.state.ClusterState;
import io.numaledger.scheduling.state.NodeUse;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

import java.io.IOException;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;

/** What becomes of the pods of a gated group after they were released. */
record GroupUpkeep(
        ClusterState cluster,
        PodGroups groups,
        PlanReservations reservations,
        GroupWriter writer,
        GroupListener listener,
        GatedGroups.Settings settings) {

    private static final Logger log = LoggerFactory.getLogger(GroupUpkeep.class);

    /** How long a node is not used for a group again after one of its pods was refused there or could not be scheduled. */
    static final Duration BARRED = Duration.ofMinutes(5);

    /** Returns whether the group is given up: it is not to be planned now. */
    boolean check(GatedGroup members, GroupProgress progress, Instant now) {
        progress.unbar(now);
        barRefused(members, progress, now);
        reserveReleased(members, progress, now);
        evictUnscheduled(members, progress, now);
        if (!members.isIncomplete()) {
            progress.notIncomplete();
            return false;
        }
        boolean over = progress.incomplete(settings.comeUp(), now);
        if (over) {
            giveUp(members, progress);
        }
        return over;
    }

    /** A kubelet that has refused one of them is not asked again at once. */
    private void barRefused(GatedGroup members, GroupProgress progress, Instant now) {
        cluster.pods().endedOfGroup(members.name()).stream()
                .filter(pod -> pod.node().isPresent()
                        && pod.reason().filter(RefusalReason::isByKubelet).isPresent())
                .filter(progress::refusedByKubelet)
                .forEach(pod -> {
                    String node = pod.node().get();
                    progress.bar(node, now.plus(BARRED));
                    log.info(
                            "event=group.node_barred group={} pod={} node={} reason={}",
                            members.name(),
                            pod.key(),
                            node,
                            pod.reason().get());
                });
    }

    /**
     * Reserves places for released pods, also after a change of the leader: nothing but the pods says where they are to run. Not for ever, and
     * only where a pod may run and fits: everybody who can write a pod can write where it is to run.
     */
    private void reserveReleased(GatedGroup members, GroupProgress progress, Instant now) {
        endReleased(members, progress);
        Map<String, List<PodFacts>> missing = new HashMap<>();
        for (PodFacts pod : members.released()) {
            GroupProgress.Released released = progress.seenReleased(pod, now);
            String node = released.node();
            boolean isReserved = cluster.reserved().planned(node).stream()
                    .anyMatch(each -> each.pod().isSameAs(pod));
            if (GroupProgress.isOver(released.since(), settings.comeUp(), now) || !admits(node, pod)) {
                cluster.reserved().removePlanned(node, pod);
            } else if (!isReserved) {
                missing.computeIfAbsent(node, any -> new ArrayList<>()).add(pod);
            }
        }
        EvaluationBudget budget = new EvaluationBudget(GroupPlanner.GROUP_WORK);
        missing.forEach((node, pods) -> cluster.use(node, budget)
                .ifPresent(use -> cluster.reserved().plan(use, reservations.next(), fitting(use, pods))));
        reportIgnored(members, progress);
    }

    private void endReleased(GatedGroup members, GroupProgress progress) {
        List<PodFacts> left = new ArrayList<>(members.gated()); // the watch may show a gate for a moment
        left.addAll(members.released());
        progress.endReleased(left).forEach(each -> cluster.reserved().removePlanned(each.node(), each.pod()));
    }

    /** Whether the node's labels, taints and cordon admit the pod. */
    private boolean admits(String node, PodFacts pod) {
        return cluster.use(node)
                .filter(use -> pod.constraints()
                        .conflicts(node, use.node().constraints())
                        .isEmpty())
                .isPresent();
    }

    /** The pods for which the node has room now, beside others for which it is reserved already. */
    private static List<PodFacts> fitting(NodeUse use, List<PodFacts> pods) {
        return GroupNode.now(
                        use,
                        reservation -> pods.stream().noneMatch(reservation.pod()::isSameAs)
                                && pods.stream().anyMatch(reservation::goesBefore))
                .start()
                .fitting(pods);
    }

    private static void reportIgnored(GatedGroup members, GroupProgress progress) {
        progress.ignored(members.ignored())
                .forEach(
                        pod -> log.info("event=group.planned_node_ignored group={} pod={}", members.name(), pod.key()));
    }

    private void evictUnscheduled(GatedGroup members, GroupProgress progress, Instant now) {
        List<PodFacts> refused =
                members.released().stream().filter(PodFacts::unschedulable).toList();
        progress.refusedByScheduler(refused, now);
        for (PodFacts pod : refused) {
            // Zones may be taken for a moment: by pods in flight, or by those that end.
            Duration limit = pod.refusedForZones() ? settings.comeUp() : settings.unscheduled();
            if (progress.isRefusedFor(pod, limit, now)) {
                String node = PlannedNode.of(pod).orElseThrow();
                progress.bar(node, now.plus(BARRED));
                evict(members.name(), pod, "its scheduler does not bind it to node " + node);
            }
        }
    }

    private void giveUp(GatedGroup members, GroupProgress progress) {
        listener.gaveUp(
                new Group(members.name(), groups.get(members.name()), members.first()),
                members.placed(),
                members.least());
        members.bound().forEach(pod -> evict(members.name(), pod, "its group did not come up in time"));
        members.released().forEach(pod -> evict(members.name(), pod, "its group did not come up in time"));
        progress.notIncomplete();
    }

    private void evict(PodGroupName group, PodFacts pod, String why) {
        try {
            writer.evict(pod);
            log.warn("event=group.pod_evicted group={} pod={} reason=\"{}\"", group, pod.key(), why);
        } catch (IOException e) {
            log.warn("event=group.write_failed group={} pod={} error=\"{}\"", group, pod.key(), e.getMessage());
        }
    }
}
