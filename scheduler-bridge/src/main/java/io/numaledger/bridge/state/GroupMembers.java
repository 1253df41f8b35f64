package io.numaledger.bridge.state;

import io.numaledger.bridge.objects.PodFacts;
import io.numaledger.bridge.objects.PodGroupName;

import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;

/** The keys of the pods of each group. Thread-safe. */
final class GroupMembers {

    private final Map<PodGroupName, Set<String>> byGroup = new ConcurrentHashMap<>();

    void put(PodFacts pod) {
        pod.group()
                .group()
                .ifPresent(group -> byGroup.compute(group, (any, keys) -> {
                    Set<String> members = keys == null ? ConcurrentHashMap.newKeySet() : keys;
                    members.add(pod.key());
                    return members;
                }));
    }

    /** A pod of the same name that takes the place of this one is added again with its next event. */
    void remove(PodFacts pod) {
        pod.group()
                .group()
                .ifPresent(group -> byGroup.computeIfPresent(group, (any, keys) -> {
                    keys.remove(pod.key());
                    return keys.isEmpty() ? null : keys;
                }));
    }

    List<String> of(PodGroupName group) {
        return List.copyOf(byGroup.getOrDefault(group, Set.of()));
    }

    /** All groups that have pods. */
    Set<PodGroupName> all() {
        return Set.copyOf(byGroup.keySet());
    }
}
