package io.numaledger.benchmarks.footprint;

import java.util.LinkedHashMap;
import java.util.Map;
import java.util.function.Consumer;

/** Prints each figure as soon as it is known. */
final class FootprintTable {

    private final Consumer<String> out;
    private final Map<String, String> figures = new LinkedHashMap<>();

    FootprintTable(Consumer<String> out) {
        this.out = out;
    }

    void add(String what, long value) {
        add(what, Long.toString(value));
    }

    void add(String what, String value) {
        figures.put(what, value);
        out.accept("%-42s %s".formatted(what, value));
    }
}
