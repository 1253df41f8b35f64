package io.numaledger.scheduling.group;

import io.numaledger.evaluation.facts.PodFacts;

import java.util.ArrayList;
import java.util.Collections;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.SortedMap;
import java.util.TreeMap;

import static io.numaledger.topology.Sorted.sorted;

/**
 * On which nodes pods of a group are to run.
 *
 * @param byNode node → its pods, in the order in which its kubelet should meet them
 * @param places key of a pod → its place; empty for groups without topology levels
 */
public record GroupPlan(Map<String, List<PodFacts>> byNode, SortedMap<String, TopologyPlace> places) {

    public GroupPlan {
        Map<String, List<PodFacts>> copy = new LinkedHashMap<>();
        byNode.forEach((node, pods) -> copy.put(node, List.copyOf(pods)));
        byNode = Collections.unmodifiableMap(copy);
        places = sorted(places);
    }

    public GroupPlan(Map<String, List<PodFacts>> byNode) {
        this(byNode, Collections.emptySortedMap());
    }

    public Optional<TopologyPlace> place(PodFacts pod) {
        return Optional.ofNullable(places.get(pod.key()));
    }

    /** The pods that are planned for a node. */
    public List<PodFacts> on(String node) {
        return byNode.getOrDefault(node, List.of());
    }

    /** The number of pods. */
    public int size() {
        return byNode.values().stream().mapToInt(List::size).sum();
    }

    /** This plan, and the pods of another plan after its own. */
    public GroupPlan with(GroupPlan other) {
        Map<String, List<PodFacts>> all = new LinkedHashMap<>(byNode);
        other.byNode.forEach((node, pods) -> all.merge(node, pods, (before, more) -> {
            List<PodFacts> both = new ArrayList<>(before);
            both.addAll(more);
            return both;
        }));
        SortedMap<String, TopologyPlace> allPlaces = new TreeMap<>(places);
        allPlaces.putAll(other.places);
        return new GroupPlan(all, allPlaces);
    }
}
