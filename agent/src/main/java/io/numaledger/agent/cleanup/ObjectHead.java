package io.numaledger.agent.cleanup;

import com.fasterxml.jackson.core.JsonParser;
import com.fasterxml.jackson.core.JsonToken;

import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import java.util.SortedSet;
import java.util.TreeSet;

/**
 * Who an object is, and who wrote it.
 *
 * @param annotations the keys
 * @param zoneManagers who wrote its zones; empty for other objects
 */
record ObjectHead(
        String namespace, String name, String uid, SortedSet<String> annotations, SortedSet<String> zoneManagers) {

    /** The objects of a list; the parser stands at its start. */
    static List<ObjectHead> list(JsonParser json) throws IOException {
        List<ObjectHead> heads = new ArrayList<>();
        while (json.nextToken() == JsonToken.FIELD_NAME) {
            boolean items = json.currentName().equals("items");
            if (json.nextToken() == JsonToken.START_ARRAY && items) {
                while (json.nextToken() == JsonToken.START_OBJECT) {
                    heads.add(one(json));
                }
            } else {
                json.skipChildren();
            }
        }
        return heads;
    }

    /** One object; the parser stands at its start. */
    static ObjectHead one(JsonParser json) throws IOException {
        ObjectHead head = new ObjectHead("", "", "", new TreeSet<>(), new TreeSet<>());
        while (json.nextToken() == JsonToken.FIELD_NAME) {
            boolean metadata = json.currentName().equals("metadata");
            if (json.nextToken() == JsonToken.START_OBJECT && metadata) {
                head = metadata(json);
            } else {
                json.skipChildren();
            }
        }
        return head;
    }

    private static ObjectHead metadata(JsonParser json) throws IOException {
        String namespace = "";
        String name = "";
        String uid = "";
        SortedSet<String> annotations = new TreeSet<>();
        SortedSet<String> zoneManagers = new TreeSet<>();
        while (json.nextToken() == JsonToken.FIELD_NAME) {
            String field = json.currentName();
            json.nextToken();
            switch (field) {
                case "namespace" -> namespace = json.getText();
                case "name" -> name = json.getText();
                case "uid" -> uid = json.getText();
                case "annotations" -> keys(json, annotations);
                case "managedFields" -> zoneManagers(json, zoneManagers);
                default -> json.skipChildren();
            }
        }
        return new ObjectHead(namespace, name, uid, annotations, zoneManagers);
    }

    private static void keys(JsonParser json, SortedSet<String> into) throws IOException {
        while (json.nextToken() == JsonToken.FIELD_NAME) {
            into.add(json.currentName());
            json.nextToken();
            json.skipChildren();
        }
    }

    private static void zoneManagers(JsonParser json, SortedSet<String> into) throws IOException {
        while (json.nextToken() == JsonToken.START_OBJECT) {
            String manager = "";
            SortedSet<String> fields = new TreeSet<>();
            while (json.nextToken() == JsonToken.FIELD_NAME) {
                String field = json.currentName();
                json.nextToken();
                switch (field) {
                    case "manager" -> manager = json.getText();
                    case "fieldsV1" -> keys(json, fields);
                    default -> json.skipChildren();
                }
            }
            if (fields.contains("f:zones")) {
                into.add(manager);
            }
        }
    }
}
