package io.numaledger.objects;

import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.function.Function;

/** Returns one object for equal texts, for up to 50,000 different ones; beyond that, new objects. Thread-safe. */
final class Interner<T> {

    private static final int LIMIT = 50_000;

    private final Map<String, T> byText = new ConcurrentHashMap<>();
    private final Function<String, T> read;

    Interner(Function<String, T> read) {
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
