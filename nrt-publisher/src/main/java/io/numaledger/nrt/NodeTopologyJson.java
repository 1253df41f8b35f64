package io.numaledger.nrt;

import com.fasterxml.jackson.core.JsonFactory;
import com.fasterxml.jackson.core.JsonGenerator;
import com.fasterxml.jackson.core.JsonParser;
import com.fasterxml.jackson.core.JsonToken;
import io.numaledger.nrt.NodeTopology.Owner;
import io.numaledger.nrt.NodeTopology.Zone;
import io.numaledger.nrt.NodeTopology.ZoneResource;
import io.numaledger.placement.Amounts;

import java.io.IOException;
import java.io.StringWriter;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.SortedMap;
import java.util.TreeMap;

/**
 * The JSON of a NodeResourceTopology, ours and that of any other exporter. Quantities are read in every spelling and written
 * in DecimalSI; fields that nobody needs are skipped.
 */
public final class NodeTopologyJson {

    private static final JsonFactory JSON = new JsonFactory();

    private NodeTopologyJson() {}

    public static String write(NodeTopology topology) {
        StringWriter text = new StringWriter();
        try (JsonGenerator json = JSON.createGenerator(text)) {
            write(json, topology);
        } catch (IOException e) {
            throw new IllegalStateException("a string cannot fail to be written", e);
        }
        return text.toString();
    }

    /** Writes the object to any generator, such as one of YAML. */
    public static void write(JsonGenerator json, NodeTopology topology) throws IOException {
        json.writeStartObject();
        json.writeStringField("apiVersion", NodeTopology.API_VERSION);
        json.writeStringField("kind", NodeTopology.KIND);
        writeMetadata(json, topology);
        writePairs(json, "attributes", topology.attributes());
        json.writeArrayFieldStart("zones");
        for (Zone zone : topology.zones()) {
            writeZone(json, zone);
        }
        json.writeEndArray();
        json.writeEndObject();
    }

    private static void writeMetadata(JsonGenerator json, NodeTopology topology) throws IOException {
        json.writeObjectFieldStart("metadata");
        json.writeStringField("name", topology.node());
        if (topology.owner().isPresent()) {
            Owner owner = topology.owner().get();
            json.writeArrayFieldStart("ownerReferences");
            json.writeStartObject();
            json.writeStringField("apiVersion", owner.apiVersion());
            json.writeStringField("kind", owner.kind());
            json.writeStringField("name", owner.name());
            json.writeStringField("uid", owner.uid());
            json.writeEndObject();
            json.writeEndArray();
        }
        json.writeEndObject();
    }

    private static void writePairs(JsonGenerator json, String field, SortedMap<String, String> pairs)
            throws IOException {
        json.writeArrayFieldStart(field);
        for (var pair : pairs.entrySet()) {
            json.writeStartObject();
            json.writeStringField("name", pair.getKey());
            json.writeStringField("value", pair.getValue());
            json.writeEndObject();
        }
        json.writeEndArray();
    }

    private static void writeZone(JsonGenerator json, Zone zone) throws IOException {
        json.writeStartObject();
        json.writeStringField("name", zone.name());
        json.writeStringField("type", zone.type());
        if (!zone.costs().isEmpty()) {
            json.writeArrayFieldStart("costs");
            for (var cost : byZoneId(zone.costs()).entrySet()) {
                json.writeStartObject();
                json.writeStringField("name", cost.getKey());
                json.writeNumberField("value", cost.getValue());
                json.writeEndObject();
            }
            json.writeEndArray();
        }
        if (!zone.attributes().isEmpty()) {
            writePairs(json, "attributes", zone.attributes());
        }
        if (!zone.resources().isEmpty()) {
            json.writeArrayFieldStart("resources");
            for (var resource : zone.resources().entrySet()) {
                writeResource(json, resource.getKey(), resource.getValue());
            }
            json.writeEndArray();
        }
        json.writeEndObject();
    }

    private static SortedMap<String, Long> byZoneId(SortedMap<String, Long> costs) {
        TreeMap<String, Long> ordered = new TreeMap<>(java.util.Comparator.<String>comparingInt(
                        name -> Zone.numaNode(name).orElse(Integer.MAX_VALUE))
                .thenComparing(java.util.Comparator.naturalOrder()));
        ordered.putAll(costs);
        return ordered;
    }

    private static void writeResource(JsonGenerator json, String name, ZoneResource resource) throws IOException {
        json.writeStartObject();
        json.writeStringField("name", name);
        json.writeStringField("capacity", Amounts.text(name, resource.capacity()));
        json.writeStringField("allocatable", Amounts.text(name, resource.allocatable()));
        json.writeStringField("available", Amounts.text(name, resource.available()));
        json.writeEndObject();
    }

    /** An object as it is stored. */
    public record Stored(NodeTopology topology, String resourceVersion) {}

    /**
     * Reads one object.
     *
     * @throws IOException if the text is not JSON, or not a NodeResourceTopology: the message names the field
     */
    public static NodeTopology read(String text) throws IOException {
        try (JsonParser json = JSON.createParser(text)) {
            json.nextToken();
            return read(json).topology();
        }
    }

