package io.numaledger.bridge.span;

import io.numaledger.bridge.cluster.PodFacts;

import java.util.Arrays;
import java.util.Collections;
import java.util.Optional;
import java.util.SortedSet;
import java.util.TreeSet;

/**
 * Over how many zones a pod may spread, all its aligned resources together.
 *
 * @param zones 1 or more
 * @param resources which resources count; empty: all that have a place
 */
public record SpanCeiling(int zones, SortedSet<String> resources) {

    /** A positive whole number; KAI's design has it under the same name. */
    public static final String ANNOTATION = "kai.scheduler/max-numa-spread";

    /** Which resources count, with commas between them; none: all. */
    public static final String RESOURCES_ANNOTATION = "numaledger.io/max-numa-spread-resources";

    public SpanCeiling {
        if (zones < 1) {
            throw new IllegalArgumentException(
                    "the span's ceiling is a positive whole number: %s='%d'; write 1 or more, or leave it out"
                            .formatted(ANNOTATION, zones));
        }
        resources = Collections.unmodifiableSortedSet(new TreeSet<>(resources));
    }

    /** True if amounts of this resource count. */
    public boolean covers(String resource) {
        return resources.isEmpty() || resources.contains(resource);
    }

    /**
     * The ceiling that a pod's annotations ask for; absent: none.
     *
     * @throws IllegalArgumentException for an invalid value, as a sentence
     */
    public static Optional<SpanCeiling> of(PodFacts pod) {
        Optional<String> text = Optional.ofNullable(pod.annotations().get(ANNOTATION));
        if (text.isEmpty()) {
            return Optional.empty();
        }
        String number = text.get().strip();
        if (!number.matches("[0-9]{1,4}") || Integer.parseInt(number) < 1) {
            throw new IllegalArgumentException(
                    "the span's ceiling is a positive whole number: %s='%s'; write 1 or more, or leave it out"
                            .formatted(ANNOTATION, text.get()));
        }
        TreeSet<String> resources = new TreeSet<>();
        pod.annotation(RESOURCES_ANNOTATION)
                .ifPresent(list -> Arrays.stream(list.split(","))
                        .map(String::strip)
                        .filter(each -> !each.isEmpty())
                        .forEach(resources::add));
        return Optional.of(new SpanCeiling(Integer.parseInt(number), resources));
    }
}
