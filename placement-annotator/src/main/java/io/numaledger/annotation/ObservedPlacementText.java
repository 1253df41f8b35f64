package io.numaledger.annotation;

import com.fasterxml.jackson.core.JsonFactory;
import com.fasterxml.jackson.core.JsonGenerator;
import com.fasterxml.jackson.core.JsonParser;
import com.fasterxml.jackson.core.JsonToken;
import io.numaledger.placement.Amounts;
import io.numaledger.placement.Placement;
import io.numaledger.topology.ZoneName;

import java.io.IOException;
import java.io.StringWriter;
import java.util.TreeMap;

/**
 * The text of {@code kai.scheduler/numa-placement-observed} and its siblings, byte for byte as KAI's exporter writes it:
 * {@code [{"zone":"node-0","amount":{"cpu":"8"}}]}, zones and resources sorted as strings, canonical DecimalSI quantities.
 */
public final class ObservedPlacementText {

    private static final JsonFactory JSON = new JsonFactory();

    private ObservedPlacementText() {}

    public static String write(Placement placement) {
        TreeMap<String, Amounts> byName = new TreeMap<>();
        placement.zones().forEach((id, amounts) -> byName.put(ZoneName.of(id), amounts));
        StringWriter text = new StringWriter();
        try (JsonGenerator json = JSON.createGenerator(text)) {
            json.writeStartArray();
            for (var zone : byName.entrySet()) {
                json.writeStartObject();
                json.writeStringField("zone", zone.getKey());
                json.writeObjectFieldStart("amount");
                for (var amount : zone.getValue().byResource().entrySet()) {
                    json.writeStringField(amount.getKey(), Amounts.text(amount.getKey(), amount.getValue()));
                }
                json.writeEndObject();
                json.writeEndObject();
            }
            json.writeEndArray();
        } catch (IOException e) {
            throw new IllegalStateException("a string cannot fail to be written", e);
        }
        return text.toString();
    }

    /**
     * Reads a record, ours or KAI's; the order of zones and keys does not matter.
     *
     * @throws IllegalArgumentException saying what is wrong with it; an empty array is wrong, too, as for KAI
     */
    public static Placement read(String text) {
        if (text.length() > Annotations.MAX_RECORD_BYTES) {
            throw malformed(
                    text,
                    "it has %d characters; expected at most %d".formatted(text.length(), Annotations.MAX_RECORD_BYTES));
        }
        Placement.Builder placement = new Placement.Builder();
        try (JsonParser json = JSON.createParser(text)) {
            if (json.nextToken() != JsonToken.START_ARRAY) {
                throw malformed(text, "it is no JSON array");
            }
            while (json.nextToken() == JsonToken.START_OBJECT) {
                readZone(json, text, placement);
            }
            if (json.currentToken() != JsonToken.END_ARRAY || json.nextToken() != null) {
                throw malformed(text, "it is not one array of objects");
            }
        } catch (IOException | ArithmeticException e) {
            throw malformed(text, String.valueOf(e.getMessage()));
        }
        Placement built = placement.build();
        if (built.isEmpty()) {
            throw malformed(text, "it names no amount");
        }
        return built;
    }

    private static void readZone(JsonParser json, String text, Placement.Builder into) throws IOException {
        String zone = "";
        TreeMap<String, String> amounts = new TreeMap<>();
        while (json.nextToken() == JsonToken.FIELD_NAME) {
            String field = json.currentName();
            JsonToken value = json.nextToken();
            if (field.equals("zone") && value == JsonToken.VALUE_STRING) {
                zone = json.getText();
            } else if (field.equals("amount") && value == JsonToken.START_OBJECT) {
                while (json.nextToken() == JsonToken.FIELD_NAME) {
                    String resource = json.currentName();
                    if (!json.nextToken().isScalarValue()) {
                        throw malformed(text, "the amount of " + resource + " is no quantity");
                    }
                    amounts.put(resource, json.getText());
                }
            } else {
                json.skipChildren();
            }
        }
        int numaNode = numaNode(zone, text);
        for (var amount : amounts.entrySet()) {
            long value = amount(amount.getKey(), amount.getValue(), text);
            into.add(numaNode, amount.getKey(), value);
        }
    }

    private static long amount(String resource, String quantity, String text) {
        long value;
        try {
            value = Amounts.amount(resource, quantity);
        } catch (IllegalArgumentException e) {
            throw malformed(text, "resource " + resource + ": " + e.getMessage());
        }
        if (value < 0) {
            throw malformed(text, "the amount of " + resource + " is negative");
        }
        return value;
    }

    private static int numaNode(String zone, String text) {
        return ZoneName.numaNode(zone).orElseThrow(() -> malformed(text, "zone '" + zone + "' is not node-<id>"));
    }

    private static IllegalArgumentException malformed(String text, String why) {
        return new IllegalArgumentException("malformed placement record: %s; text='%s'"
                .formatted(Annotations.shortened(why), Annotations.shortened(text)));
    }
}
