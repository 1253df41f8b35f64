package io.numaledger.agent.run;

import com.fasterxml.jackson.databind.JsonNode;
import com.google.protobuf.Descriptors.FieldDescriptor;
import com.google.protobuf.Message;

/** Reads messages from the JSON form of protobuf with original field names: 64-bit numbers are strings, defaults are absent. */
final class ProtobufJson {

    private ProtobufJson() {}

    static void fill(Message.Builder message, JsonNode json) {
        json.properties().forEach(entry -> {
            FieldDescriptor field = message.getDescriptorForType().findFieldByName(entry.getKey());
            if (field.isRepeated()) {
                entry.getValue().forEach(value -> message.addRepeatedField(field, value(message, field, value)));
            } else {
                message.setField(field, value(message, field, entry.getValue()));
            }
        });
    }

    private static Object value(Message.Builder parent, FieldDescriptor field, JsonNode json) {
        return switch (field.getJavaType()) {
            case MESSAGE -> {
                Message.Builder child = parent.newBuilderForField(field);
                fill(child, json);
                yield child.build();
            }
            case LONG -> Long.valueOf(json.asText());
            case STRING -> json.asText();
            case BOOLEAN -> json.asBoolean();
            case INT, FLOAT, DOUBLE, BYTE_STRING, ENUM ->
                throw new IllegalArgumentException("no such field in podresources v1: " + field.getFullName());
        };
    }
}