    /** Reads the object that the parser stands at, up to its end. */
    public static Stored read(JsonParser json) throws IOException {
        String name = "";
        String version = "";
        Optional<String> legacy = Optional.empty();
        Optional<Owner> owner = Optional.empty();
        TreeMap<String, String> attributes = new TreeMap<>();
        List<Zone> zones = new ArrayList<>();
        expect(json, JsonToken.START_OBJECT, "the object");
        while (json.nextToken() == JsonToken.FIELD_NAME) {
            String field = json.currentName();
            json.nextToken();
            switch (field) {
                case "metadata" -> {
                    while (json.nextToken() == JsonToken.FIELD_NAME) {
                        String meta = json.currentName();
                        json.nextToken();
                        switch (meta) {
                            case "name" -> name = json.getText();
                            case "resourceVersion" -> version = json.getText();
                            case "ownerReferences" -> owner = readOwner(json);
                            default -> json.skipChildren();
                        }
                    }
                }
                case "attributes" -> readPairs(json, attributes);
                case "topologyPolicies" -> legacy = readFirst(json);
                case "zones" -> zones = readZones(json);
                default -> json.skipChildren();
            }
        }
        legacy.ifPresent(policy -> LegacyPolicy.addTo(attributes, policy));
        return new Stored(new NodeTopology(name, owner, attributes, zones), version);
    }

    private static Optional<String> readFirst(JsonParser json) throws IOException {
        Optional<String> first = Optional.empty();
        while (json.nextToken() == JsonToken.VALUE_STRING) {
            String text = json.getText();
            first = first.or(() -> Optional.of(text));
        }
        return first;
    }

    private static Optional<Owner> readOwner(JsonParser json) throws IOException {
        Optional<Owner> first = Optional.empty();
        while (json.nextToken() == JsonToken.START_OBJECT) {
            TreeMap<String, String> fields = readFields(json);
            if (first.isEmpty()) {
                first = Optional.of(new Owner(
                        fields.getOrDefault("apiVersion", ""),
                        fields.getOrDefault("kind", ""),
                        fields.getOrDefault("name", ""),
                        fields.getOrDefault("uid", "")));
            }
        }
        return first;
    }

    private static TreeMap<String, String> readFields(JsonParser json) throws IOException {
        TreeMap<String, String> fields = new TreeMap<>();
        while (json.nextToken() == JsonToken.FIELD_NAME) {
            String field = json.currentName();
            if (json.nextToken().isScalarValue()) {
                fields.put(field, json.getText());
            } else {
                json.skipChildren();
            }
        }
        return fields;
    }

    private static void readPairs(JsonParser json, TreeMap<String, String> into) throws IOException {
        while (json.nextToken() == JsonToken.START_OBJECT) {
            TreeMap<String, String> pair = readFields(json);
            into.putIfAbsent(pair.getOrDefault("name", ""), pair.getOrDefault("value", ""));
        }
    }

    private static List<Zone> readZones(JsonParser json) throws IOException {
        List<Zone> zones = new ArrayList<>();
        while (json.nextToken() == JsonToken.START_OBJECT) {
            zones.add(readZone(json));
        }
        return zones;
    }

    private static Zone readZone(JsonParser json) throws IOException {
        String name = "";
        String type = "";
        TreeMap<String, String> costs = new TreeMap<>();
        TreeMap<String, String> attributes = new TreeMap<>();
        TreeMap<String, ZoneResource> resources = new TreeMap<>();
        while (json.nextToken() == JsonToken.FIELD_NAME) {
            String field = json.currentName();
            json.nextToken();
            switch (field) {
                case "name" -> name = json.getText();
                case "type" -> type = json.getText();
                case "costs" -> readPairs(json, costs);
                case "attributes" -> readPairs(json, attributes);
                case "resources" -> readResources(json, name, resources);
                default -> json.skipChildren();
            }
        }
        TreeMap<String, Long> costValues = new TreeMap<>();
        for (var cost : costs.entrySet()) {
            costValues.put(cost.getKey(), number(cost.getValue(), "zone " + name + " cost " + cost.getKey()));
        }
        return new Zone(name, type, costValues, attributes, resources);
    }

    private static void readResources(JsonParser json, String zone, TreeMap<String, ZoneResource> into)
            throws IOException {
        while (json.nextToken() == JsonToken.START_OBJECT) {
            TreeMap<String, String> fields = readFields(json);
            String name = fields.getOrDefault("name", "");
            into.putIfAbsent(
                    name,
                    new ZoneResource(
                            amount(fields, zone, name, "capacity"),
                            amount(fields, zone, name, "allocatable"),
                            amount(fields, zone, name, "available")));
        }
    }

    private static long amount(TreeMap<String, String> fields, String zone, String resource, String field)
            throws IOException {
        try {
            return Amounts.amount(resource, fields.getOrDefault(field, "0"));
        } catch (IllegalArgumentException e) {
            throw new IOException(
                    "malformed NodeResourceTopology: zone=%s resource=%s field=%s: %s"
                            .formatted(zone, resource, field, e.getMessage()),
                    e);
        }
    }

    private static long number(String text, String where) throws IOException {
        try {
            return Long.parseLong(text);
        } catch (NumberFormatException e) {
            throw new IOException(
                    "malformed NodeResourceTopology: %s: value='%s' is no number".formatted(where, text), e);
        }
    }

    private static void expect(JsonParser json, JsonToken token, String what) throws IOException {
        if (json.currentToken() != token) {
            throw new IOException(
                    "malformed NodeResourceTopology: %s is %s and not %s".formatted(what, json.currentToken(), token));
        }
    }
}
