package io.numaledger.agent.api;

import com.fasterxml.jackson.core.JsonGenerator;
import com.fasterxml.jackson.core.JsonParser;
import com.fasterxml.jackson.core.JsonToken;
import io.numaledger.nrt.gpu.NodeAnnotations;

import java.io.IOException;
import java.io.StringWriter;
import java.util.Map;
import java.util.Optional;
import java.util.SortedMap;
import java.util.TreeMap;

/** This node's Node object, of which we read and write our own annotations only. */
public final class NodeObject implements NodeAnnotations {

    private final ApiServer api;
    private final String path;

    public NodeObject(ApiServer api, String node) {
        this.api = api;
        this.path = "/api/v1/nodes/" + node;
    }

    @Override
    public SortedMap<String, String> own() throws IOException {
        return api.get(path, NodeObject::read);
    }

    @Override
    public void patch(SortedMap<String, Optional<String>> changes) throws IOException {
        api.patch(path, ApiServer.MERGE_PATCH, body(changes), NodeObject::read);
    }

    static String body(SortedMap<String, Optional<String>> changes) throws IOException {
        StringWriter text = new StringWriter();
        try (JsonGenerator json = ApiServer.JSON.createGenerator(text)) {
            json.writeStartObject();
            json.writeObjectFieldStart("metadata");
            json.writeObjectFieldStart("annotations");
            for (Map.Entry<String, Optional<String>> change : changes.entrySet()) {
                json.writeStringField(change.getKey(), change.getValue().orElse(null));
            }
            json.writeEndObject();
            json.writeEndObject();
            json.writeEndObject();
        }
        return text.toString();
    }

    /** Our annotations of a Node, from the token that opens it. */
    static SortedMap<String, String> read(JsonParser json) throws IOException {
        SortedMap<String, String> own = new TreeMap<>();
        while (json.nextToken() == JsonToken.FIELD_NAME) {
            if (enters(json, "metadata")) {
                while (json.nextToken() == JsonToken.FIELD_NAME) {
                    if (enters(json, "annotations")) {
                        readAnnotations(json, own);
                    }
                }
            }
        }
        return own;
    }

    private static boolean enters(JsonParser json, String wanted) throws IOException {
        String name = json.currentName();
        boolean object = json.nextToken() == JsonToken.START_OBJECT;
        if (object && name.equals(wanted)) {
            return true;
        }
        json.skipChildren();
        return false;
    }

    private static void readAnnotations(JsonParser json, SortedMap<String, String> own) throws IOException {
        while (json.nextToken() == JsonToken.FIELD_NAME) {
            String key = json.currentName();
            json.nextToken();
            if (key.startsWith(PREFIX)) {
                own.put(key, json.getText());
            }
        }
    }
}
