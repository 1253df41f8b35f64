package io.numaledger.kubectl.manifest;

import com.fasterxml.jackson.databind.JavaType;
import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import io.fabric8.kubernetes.api.model.IntOrString;
import io.fabric8.kubernetes.api.model.Pod;
import io.fabric8.kubernetes.api.model.PodTemplate;
import io.fabric8.kubernetes.api.model.PodTemplateSpec;
import io.fabric8.kubernetes.api.model.Quantity;
import io.fabric8.kubernetes.api.model.ReplicationController;
import io.fabric8.kubernetes.api.model.apps.DaemonSet;
import io.fabric8.kubernetes.api.model.apps.Deployment;
import io.fabric8.kubernetes.api.model.apps.ReplicaSet;
import io.fabric8.kubernetes.api.model.apps.StatefulSet;
import io.fabric8.kubernetes.api.model.batch.v1.CronJob;
import io.fabric8.kubernetes.api.model.batch.v1.Job;
import io.numaledger.text.NearNames;

import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.TreeMap;

/**
 * Finds what the API server's strict validation refuses before it looks at values: unknown fields, and values of a wrong type. The
 * classes of the Kubernetes client are the list of known fields; they are made from the API server's own schema.
 */
final class ManifestFields {

    private static final ObjectMapper JSON = new ObjectMapper();
    private static final String MODEL = "io.fabric8.kubernetes.api.model.";

    /** Kind → API version → class. */
    private static final Map<String, Map<String, Class<?>>> KINDS = Map.ofEntries(
            Map.entry("Pod", Map.of("v1", Pod.class)),
            Map.entry("PodTemplate", Map.of("v1", PodTemplate.class)),
            Map.entry("ReplicationController", Map.of("v1", ReplicationController.class)),
            Map.entry("Deployment", Map.of("apps/v1", Deployment.class)),
            Map.entry("StatefulSet", Map.of("apps/v1", StatefulSet.class)),
            Map.entry("DaemonSet", Map.of("apps/v1", DaemonSet.class)),
            Map.entry("ReplicaSet", Map.of("apps/v1", ReplicaSet.class)),
            Map.entry("Job", Map.of("batch/v1", Job.class)),
            Map.entry("CronJob", Map.of("batch/v1", CronJob.class)));

    private final Map<JavaType, Map<String, JavaType>> fields = new HashMap<>();
    private List<String> faults = new ArrayList<>();
    private Optional<String> skipped = Optional.empty();

    /**
     * What is wrong with an object, a sentence each, but for its pod.
     *
     * @param template where its pod is, a JSON pointer; absent: it has none
     */
    List<String> ofObject(JsonNode object, Optional<String> template) {
        faults = new ArrayList<>();
        skipped = template.map(ManifestFields::path);
        String kind = object.path("kind").asText();
        String version = object.path("apiVersion").asText();
        Map<String, Class<?>> versions = KINDS.getOrDefault(kind, Map.of());
        Optional<Class<?>> known = Optional.ofNullable(versions.get(version));
        if (kind.isEmpty()) {
            faults.add("kind not set");
        } else if (version.isEmpty()) {
            faults.add("apiVersion not set" + NearNames.hint("v1", versions.keySet()));
        } else if (known.isPresent()) {
            check("", object, type(known.get()));
        } else if (versions.keySet().stream().anyMatch(each -> group(each).equals(group(version)))) {
            faults.add("no matches for kind \"%s\" in version \"%s\"; use %s"
                    .formatted(kind, version, String.join(" or ", versions.keySet())));
        }
        return faults;
    }

    /** What is wrong with the pod there, a sentence each. */
    List<String> ofPod(JsonNode object, String template) {
        faults = new ArrayList<>();
        skipped = Optional.empty();
        check(path(template), object.at(template), type(template.isEmpty() ? Pod.class : PodTemplateSpec.class));
        return faults;
    }

    private static String path(String pointer) {
        return pointer.isEmpty() ? "" : pointer.substring(1).replace('/', '.');
    }

    private static String group(String version) {
        return version.contains("/") ? version.substring(0, version.indexOf('/')) : "";
    }

    private static JavaType type(Class<?> named) {
        return JSON.constructType(named);
    }

    private void check(String path, JsonNode value, JavaType type) {
        if (value.isNull() || skipped.filter(path::equals).isPresent()) {
            return; // null is as good as absent
        }
        Class<?> raw = type.getRawClass();
        if (type.isMapLikeType()) {
            expect(path, value, "an object", value.isObject());
            value.properties()
                    .forEach(each -> check(joined(path, each.getKey()), each.getValue(), type.getContentType()));
        } else if (type.isCollectionLikeType()) {
            expect(path, value, "a list", value.isArray());
            for (int index = 0; value.isArray() && index < value.size(); index++) {
                check("%s[%d]".formatted(path, index), value.path(index), type.getContentType());
            }
        } else if (raw == Quantity.class) {
            expect(path, value, "a quantity", value.isTextual() || value.isNumber());
        } else if (raw == IntOrString.class) {
            expect(path, value, "a whole number or text", value.isTextual() || value.isIntegralNumber());
        } else if (raw == String.class) {
            expect(path, value, "text", value.isTextual());
        } else if (raw == Boolean.class) {
            expect(path, value, "true or false", value.isBoolean());
        } else if (raw == Integer.class) {
            expect(path, value, "a whole number below 2^31", value.isIntegralNumber() && value.canConvertToInt());
        } else if (raw == Long.class) {
            expect(path, value, "a whole number", value.isIntegralNumber() && value.canConvertToLong());
        } else if (raw.getName().startsWith(MODEL) && !fields(type).isEmpty()) {
            object(path, value, type);
        }
    }

    private void object(String path, JsonNode value, JavaType type) {
        expect(path, value, "an object", value.isObject());
        Map<String, JavaType> known = fields(type);
        value.properties().forEach(each -> {
            String field = joined(path, each.getKey());
            if (known.containsKey(each.getKey())) {
                check(field, each.getValue(), known.get(each.getKey()));
            } else {
                faults.add("unknown field \"%s\"%s".formatted(field, NearNames.hint(each.getKey(), known.keySet())));
            }
        });
    }

    private Map<String, JavaType> fields(JavaType type) {
        return fields.computeIfAbsent(type, any -> {
            Map<String, JavaType> named = new TreeMap<>();
            JSON.getDeserializationConfig()
                    .introspect(type)
                    .findProperties()
                    .forEach(property -> named.put(property.getName(), property.getPrimaryType()));
            return named;
        });
    }

    private void expect(String path, JsonNode value, String expected, boolean is) {
        if (!is) {
            faults.add("%s: expected %s, found %s".formatted(path, expected, found(value)));
        }
    }

    private static String found(JsonNode value) {
        return switch (value.getNodeType()) {
            case ARRAY -> "a list";
            case OBJECT -> "an object";
            case STRING -> "the text '%s'".formatted(value.asText());
            case NUMBER -> "the number " + value.asText();
            default -> value.asText();
        };
    }

    private static String joined(String path, String field) {
        return path.isEmpty() ? field : path + "." + field;
    }
}
