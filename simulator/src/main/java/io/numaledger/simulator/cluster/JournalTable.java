package io.numaledger.simulator.cluster;

import io.numaledger.cli.TextTable;
import io.numaledger.placement.ContainerAllocation;
import io.numaledger.placement.DeviceAllocation;
import io.numaledger.placement.MemoryBlock;

import java.util.ArrayList;
import java.util.Collection;
import java.util.List;
import java.util.stream.Collectors;

/** Prints a journal: one line for each pod. */
final class JournalTable {

    private JournalTable() {}

    static String of(List<JournalEntry> entries) {
        TextTable table = new TextTable(List.of("POD", "NODE", "REQUESTS", "VERDICT", "HOLDS"));
        entries.forEach(entry -> table.row(
                List.of(entry.key(), entry.node().orElse("-"), requests(entry), verdict(entry), held(entry))));
        return table.print();
    }

    private static String requests(JournalEntry entry) {
        return entry.requests().entrySet().stream()
                .map(container -> container.getKey() + container.getValue())
                .collect(Collectors.joining(" "));
    }

    private static String verdict(JournalEntry entry) {
        JournalEntry.Verdict verdict = entry.verdict();
        String outcome = verdict.reason().isEmpty() ? verdict.phase() : verdict.phase() + ": " + verdict.reason();
        return entry.deleted() ? outcome + " (deleted)" : outcome;
    }

    private static String held(JournalEntry entry) {
        return orDash(entry.held().values().stream().map(JournalTable::held).collect(Collectors.joining(" ")));
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
