package io.numaledger.apiservers.fake.rules;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import io.numaledger.apiservers.fake.resource.ObjectMeta;
import io.numaledger.apiservers.fake.status.FieldError;

import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Optional;
import java.util.regex.Pattern;

/** Validation of the metadata of all objects, as in api/validation of apimachinery. */
public final class MetadataChecks {

    private static final Pattern SUBDOMAIN =
            Pattern.compile("[a-z0-9]([-a-z0-9]*[a-z0-9])?(\\.[a-z0-9]([-a-z0-9]*[a-z0-9])?)*");

    private static final String SUBDOMAIN_RULE =
            "a lowercase RFC 1123 subdomain must consist of lower case alphanumeric characters, '-' or '.', and must start and"
                    + " end with an alphanumeric character (e.g. 'example.com', regex used for validation is"
                    + " '[a-z0-9]([-a-z0-9]*[a-z0-9])?(\\.[a-z0-9]([-a-z0-9]*[a-z0-9])?)*')";

    private MetadataChecks() {}

    public static List<FieldError> name(String name) {
        if (name.isEmpty()) {
            return List.of(FieldError.required("metadata.name", "name or generateName is required"));
        }
        return SUBDOMAIN.matcher(name).matches()
                ? List.of()
                : List.of(FieldError.invalid("metadata.name", "\"" + name + "\"", SUBDOMAIN_RULE));
    }

    /** kube-apiserver reports a changed UID twice, because two of its layers check it. */
    public static List<FieldError> immutable(ObjectMeta before, ObjectMeta after) {
        List<FieldError> causes = new ArrayList<>();
        if (!after.uid().isEmpty() && !after.uid().equals(before.uid())) {
            FieldError changed = FieldError.invalid("metadata.uid", "\"" + after.uid() + "\"", "field is immutable");
            causes.add(changed);
            causes.add(changed);
        }
        return causes;
    }

    /** The message of kube-apiserver's decoder for a label or annotation that is not a string. */
    public static Optional<String> notAString(ObjectNode object) {
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
