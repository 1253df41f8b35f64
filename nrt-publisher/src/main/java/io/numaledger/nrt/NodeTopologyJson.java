package io.numaledger.nrt;

import com.fasterxml.jackson.core.JsonFactory;
import com.fasterxml.jackson.core.JsonGenerator;
import com.fasterxml.jackson.core.JsonParser;
import io.numaledger.nrt.NodeTopology.Owner;
import io.numaledger.nrt.NodeTopology.Zone;
import io.numaledger.nrt.NodeTopology.ZoneResource;
import io.numaledger.placement.Amounts;
import io.numaledger.topology.ZoneName;

import java.io.IOException;
import java.io.StringWriter;
import java.util.SortedMap;
import java.util.TreeMap;

/**
 * The JSON of a NodeResourceTopology, ours and that of any other exporter. Quantities are read in every spelling and written
 * in DecimalSI; unused fields are skipped.
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
        if (!topology.topologyPolicies().isEmpty()) {
            json.writeArrayFieldStart("topologyPolicies");
            for (String policy : topology.topologyPolicies()) {
                json.writeString(policy);
            }
            json.writeEndArray();
        }
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
        if (!topology.annotations().isEmpty()) {
            json.writeObjectFieldStart("annotations");
            for (var annotation : topology.annotations().entrySet()) {
                json.writeStringField(annotation.getKey(), annotation.getValue());
            }
            json.writeEndObject();
        }
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
                        name -> ZoneName.numaNode(name).orElse(Integer.MAX_VALUE))
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

    /** Reads the object at the parser's position, up to its end. */
    public static StoredTopology read(JsonParser json) throws IOException {
        return new NodeTopologyReader().read(json);
    }
}
