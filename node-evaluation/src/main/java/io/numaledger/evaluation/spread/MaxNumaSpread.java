package io.numaledger.evaluation.spread;

import io.numaledger.annotation.Annotations;
import io.numaledger.evaluation.facts.PodFacts;

import java.util.Arrays;
import java.util.Collections;
import java.util.List;
import java.util.Optional;
import java.util.SortedSet;
import java.util.TreeSet;

/**
 * The maximum number of zones over which a pod may spread, all its aligned resources together.
 *
 * @param zones 1 or more
 * @param resources the resources that count; empty: all
 */
public record MaxNumaSpread(int zones, SortedSet<String> resources) {

    /** The most characters of the list of resources, which is read for every node. */
    private static final int MAX_LIST = 2048;

    private static final int SHOWN = 40;

    public MaxNumaSpread {
        if (zones < 1) {
            throw invalid(Integer.toString(zones));
        }
        resources = Collections.unmodifiableSortedSet(new TreeSet<>(resources));
    }

    private static IllegalArgumentException invalid(String value) {
        String shown = value.length() > SHOWN ? value.substring(0, SHOWN) + "…" : value;
        return new IllegalArgumentException("invalid annotation: %s='%s'; use a whole number of 1 or more, or remove it"
                .formatted(Annotations.MAX_NUMA_SPREAD, shown));
    }

    /** Whether amounts of this resource count. */
    public boolean covers(String resource) {
        return resources.isEmpty() || resources.contains(resource);
    }

    /** Such as {@code 1 NUMA zone}. */
    public String zonesText() {
        return zones + (zones == 1 ? " NUMA zone" : " NUMA zones");
    }

    /**
     * The maximum that a pod's annotations set; absent: there is none.
     *
     * @throws IllegalArgumentException as a sentence, for an invalid value
     */
    public static Optional<MaxNumaSpread> of(PodFacts pod) {
        Optional<String> text = Optional.ofNullable(pod.annotations().get(Annotations.MAX_NUMA_SPREAD));
        if (text.isEmpty()) {
            return Optional.empty();
        }
        String number = text.get().strip();
        if (!number.matches("[0-9]{1,4}") || Integer.parseInt(number) < 1) {
            throw invalid(text.get());
        }
        TreeSet<String> resources = new TreeSet<>();
        pod.annotation(Annotations.MAX_NUMA_SPREAD_RESOURCES).ifPresent(list -> resources.addAll(names(list)));
        return Optional.of(new MaxNumaSpread(Integer.parseInt(number), resources));
    }

    private static List<String> names(String list) {
        if (list.length() > MAX_LIST) {
            throw new IllegalArgumentException(
                    "invalid annotation: %s has more than %d characters; shorten it, or remove it"
                            .formatted(Annotations.MAX_NUMA_SPREAD_RESOURCES, MAX_LIST));
        }
        return Arrays.stream(list.split(","))
                .map(String::strip)
                .filter(each -> !each.isEmpty())
                .toList();
    }
}
