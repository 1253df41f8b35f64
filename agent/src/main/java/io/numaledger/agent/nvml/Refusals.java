package io.numaledger.agent.nvml;

import java.util.EnumMap;
import java.util.List;
import java.util.Map;
import java.util.SortedSet;
import java.util.TreeSet;

/** The unexpected failures of calls on one device, one line per error code. */
final class Refusals {

    private final Map<NvmlReturn, SortedSet<String>> symbols = new EnumMap<>(NvmlReturn.class);

    void add(String symbol, NvmlReturn code) {
        symbols.computeIfAbsent(code, any -> new TreeSet<>()).add(symbol);
    }

    List<String> sentences(String gpu) {
        return symbols.entrySet().stream()
                .map(entry -> "cannot read a GPU in full: gpu=%s: %s returned %s; it is taken without; %s"
                        .formatted(
                                gpu,
                                String.join(", ", entry.getValue()),
                                entry.getKey(),
                                entry.getKey().remedy()))
                .toList();
    }
}
