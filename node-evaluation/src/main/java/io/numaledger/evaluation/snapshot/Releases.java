package io.numaledger.evaluation.snapshot;

import io.numaledger.placement.Placement;

import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.SortedSet;
import java.util.TreeSet;

/**
 * Which terminating pods of a node may have ended when its kubelet decides on the next pod: some, or all. A pod can fit before an end and not
 * after it: a container that takes its CPUs from the room that becomes free may have to reuse them where others find nothing.
 *
 * @param ended the keys of those that have ended, one set for each result; not the empty set
 * @param complete no other result is possible. Of pods that hold equal amounts of the same zones, those are taken that come first: others have
 *     other CPUs
 */
public record Releases(List<SortedSet<String>> ended, boolean complete) {

    private static final int MAX = 16;

    public Releases {
        ended = List.copyOf(ended);
    }

    /** The releases of a node, at most 16 results. Of more, those in which one pod has ended, or all. */
    public static Releases of(NodeSnapshot node) {
        Map<Placement, List<String>> groups = new LinkedHashMap<>();
        for (PodHolding pod : node.pods()) {
            if (node.releasing().contains(pod.key())
                    && pod.source() != PlacementSource.AGGREGATE
                    && !pod.placement().isEmpty()) {
                groups.computeIfAbsent(pod.placement(), any -> new ArrayList<>())
                        .add(pod.key());
            }
        }
        List<SortedSet<String>> all = new ArrayList<>(List.of(new TreeSet<>()));
        for (List<String> group : groups.values()) {
            if (all.size() * (group.size() + 1L) > MAX + 1) {
                return new Releases(some(groups.values()), false);
            }
            for (SortedSet<String> before : List.copyOf(all)) {
                for (int ended = 1; ended <= group.size(); ended++) {
                    SortedSet<String> more = new TreeSet<>(before);
                    more.addAll(group.subList(0, ended));
                    all.add(more);
                }
            }
        }
        boolean complete = groups.values().stream().allMatch(group -> group.size() == 1);
        return new Releases(all.subList(1, all.size()), complete);
    }

    private static List<SortedSet<String>> some(Iterable<List<String>> groups) {
        List<SortedSet<String>> some = new ArrayList<>();
        SortedSet<String> all = new TreeSet<>();
        for (List<String> group : groups) {
            all.addAll(group);
            if (some.size() < MAX - 1) {
                some.add(new TreeSet<>(List.of(group.get(0))));
            }
        }
        some.add(all);
        return some;
    }
}
