package io.numaledger.scheduling.state;

import io.numaledger.evaluation.facts.PodFacts;
import io.numaledger.evaluation.facts.PodGroupMembership;
import io.numaledger.evaluation.facts.PodGroupName;

import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;

/** The keys of the pods of each group. Thread-safe. */
final class GroupMembers {

    private final Map<PodGroupName, Set<String>> byGroup = new ConcurrentHashMap<>();
    private final Set<PodGroupName> gated = ConcurrentHashMap.newKeySet();

    void put(PodFacts pod) {
        Optional<PodGroupName> group = pod.group().group();
        group.ifPresent(name -> byGroup.compute(name, (any, keys) -> {
            Set<String> members = keys == null ? ConcurrentHashMap.newKeySet() : keys;
            members.add(pod.key());
            return members;
        }));
        boolean isGated = pod.group().gates().contains(PodGroupMembership.GATE)
                || pod.annotation(PodFacts.PLANNED_NODE).isPresent();
        group.filter(any -> isGated).ifPresent(gated::add);
    }

    /** A pod of the same name that takes the place of this one is added again with its next event. */
    void remove(PodFacts pod) {
        pod.group()
                .group()
                .ifPresent(group -> byGroup.computeIfPresent(group, (any, keys) -> {
                    keys.remove(pod.key());
                    if (keys.isEmpty()) {
                        gated.remove(group);
                    }
                    return keys.isEmpty() ? null : keys;
                }));
    }

    List<String> of(PodGroupName group) {
        return List.copyOf(byGroup.getOrDefault(group, Set.of()));
    }

    /** The groups of which a pod has the gate of groups, or had it. */
    Set<PodGroupName> gated() {
        return Set.copyOf(gated);
    }

    /** All groups that have pods. */
    Set<PodGroupName> all() {
        return Set.copyOf(byGroup.keySet());
    }
}
