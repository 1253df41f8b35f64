package io.numaledger.simulator.apiserver;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import io.numaledger.simulator.apiserver.ApiError.Cause;

import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Optional;
import java.util.regex.Pattern;

/** What holds for the metadata of every object (apimachinery's api/validation). */
final class ObjectChecks {

    private static final Pattern SUBDOMAIN =
            Pattern.compile("[a-z0-9]([-a-z0-9]*[a-z0-9])?(\\.[a-z0-9]([-a-z0-9]*[a-z0-9])?)*");

    private static final String SUBDOMAIN_RULE =
            "a lowercase RFC 1123 subdomain must consist of lower case alphanumeric characters, '-' or '.', and must start and"
                    + " end with an alphanumeric character (e.g. 'example.com', regex used for validation is"
                    + " '[a-z0-9]([-a-z0-9]*[a-z0-9])?(\\.[a-z0-9]([-a-z0-9]*[a-z0-9])?)*')";

    private ObjectChecks() {}

    static List<Cause> name(String name) {
        if (name.isEmpty()) {
            return List.of(new Cause(
                    "FieldValueRequired", "metadata.name", "Required value: name or generateName is required"));
        }
        return SUBDOMAIN.matcher(name).matches()
                ? List.of()
                : List.of(Cause.invalid("metadata.name", "\"" + name + "\"", SUBDOMAIN_RULE));
    }

    /** The real server finds a changed UID twice, in two of its layers, and says so twice. */
    static List<Cause> immutable(ObjectMeta before, ObjectMeta after) {
        List<Cause> causes = new ArrayList<>();
        if (!after.uid().isEmpty() && !after.uid().equals(before.uid())) {
            Cause changed = Cause.invalid("metadata.uid", "\"" + after.uid() + "\"", "field is immutable");
            causes.add(changed);
            causes.add(changed);
        }
        return causes;
    }

    /** What the real server's decoder says of a label or an annotation that is no string. */
    static Optional<String> notAString(ObjectNode object) {
        for (String field : List.of("labels", "annotations")) {
            for (JsonNode value : object.path("metadata").path(field)) {
                if (!value.isTextual() && !value.isNull()) {
                    return Optional.of(
                            "json: cannot unmarshal %s into Go struct field ObjectMeta.metadata.%s of type string"
                                    .formatted(goType(value), field));
                }
            }
        }
        return Optional.empty();
    }

    private static String goType(JsonNode value) {
        return value.isBoolean() ? "bool" : value.getNodeType().name().toLowerCase(Locale.ROOT);
    }
}
