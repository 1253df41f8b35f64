package io.numaledger.scheduling.topology;

import io.numaledger.evaluation.facts.TopologyAnnotations;

import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalInt;
import java.util.stream.Stream;

/**
 * In which domains the pods of a group are to run.
 *
 * @param required the index of a level: all pods run in one of its domains; absent: anywhere
 * @param preferred the index of a level: all pods run in one of its domains, or in one of the narrowest level above that suffices; absent:
 *     the required level
 * @param slices absent: the group has none
 */
public record TopologyRequest(
        TopologyLevels levels,
        OptionalInt required,
        OptionalInt preferred,
        Optional<Slices> slices,
        Strategy strategy) {

    /** How pods are divided between the domains in which they may run. */
    public enum Strategy {
        /** Few domains, and those in which the least is left over. */
        PACK,
        /** Many domains, with pods spread evenly over them. */
        SPREAD;

        private static Strategy of(String text) {
            return Stream.of(values())
                    .filter(each -> each.name().toLowerCase(Locale.ROOT).equals(text))
                    .findFirst()
                    .orElseThrow(() -> new IllegalArgumentException(
                            "%s is pack or spread, not %s".formatted(TopologyAnnotations.STRATEGY, text)));
        }
    }

    /**
     * Parts of the group that run in one domain each.
     *
     * @param size in pods, 1 or more
     * @param level its index
     */
    public record Slices(int size, int level) {}

    /** @throws IllegalArgumentException as a sentence, if a level is outside of the required one */
    public TopologyRequest {
        if (required.isPresent()) {
            int outermost = required.getAsInt();
            if (preferred.orElse(outermost) < outermost) {
                throw new IllegalArgumentException("the preferred topology level has to be within the required one");
            }
            if (slices.isPresent() && slices.get().level() < outermost) {
                throw new IllegalArgumentException("the topology level of slices has to be within the required one");
            }
        }
    }

    /** A request with this strategy, anywhere and without slices. */
    public TopologyRequest withoutLevels() {
        return new TopologyRequest(levels, OptionalInt.empty(), OptionalInt.empty(), Optional.empty(), strategy);
    }

    /** The depth of the required level in a {@link DomainTree}; 0 if there is none. */
    public int requiredDepth() {
        return required.isPresent() ? required.getAsInt() + 1 : 0;
    }

    int preferredDepth() {
        return preferred.isPresent() ? preferred.getAsInt() + 1 : requiredDepth();
    }

    /** The depth of the level of the slices; 0 if there are none. */
    public int sliceDepth() {
        return slices.map(each -> each.level() + 1).orElse(0);
    }

    /** The label of the required level. */
    public Optional<String> requiredLabel() {
        return required.isPresent() ? Optional.of(levels.labels().get(required.getAsInt())) : Optional.empty();
    }

    /**
     * Reads the annotations of a pod or a workload: ours, else KAI-Scheduler's, else Kueue's. Absent if it has none.
     *
     * @throws IllegalArgumentException as a sentence, for levels that do not exist or numbers that are none
     */
    public static Optional<TopologyRequest> of(Map<String, String> annotations, Topologies topologies) {
        Strategy strategy = text(annotations, TopologyAnnotations.STRATEGY)
                .map(Strategy::of)
                .orElse(Strategy.PACK);
        return Names.ours(annotations)
                .map(names -> names.request(
                        names.explicit().or(() -> topologies.with(names.all())).orElseGet(names::asLevels), strategy))
                .or(() -> Names.kai(annotations)
                        .map(names -> names.request(
                                topologies.kai(text(annotations, TopologyAnnotations.KAI_TOPOLOGY)
                                        .orElseThrow()),
                                strategy)))
                .or(() -> Names.kueue(annotations)
                        .flatMap(names -> topologies
                                .kueueWith(names.all())
                                .or(() -> names.all().isEmpty() ? Optional.empty() : Optional.of(names.asLevels()))
                                .map(levels -> names.request(levels, strategy))));
    }

    private static Optional<String> text(Map<String, String> annotations, String name) {
        return Optional.ofNullable(annotations.get(name)).filter(text -> !text.isEmpty());
    }

    /** What annotations name: levels by their labels or aliases. */
    private record Names(
            Optional<String> levels,
            Optional<String> required,
            Optional<String> preferred,
            Optional<String> slice,
            Optional<String> sliceSize) {

        static Optional<Names> ours(Map<String, String> annotations) {
            return new Names(
                            text(annotations, TopologyAnnotations.LEVELS),
                            text(annotations, TopologyAnnotations.REQUIRED),
                            text(annotations, TopologyAnnotations.PREFERRED),
                            text(annotations, TopologyAnnotations.SLICE_REQUIRED),
                            text(annotations, TopologyAnnotations.SLICE_SIZE))
                    .ifAny();
        }

        static Optional<Names> kai(Map<String, String> annotations) {
            return text(annotations, TopologyAnnotations.KAI_TOPOLOGY)
                    .map(any -> new Names(
                            Optional.empty(),
                            text(annotations, TopologyAnnotations.KAI_REQUIRED),
                            text(annotations, TopologyAnnotations.KAI_PREFERRED),
                            text(annotations, TopologyAnnotations.KAI_SEGMENT_REQUIRED),
                            text(annotations, TopologyAnnotations.KAI_SEGMENT_SIZE)));
        }

        static Optional<Names> kueue(Map<String, String> annotations) {
            Names names = new Names(
                    Optional.empty(),
                    text(annotations, TopologyAnnotations.KUEUE_REQUIRED),
                    text(annotations, TopologyAnnotations.KUEUE_PREFERRED),
                    text(annotations, TopologyAnnotations.KUEUE_SLICE_REQUIRED),
                    text(annotations, TopologyAnnotations.KUEUE_SLICE_SIZE));
            return text(annotations, TopologyAnnotations.KUEUE_UNCONSTRAINED).isPresent()
                    ? Optional.of(names)
                    : names.ifAny();
        }

        private Optional<Names> ifAny() {
            return levels.isPresent() || !all().isEmpty() ? Optional.of(this) : Optional.empty();
        }

        /** The outermost first, if they are levels at all. */
        List<String> all() {
            return Stream.of(required, preferred, slice)
                    .flatMap(Optional::stream)
                    .distinct()
                    .toList();
        }

        Optional<TopologyLevels> explicit() {
            return levels.map(text -> TopologyLevels.ofLabels(
                    Stream.of(text.split(",", -1)).map(String::strip).toList()));
        }

        TopologyLevels asLevels() {
            return TopologyLevels.ofLabels(all());
        }

        TopologyRequest request(TopologyLevels in, Strategy strategy) {
            Optional<Slices> slices = slice.map(name -> new Slices(size(), index(in, name)));
            return new TopologyRequest(
                    in,
                    required.map(name -> OptionalInt.of(index(in, name))).orElse(OptionalInt.empty()),
                    preferred.map(name -> OptionalInt.of(index(in, name))).orElse(OptionalInt.empty()),
                    slices,
                    strategy);
        }

        private static int index(TopologyLevels levels, String name) {
            return levels.find(name)
                    .orElseThrow(() -> new IllegalArgumentException(
                            "%s is no topology level; there are %s".formatted(name, levels.labels())));
        }

        private int size() {
            String text = sliceSize.orElse("");
            try {
                int size = Integer.parseInt(text);
                if (size > 0) {
                    return size;
                }
            } catch (NumberFormatException e) {
                throw new IllegalArgumentException(
                        "the size of slices is a number of pods, not \"%s\"".formatted(text), e);
            }
            throw new IllegalArgumentException("the size of slices is 1 or more, not %s".formatted(text));
        }
    }
}
