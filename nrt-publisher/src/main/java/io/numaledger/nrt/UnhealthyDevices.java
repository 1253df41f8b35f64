package io.numaledger.nrt;

import com.fasterxml.jackson.core.JsonFactory;
import com.fasterxml.jackson.core.JsonGenerator;
import com.fasterxml.jackson.core.JsonParser;
import com.fasterxml.jackson.core.JsonToken;
import io.numaledger.placement.DeviceAllocation;

import java.io.IOException;
import java.io.StringWriter;
import java.util.Collection;
import java.util.Collections;
import java.util.Optional;
import java.util.SortedMap;
import java.util.SortedSet;
import java.util.TreeMap;
import java.util.TreeSet;

/**
 * The devices that pods hold although the kubelet does not report them as healthy. As text {@code {"example.com/gpu":["gpu-0"]}}.
 *
 * @param ids resource → ids of its devices
 */
public record UnhealthyDevices(SortedMap<String, SortedSet<String>> ids) {

    public static final UnhealthyDevices NONE = new UnhealthyDevices(Collections.emptySortedMap());

    /** A longer text is not written and not read: zones then say how many such devices there are, and nothing says which. */
    private static final int MAX_CHARACTERS = 64 << 10;

    private static final JsonFactory JSON = new JsonFactory();

    public UnhealthyDevices {
        TreeMap<String, SortedSet<String>> copy = new TreeMap<>();
        ids.forEach((resource, some) -> copy.put(resource, Collections.unmodifiableSortedSet(new TreeSet<>(some))));
        ids = Collections.unmodifiableSortedMap(copy);
    }

    static UnhealthyDevices of(Collection<DeviceAllocation> devices) {
        TreeMap<String, SortedSet<String>> ids = new TreeMap<>();
        devices.forEach(device ->
                ids.computeIfAbsent(device.resource(), any -> new TreeSet<>()).add(device.deviceId()));
        return new UnhealthyDevices(ids);
    }

    public boolean contains(String resource, String id) {
        return ids.containsKey(resource) && ids.get(resource).contains(id);
    }

    /** How many of one resource. */
    public int count(String resource) {
        return ids.containsKey(resource) ? ids.get(resource).size() : 0;
    }

    /** The ids as JSON; absent: there are none, or too many. */
    Optional<String> text() {
        StringWriter text = new StringWriter();
        try (JsonGenerator json = JSON.createGenerator(text)) {
            json.writeStartObject();
            for (var resource : ids.entrySet()) {
                json.writeArrayFieldStart(resource.getKey());
                for (String id : resource.getValue()) {
                    json.writeString(id);
                }
                json.writeEndArray();
            }
            json.writeEndObject();
        } catch (IOException e) {
            throw new IllegalStateException("a string cannot fail to be written", e);
        }
        return Optional.of(text.toString()).filter(written -> !ids.isEmpty() && written.length() <= MAX_CHARACTERS);
    }

    /** The devices that a topology names; none where its attribute is absent or unreadable. */
    public static UnhealthyDevices of(NodeTopology topology) {
        String text = topology.attributes().getOrDefault(TopologyAttributes.UNHEALTHY_DEVICES, "");
        if (text.isEmpty() || text.length() > MAX_CHARACTERS) {
            return NONE;
        }
        try (JsonParser json = JSON.createParser(text)) {
            return json.nextToken() == JsonToken.START_OBJECT ? read(json) : NONE;
        } catch (IOException e) {
            return NONE;
        }
    }

    private static UnhealthyDevices read(JsonParser json) throws IOException {
        TreeMap<String, SortedSet<String>> ids = new TreeMap<>();
        while (json.nextToken() == JsonToken.FIELD_NAME) {
            SortedSet<String> own = new TreeSet<>();
            ids.put(json.currentName(), own);
            if (json.nextToken() != JsonToken.START_ARRAY) {
                return NONE;
            }
            while (json.nextToken() == JsonToken.VALUE_STRING) {
                own.add(json.getText());
            }
            if (json.currentToken() != JsonToken.END_ARRAY) {
                return NONE;
            }
        }
        return new UnhealthyDevices(ids);
    }
}
