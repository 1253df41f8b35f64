package io.numaledger.scheduling.preemption;

import java.util.List;
import java.util.Optional;
import java.util.function.BooleanSupplier;
import java.util.function.Predicate;
import java.util.function.ToIntFunction;
import java.util.stream.IntStream;
import java.util.stream.Stream;

/**
 * The search of pods that would have to end, or to move, for others: it tries the sets of at least one of them, the smaller ones first, and of
 * one size in the order of the list. Each costs an evaluation, so they are made one by one, as long as the caller's budget lasts.
 *
 * @param most pods, or groups of pods, of one set
 * @param goOn whether to try one more; asked before each
 */
public record Departures<T>(int most, List<T> of, BooleanSupplier goOn) {

    /**
     * A set, and what is gained without it.
     *
     * @param gain 1 or more
     */
    public record Gain<T>(List<T> leaving, int gain) {}

    /** The first set that suffices; absent: none, or the budget did not last. */
    public Optional<List<T>> first(Predicate<List<T>> suffices) {
        return sets().filter(suffices).findFirst();
    }

    /** The sets without which something is gained. */
    public List<Gain<T>> gains(ToIntFunction<List<T>> gain) {
        return sets().map(set -> new Gain<>(set, gain.applyAsInt(set)))
                .filter(each -> each.gain() > 0)
                .toList();
    }

    /** All sets, as long as the budget lasts. */
    public Stream<List<T>> sets() {
        return IntStream.rangeClosed(1, most)
                .boxed()
                .flatMap(size -> ofSize(size, of))
                .takeWhile(any -> goOn.getAsBoolean());
    }

    private static <T> Stream<List<T>> ofSize(int size, List<T> of) {
        return size == 0
                ? Stream.of(List.of())
                : IntStream.rangeClosed(0, of.size() - size)
                        .boxed()
                        .flatMap(first -> ofSize(size - 1, of.subList(first + 1, of.size()))
                                .map(others -> Stream.concat(Stream.of(of.get(first)), others.stream())
                                        .toList()));
    }
}
