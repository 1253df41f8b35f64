package io.numaledger.bridge.cluster;

import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.function.Function;

/** One object for equal texts: the pods of a cluster repeat each other. Bounded: beyond that, a new object is made. */
final class Seen<T> {

    private static final int LIMIT = 50_000;

    private final Map<String, T> byText = new ConcurrentHashMap<>();
    private final Function<String, T> read;

    Seen(Function<String, T> read) {
        this.read = read;
    }

    T of(String text) {
        T known = byText.get(text);
        if (known != null) {
            return known;
        }
        T made = read.apply(text);
        if (byText.size() < LIMIT) {
            byText.put(text, made);
        }
        return made;
    }
}
