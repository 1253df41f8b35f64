package io.numaledger.bridge.cli;

import com.fasterxml.jackson.databind.JsonNode;
import io.numaledger.placement.Quantity;

import java.util.ArrayList;
import java.util.List;

/** A verdict for a person: one line, and what explains it below. */
final class VerdictTable {

    private VerdictTable() {}

    static String line(JsonNode verdict) {
        List<String> lines = new ArrayList<>();
        boolean fits = verdict.path("fits").asBoolean();
        lines.add("%-24s %s"
                .formatted(
                        verdict.path("node").asText(),
                        fits
                                ? "fits " + placement(verdict.path("placement"))
                                : "no   " + verdict.path("reason").asText()));
        if (!verdict.path("message").asText().isEmpty()) {
            lines.add("    " + verdict.path("message").asText());
        }
        if (!verdict.path("advice").asText().isEmpty()) {
            lines.add("    " + verdict.path("advice").asText());
        }
        String confidence = verdict.path("confidence").asText();
        if (!confidence.equals("exact")) {
            List<String> codes = new ArrayList<>();
            verdict.path("assumptions").forEach(each -> {
                if (!codes.contains(each.path("code").asText())) {
                    codes.add(each.path("code").asText());
                }
            });
            lines.add("    confidence: %s%s".formatted(confidence, codes.isEmpty() ? "" : " " + codes));
        }
        return String.join(System.lineSeparator(), lines);
    }

    private static String placement(JsonNode placement) {
        List<String> zones = new ArrayList<>();
        placement.forEach(zone -> {
            List<String> amounts = new ArrayList<>();
            zone.path("amount")
                    .properties()
                    .forEach(amount -> amounts.add(
                            Quantity.readable(amount.getKey(), amount.getValue().asText()) + " " + amount.getKey()));
            zones.add(zone.path("zone").asText() + ": " + String.join(", ", amounts));
        });
        return zones.isEmpty() ? "(nothing that has a place)" : String.join("; ", zones);
    }
}
