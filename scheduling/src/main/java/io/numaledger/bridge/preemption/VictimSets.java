package io.numaledger.bridge.preemption;

import java.util.List;
import java.util.stream.IntStream;
import java.util.stream.Stream;

/** Sets of victims to try: each costs an evaluation, so they are made one by one. */
public final class VictimSets {

    private VictimSets() {}

    /** The sets of at least one of these: the smaller ones first, and of one size in the order of the list. */
    public static <T> Stream<List<T>> upTo(int most, List<T> of) {
        return IntStream.rangeClosed(1, most).boxed().flatMap(size -> ofSize(size, of));
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
