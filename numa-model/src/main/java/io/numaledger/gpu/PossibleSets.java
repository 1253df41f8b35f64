package io.numaledger.gpu;

import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.function.Predicate;

/**
 * The sets of GPUs that a container may get: all of one size that have from each group no fewer and no more GPUs than its bounds.
 *
 * @param groups disjoint
 * @param size 0 or more; the bounds of the groups allow it
 */
public record PossibleSets(List<Group> groups, int size) {

    /**
     * GPUs that are equal to whoever chooses, such as those of a NUMA node.
     *
     * @param least 0 or more
     * @param most {@code least} to the number of GPUs; fewer than that where some are not free and it is unknown which
     */
    public record Group(GpuSet gpus, int least, int most) {

        public Group {
            if (least < 0 || least > most || most > gpus.size()) {
                throw new IllegalArgumentException("bounds out of order: least=%d most=%d gpus=%s; expected 0 to most"
                        .formatted(least, most, gpus));
            }
        }
    }

    public PossibleSets {
        groups = List.copyOf(groups);
        GpuSet seen = GpuSet.NONE;
        for (Group group : groups) {
            if (!seen.and(group.gpus).isEmpty()) {
                throw new IllegalArgumentException(
                        "a GPU is in two groups: groups=%s; name it in one".formatted(groups));
            }
            seen = seen.or(group.gpus);
        }
        int least = groups.stream().mapToInt(Group::least).sum();
        int most = groups.stream().mapToInt(Group::most).sum();
        if (size < least || size > most) {
            throw new IllegalArgumentException(
                    "no set has this size: size=%d, expected %d to %d".formatted(size, least, most));
        }
    }

    /** All GPUs that may be in a set. */
    public GpuSet gpus() {
        return groups.stream().map(Group::gpus).reduce(GpuSet.NONE, GpuSet::or);
    }

    /** The set, where one only is possible. */
    Optional<GpuSet> only() {
        List<GpuSet> first = new ArrayList<>();
        visit(set -> {
            first.add(set);
            return first.size() < 2;
        });
        return first.size() == 1 ? Optional.of(first.get(0)) : Optional.empty();
    }

    /** Visits every set once, until the visitor answers false. Returns whether it never did. */
    boolean visit(Predicate<GpuSet> visitor) {
        return new Walk(visitor).ofGroup(0, GpuSet.NONE);
    }

    private final class Walk {

        private final Predicate<GpuSet> visitor;

        Walk(Predicate<GpuSet> visitor) {
            this.visitor = visitor;
        }

        private boolean ofGroup(int index, GpuSet chosen) {
            if (index == groups.size()) {
                return visitor.test(chosen);
            }
            Group group = groups.get(index);
            int missing = size - chosen.size();
            int others = groups.subList(index + 1, groups.size()).stream()
                    .mapToInt(Group::most)
                    .sum();
            int otherLeast = groups.subList(index + 1, groups.size()).stream()
                    .mapToInt(Group::least)
                    .sum();
            for (int count = Math.max(group.least(), missing - others);
                    count <= Math.min(group.most(), missing - otherLeast);
                    count++) {
                if (!fromGroup(index, chosen, group.gpus(), count)) {
                    return false;
                }
            }
            return true;
        }

        private boolean fromGroup(int index, GpuSet chosen, GpuSet open, int count) {
            if (count == 0) {
                return ofGroup(index + 1, chosen);
            }
            GpuSet rest = open;
            while (rest.size() >= count) {
                int gpu = rest.next(0);
                rest = rest.minus(GpuSet.of(gpu));
                if (!fromGroup(index, chosen.with(gpu), rest, count - 1)) {
                    return false;
                }
            }
            return true;
        }
    }
}
