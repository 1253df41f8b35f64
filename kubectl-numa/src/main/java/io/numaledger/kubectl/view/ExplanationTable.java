package io.numaledger.kubectl.view;

import com.fasterxml.jackson.databind.JsonNode;
import io.numaledger.cli.Colours;
import io.numaledger.resource.Quantity;

import java.util.ArrayList;
import java.util.List;

/** An explanation for people: one line, and the details below. */
final class ExplanationTable {

    static final String HEADER = "%-24s %-4s %s".formatted("NODE", "FITS", "PLACEMENT OR REASON");

    private ExplanationTable() {}

    /** @param wide also without assumptions, the confidence, and the assumptions as sentences */
    static String text(JsonNode explanation, boolean wide, Colours colours) {
        List<String> lines = new ArrayList<>();
        boolean fits = explanation.path("fits").asBoolean();
        boolean schedulable = explanation.path("schedulable").asBoolean();
        JsonNode notAligned = explanation.path("notAligned");
        boolean nothing = explanation.path("placement").isEmpty() && !notAligned.isEmpty();
        String placement = "%s %s"
                .formatted(
                        colours.status("fits"),
                        nothing ? notAligned.path(0).path("text").asText() : placement(explanation.path("placement")));
        lines.add("%-24s %s"
                .formatted(
                        explanation.path("node").asText(),
                        schedulable
                                ? placement
                                : colours.status("no")
                                        + "   "
                                        + (fits
                                                ? "the node as a whole"
                                                : explanation.path("reason").asText())));
        explanation.path("nodeReasons").forEach(reason -> lines.add("    " + reason.asText()));
        if (fits && !schedulable) {
            lines.add("    its zones: " + placement);
        }
        if (explanation.path("undetermined").asBoolean()) {
            lines.add("    or others: the kubelet draws some devices at random");
        }
        for (int i = nothing ? 1 : 0; i < notAligned.size(); i++) {
            lines.add("    " + notAligned.path(i).path("text").asText());
        }
        if (!explanation.path("message").asText().isEmpty()) {
            lines.add("    " + explanation.path("message").asText());
        }
        String claims = explanation.at("/claims/text").asText();
        if (!claims.isEmpty() && !claims.equals(explanation.path("message").asText())) {
            lines.add("    claims %s: %s"
                    .formatted(explanation.at("/claims/alignment").asText(), claims));
        }
        if (!explanation.path("advice").asText().isEmpty()) {
            lines.add("    " + explanation.path("advice").asText());
        }
        String confidence = explanation.path("confidence").asText();
        if (wide) {
            lines.add("    confidence: " + colours.status(confidence));
            explanation
                    .path("assumptions")
                    .forEach(each -> lines.add("    %s %s: %s"
                            .formatted(
                                    each.path("code").asText(),
                                    each.path("about").asText(),
                                    each.path("text").asText())));
        } else if (!confidence.equals("exact")) {
            List<String> codes = new ArrayList<>();
            explanation.path("assumptions").forEach(each -> {
                if (!codes.contains(each.path("code").asText())) {
                    codes.add(each.path("code").asText());
                }
            });
            lines.add("    confidence: %s%s".formatted(colours.status(confidence), codes.isEmpty() ? "" : " " + codes));
        }
        return String.join(System.lineSeparator(), lines);
    }

    /** Zones with their amounts, on one line. */
    static String placement(JsonNode placement) {
        List<String> zones = new ArrayList<>();
        placement.forEach(zone -> {
            List<String> amounts = new ArrayList<>();
            zone.path("amount")
                    .properties()
                    .forEach(amount -> amounts.add(
                            Quantity.readable(amount.getKey(), amount.getValue().asText()) + " " + amount.getKey()));
            zones.add(zone.path("zone").asText() + ": " + String.join(", ", amounts));
        });
        return zones.isEmpty() ? "(no aligned resources)" : String.join("; ", zones);
    }
}
