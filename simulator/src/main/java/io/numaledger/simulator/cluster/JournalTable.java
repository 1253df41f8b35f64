package io.numaledger.simulator.cluster;

import io.numaledger.placement.ContainerAllocation;
import io.numaledger.placement.DeviceAllocation;
import io.numaledger.placement.MemoryBlock;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collection;
import java.util.List;
import java.util.stream.Collectors;

/** A journal as text: one line for each pod, columns as wide as their longest cell. */
final class JournalTable {

    private static final List<String> HEADINGS = List.of("POD", "NODE", "ASKED", "VERDICT", "HOLDS");

    private JournalTable() {}

    static String of(List<JournalEntry> entries) {
        List<List<String>> rows = new ArrayList<>();
        rows.add(HEADINGS);
        entries.forEach(entry -> rows.add(row(entry)));
        int[] widths = new int[HEADINGS.size()];
        rows.forEach(row -> Arrays.setAll(
                widths, column -> Math.max(widths[column], row.get(column).length())));
        return rows.stream().map(row -> line(row, widths)).collect(Collectors.joining("\n", "", "\n"));
    }

    private static String line(List<String> row, int[] widths) {
        StringBuilder line = new StringBuilder();
        for (int column = 0; column < widths.length; column++) {
            line.append(("%-" + widths[column] + "s  ").formatted(row.get(column)));
        }
        return line.toString().stripTrailing();
    }

    private static List<String> row(JournalEntry entry) {
        JournalEntry.Verdict verdict = entry.verdict();
        String outcome = verdict.reason().isEmpty() ? verdict.phase() : verdict.phase() + ": " + verdict.reason();
        return List.of(
                entry.key(),
                entry.node().orElse("-"),
                entry.asked().entrySet().stream()
                        .map(container -> container.getKey() + container.getValue())
                        .collect(Collectors.joining(" ")),
                entry.deleted() ? outcome + " (deleted)" : outcome,
                orDash(entry.held().values().stream().map(JournalTable::held).collect(Collectors.joining(" "))));
    }

    private static String held(ContainerAllocation container) {
        List<String> parts = new ArrayList<>();
        if (!container.cpus().isEmpty()) {
            parts.add("cpus=" + container.cpus());
        }
        for (MemoryBlock block : container.memory()) {
            parts.add("%s=%d@%s".formatted(block.type(), block.sizeBytes(), ids(block.numaNodes())));
        }
        for (DeviceAllocation device : container.devices()) {
            parts.add("%s@%s".formatted(device.deviceId(), ids(device.numaNodes())));
        }
        return container.name() + "{" + String.join(" ", parts) + "}";
    }

    private static String ids(Collection<Integer> ids) {
        return orDash(ids.stream().map(String::valueOf).collect(Collectors.joining(",")));
    }

    private static String orDash(String text) {
        return text.isEmpty() ? "-" : text;
    }
}
