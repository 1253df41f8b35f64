package io.numaledger.simulator.restore;

import com.fasterxml.jackson.databind.JsonNode;

import java.nio.charset.StandardCharsets;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import java.util.stream.StreamSupport;

/** How {@code spew.ConfigState.Sprintf("%#v")} prints a value of a Go type, from the value's JSON. */
@FunctionalInterface
interface GoType {

    GoType PLAIN = value -> value.isNull() ? "<nil>" : value.asText();

    String text(JsonNode value);

    static GoType list(GoType of) {
        return values -> StreamSupport.stream(values.spliterator(), false)
                .map(of::text)
                .collect(Collectors.joining(" ", "[", "]"));
    }

    /** Go sorts the keys. Those of the JSON have to be sorted, numbers as numbers. */
    static GoType map(GoType of) {
        return map -> map.properties().stream()
                .map(each -> each.getKey() + ":" + of.text(each.getValue()))
                .collect(Collectors.joining(" ", "map[", "]"));
    }

    static GoType struct(Field... fields) {
        return struct -> Stream.of(fields).map(each -> each.text(struct)).collect(Collectors.joining(" ", "{", "}"));
    }

    /**
     * A field of a struct.
     *
     * @param type its Go type's name
     * @param json its name in JSON
     */
    record Field(String name, String type, String json, GoType of) {

        private String text(JsonNode struct) {
            return "%s:(%s)%s".formatted(name, type, of.text(struct.path(json)));
        }
    }

    /**
     * The checksum of a kubelet's state file (pkg/kubelet/checkpointmanager/checksum/checksum.go): FNV-1a with 32 bits.
     *
     * @param name of this type
     */
    default long checksum(String name, JsonNode value) {
        int hash = 0x811c9dc5;
        for (byte each : "(%s)%s".formatted(name, text(value)).getBytes(StandardCharsets.UTF_8)) {
            hash = (hash ^ (each & 0xff)) * 0x01000193;
        }
        return Integer.toUnsignedLong(hash);
    }
}
