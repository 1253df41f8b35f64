package io.numaledger.nrt;

import com.fasterxml.jackson.core.JsonParser;
import com.fasterxml.jackson.core.JsonToken;
import io.numaledger.nrt.NodeTopology.Owner;
import io.numaledger.nrt.NodeTopology.Zone;
import io.numaledger.nrt.NodeTopology.ZoneResource;
import io.numaledger.placement.Amounts;

import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.TreeMap;
import java.util.TreeSet;

/** Reads one object, ours or that of any other exporter; used once. */
final class NodeTopologyReader {

    private String name = "";
    private String version = "";
    private final TreeMap<String, String> annotations = new TreeMap<>();
    private final List<Owner> owners = new ArrayList<>();
    private final TreeSet<String> publishers = new TreeSet<>();
    private final TreeMap<String, String> attributes = new TreeMap<>();
    private final List<String> topologyPolicies = new ArrayList<>();
    private List<Zone> zones = new ArrayList<>();

    StoredTopology read(JsonParser json) throws IOException {
        expect(json, JsonToken.START_OBJECT, "the object");
        while (json.nextToken() == JsonToken.FIELD_NAME) {
            String field = json.currentName();
            json.nextToken();
            switch (field) {
                case "metadata" -> readMetadata(json);
                case "attributes" -> readPairs(json, attributes);
                case "topologyPolicies" -> readTexts(json, topologyPolicies);
                case "zones" -> zones = readZones(json);
                default -> json.skipChildren();
            }
        }
        topologyPolicies.stream().findFirst().ifPresent(word -> LegacyPolicy.addTo(attributes, word));
        Optional<Owner> first = owners.stream().findFirst();
        return new StoredTopology(
                new NodeTopology(name, first, annotations, attributes, topologyPolicies, zones),
                owners,
                publishers,
                version);
    }

    private void readMetadata(JsonParser json) throws IOException {
        while (json.nextToken() == JsonToken.FIELD_NAME) {
            String field = json.currentName();
            json.nextToken();
            switch (field) {
                case "name" -> name = json.getText();
                case "resourceVersion" -> version = json.getText();
                case "annotations" -> annotations.putAll(readFields(json));
                case "ownerReferences" -> readOwners(json);
                case "managedFields" -> readManagers(json);
                default -> json.skipChildren();
            }
        }
    }

    private void readOwners(JsonParser json) throws IOException {
        while (json.nextToken() == JsonToken.START_OBJECT) {
            TreeMap<String, String> fields = readFields(json);
            owners.add(new Owner(
                    fields.getOrDefault("apiVersion", ""),
                    fields.getOrDefault("kind", ""),
                    fields.getOrDefault("name", ""),
                    fields.getOrDefault("uid", "")));
        }
    }

    private void readManagers(JsonParser json) throws IOException {
        while (json.nextToken() == JsonToken.START_OBJECT) {
            String manager = "";
            boolean publishes = false;
            while (json.nextToken() == JsonToken.FIELD_NAME) {
                String field = json.currentName();
                json.nextToken();
                switch (field) {
                    case "manager" -> manager = json.getText();
                    case "fieldsV1" -> publishes = ownsContent(json);
                    default -> json.skipChildren();
                }
            }
            if (publishes) {
                publishers.add(manager);
            }
        }
    }

    private static boolean ownsContent(JsonParser json) throws IOException {
        boolean owns = false;
        while (json.nextToken() == JsonToken.FIELD_NAME) {
            owns |= StoredTopology.CONTENT.contains(json.currentName());
            json.nextToken();
            json.skipChildren();
        }
        return owns;
    }

    private static void readTexts(JsonParser json, List<String> into) throws IOException {
        while (json.nextToken() == JsonToken.VALUE_STRING) {
            into.add(json.getText());
        }
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
                case "resources" -> readResources(json, resources);
                default -> json.skipChildren();
            }
        }
        TreeMap<String, Long> costValues = new TreeMap<>();
        for (var cost : costs.entrySet()) {
            costValues.put(cost.getKey(), number(cost.getValue(), "zone " + name + " cost " + cost.getKey()));
        }
        return new Zone(name, type, costValues, attributes, resources);
    }

    private static void readResources(JsonParser json, TreeMap<String, ZoneResource> into) throws IOException {
        while (json.nextToken() == JsonToken.START_OBJECT) {
            TreeMap<String, String> fields = readFields(json);
            String name = fields.getOrDefault("name", "");
            into.putIfAbsent(name, resource(name, fields));
        }
    }

    /** One resource that cannot be read does not spoil the others. */
    private static ZoneResource resource(String name, TreeMap<String, String> fields) {
        try {
            return new ZoneResource(
                    Amounts.amount(name, fields.getOrDefault("capacity", "0")),
                    Amounts.amount(name, fields.getOrDefault("allocatable", "0")),
                    Amounts.amount(name, fields.getOrDefault("available", "0")));
        } catch (IllegalArgumentException e) {
            return ZoneResource.UNREADABLE;
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
