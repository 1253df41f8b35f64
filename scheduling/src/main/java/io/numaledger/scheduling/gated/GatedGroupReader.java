package io.numaledger.scheduling.gated;

import io.numaledger.evaluation.facts.PodFacts;
import io.numaledger.evaluation.facts.PodGroup;
import io.numaledger.evaluation.facts.PodGroupName;
import io.numaledger.evaluation.facts.PodPhase;
import io.numaledger.scheduling.group.GroupListener;
import io.numaledger.scheduling.group.GroupListener.Group;
import io.numaledger.scheduling.group.PlannedNode;
import io.numaledger.scheduling.group.PodGroups;
import io.numaledger.scheduling.state.ClusterState;

import java.util.ArrayList;
import java.util.Comparator;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalInt;
import java.util.Set;

/**
 * Reads which pods a group with the gate of groups has.
 *
 * @param schedulers the names of the schedulers whose pods are planned
 */
record GatedGroupReader(ClusterState cluster, PodGroups groups, GroupListener listener, Set<String> schedulers) {

    /** Puts waiting pods first, gated ones before others: the pods that were made last say how many of the group have to run. */
    private static final Comparator<PodFacts> WAITING_FIRST = Comparator.comparing(
                    (PodFacts pod) -> pod.node().isPresent())
            .thenComparing(pod -> !pod.group().awaitsPlan());

    /** Reads a group; absent if it was never gated, belongs to other schedulers, or does not say how many of its pods have to run. */
    Optional<GatedGroup> read(PodGroupName name) {
        List<PodFacts> own = cluster.pods().ofGroup(name).stream()
                .filter(pod -> schedulers.contains(pod.scheduler()))
                .sorted(WAITING_FIRST)
                .toList();
        List<PodFacts> bound = new ArrayList<>();
        List<PodFacts> released = new ArrayList<>();
        List<PodFacts> gated = new ArrayList<>();
        List<PodFacts> ignored = new ArrayList<>();
        for (PodFacts pod : own) {
            if (pod.node().isPresent()) {
                bound.add(pod);
            } else if (pod.group().awaitsPlan()) {
                gated.add(pod);
            } else if (PlannedNode.of(pod).isPresent()) {
                released.add(pod);
            } else if (pod.annotation(PodFacts.PLANNED_NODE).isPresent()) {
                ignored.add(pod);
            }
        }
        boolean isGated = name.kind() != PodGroupName.Kind.NATIVE
                && own.stream()
                        .anyMatch(pod -> pod.group().awaitsPlan()
                                || pod.annotation(PodFacts.PLANNED_NODE).isPresent());
        OptionalInt least = groups.get(name)
                .map(PodGroup::minMember)
                .filter(OptionalInt::isPresent)
                .orElseGet(() -> own.stream()
                        .map(pod -> pod.group().minMember())
                        .filter(OptionalInt::isPresent)
                        .findFirst()
                        .orElse(OptionalInt.empty()));
        if (isGated && least.isEmpty()) {
            listener.sizeUnknown(new Group(name, groups.get(name), own.get(0)));
        }
        return isGated && least.isPresent()
                ? Optional.of(new GatedGroup(
                        name,
                        bound,
                        released,
                        gated,
                        ignored,
                        succeeded(name, own),
                        least.getAsInt(),
                        groups.get(name)
                                .<Map<String, Integer>>map(PodGroup::subGroups)
                                .orElse(Map.of())))
                : Optional.empty();
    }

    /** Pods of an earlier Job that had the same label do not count. Those of all Jobs of a JobSet do: they are deleted with it. */
    private List<PodFacts> succeeded(PodGroupName name, List<PodFacts> own) {
        Set<Optional<String>> jobs = new HashSet<>();
        own.forEach(pod -> jobs.add(pod.group().job()));
        return cluster.pods().endedOfGroup(name).stream()
                .filter(pod -> pod.phase() == PodPhase.SUCCEEDED)
                .filter(pod -> name.kind() == PodGroupName.Kind.JOB_SET
                        || jobs.contains(pod.group().job()))
                .toList();
    }
}
