package io.numaledger.apiservers.fake.rules;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import io.numaledger.apiservers.fake.json.JsonEquality;
import io.numaledger.apiservers.fake.json.JsonText;
import io.numaledger.apiservers.fake.resource.ObjectMeta;
import io.numaledger.apiservers.fake.status.ApiError;
import io.numaledger.apiservers.fake.status.FieldError;
import io.numaledger.pod.ContainerRequest;
import io.numaledger.pod.QosClass;
import io.numaledger.pod.RequestedAmount;
import io.numaledger.pod.Resources;

import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.SortedMap;
import java.util.TreeMap;
import java.util.stream.Stream;
import java.util.stream.StreamSupport;

/** Rules of pods: defaults that schedulers and kubelets rely on, the QoS class, and an almost immutable spec. */
final class PodRules implements ObjectRules {

    private static final List<String> CONTAINER_LISTS = List.of("initContainers", "containers");

    @Override
    public void prepareCreate(ObjectNode object) {
        ObjectMeta.of(object).setGeneration(1);
        ObjectNode spec = object.withObjectProperty("spec");
        CONTAINER_LISTS.forEach(list -> spec.path(list).forEach(each -> containerDefaults((ObjectNode) each)));
        podLevelDefaults(spec);
        putIfAbsent(spec, "restartPolicy", "Always");
        if (!spec.has("terminationGracePeriodSeconds")) {
            spec.put("terminationGracePeriodSeconds", 30);
        }
        putIfAbsent(spec, "dnsPolicy", "ClusterFirst");
        spec.withObjectProperty("securityContext");
        putIfAbsent(spec, "schedulerName", "default-scheduler");
        if (!spec.has("enableServiceLinks")) {
            spec.put("enableServiceLinks", true);
        }
        object.putObject("status")
                .put("phase", "Pending")
                .put("qosClass", qosClass(spec).toString());
    }

    @Override
    public void prepareUpdate(ObjectNode before, ObjectNode after) {
        ObjectRules.keep("status", before, after);
        boolean same = JsonEquality.same(before.path("spec"), after.path("spec"));
        ObjectMeta.of(after).setGeneration(ObjectMeta.read(before).generation() + (same ? 0 : 1));
    }

    @Override
    public List<FieldError> validate(ObjectNode before, ObjectNode after) {
        if (!before.isEmpty()) {
            return validateUpdate(before, after);
        }
        List<FieldError> causes = new ArrayList<>();
        JsonNode containers = after.path("spec").path("containers");
        if (containers.isEmpty()) {
            causes.add(FieldError.required("spec.containers"));
        }
        for (int i = 0; i < containers.size(); i++) {
            for (String field : List.of("name", "image")) {
                if (containers.get(i).path(field).asText().isEmpty()) {
                    causes.add(FieldError.required("spec.containers[%d].%s".formatted(i, field)));
                }
            }
        }
        return causes;
    }

    private static List<FieldError> validateUpdate(ObjectNode before, ObjectNode after) {
        return JsonEquality.same(fixedSpec(before), fixedSpec(after))
                ? List.of()
                : List.of(FieldError.forbidden(
                        "spec",
                        "pod updates may not change fields other than `spec.containers[*].image`,"
                                + "`spec.initContainers[*].image`,`spec.activeDeadlineSeconds`,`spec.tolerations` (only additions to"
                                + " existing tolerations),`spec.terminationGracePeriodSeconds` (allow it to be set to 1 if it was"
                                + " previously negative)"));
    }

    private static JsonNode fixedSpec(ObjectNode pod) {
        if (!(pod.path("spec") instanceof ObjectNode spec)) {
            return JsonText.object();
        }
        ObjectNode fixed = spec.deepCopy();
        fixed.remove(List.of("activeDeadlineSeconds", "tolerations", "schedulingGates"));
        CONTAINER_LISTS.forEach(list -> fixed.path(list).forEach(each -> ((ObjectNode) each).remove("image")));
        return fixed;
    }

    private static void containerDefaults(ObjectNode container) {
        ObjectNode resources = container.withObjectProperty("resources");
        resources.path("limits").properties().forEach(limit -> defaultRequest(resources, limit));
        putIfAbsent(container, "terminationMessagePath", "/dev/termination-log");
        putIfAbsent(container, "terminationMessagePolicy", "File");
        String image = container.path("image").asText();
        boolean latest = !image.contains(":") || image.endsWith(":latest");
        putIfAbsent(container, "imagePullPolicy", latest ? "Always" : "IfNotPresent");
    }

    /**
     * The class of a pod by its own resources if it has any, even empty ones, otherwise by those of all containers.
     *
     * @param spec with default requests filled in
     */
    static QosClass qosClass(JsonNode spec) {
        JsonNode own = spec.path("resources");
        try {
            return own.isObject()
                    ? QosClass.compute(Optional.of(computeResources(own)), List.of())
                    : QosClass.compute(
                            Optional.empty(),
                            containers(spec)
                                    .map(each -> new ContainerRequest(
                                            "any", ContainerRequest.Kind.APP, computeResources(each.path("resources"))))
                                    .toList());
        } catch (IllegalArgumentException notAQuantity) {
            throw ApiError.badRequest(
                    "Pod in version \"v1\" cannot be handled as a Pod: quantities must match the regular expression"
                            + " '^([+-]?[0-9.]+)([eEinumkKMGTP]*[-+]?[0-9]*)$'");
        }
    }

    /** CPU and memory, which decide on the class. */
    private static Resources computeResources(JsonNode resources) {
        return new Resources(cpuAndMemory(resources.path("requests")), cpuAndMemory(resources.path("limits")));
    }

    private static SortedMap<String, RequestedAmount> cpuAndMemory(JsonNode amounts) {
        return new TreeMap<>(Map.of(
                "cpu", RequestedAmount.parse(amounts.path("cpu").asText("0")),
                "memory", RequestedAmount.parse(amounts.path("memory").asText("0"))));
    }

    private static Stream<JsonNode> containers(JsonNode spec) {
        return CONTAINER_LISTS.stream()
                .flatMap(list -> StreamSupport.stream(spec.path(list).spliterator(), false));
    }

    /** Pod-level requests default to the pod-level limits of resources that no container requests. */
    private static void podLevelDefaults(ObjectNode spec) {
        if (spec.path("resources") instanceof ObjectNode resources) {
            resources.path("limits").properties().stream()
                    .filter(limit -> !isRequestedByContainers(spec, limit.getKey()))
                    .forEach(limit -> defaultRequest(resources, limit));
        }
    }

    private static boolean isRequestedByContainers(ObjectNode spec, String resource) {
        return containers(spec)
                .anyMatch(each -> each.path("resources").path("requests").has(resource));
    }

    private static void defaultRequest(ObjectNode resources, Map.Entry<String, JsonNode> limit) {
        ObjectNode requests = resources.withObjectProperty("requests");
        if (!requests.has(limit.getKey())) {
            requests.set(limit.getKey(), limit.getValue());
        }
    }

    private static void putIfAbsent(ObjectNode object, String field, String value) {
        if (!object.has(field)) {
            object.put(field, value);
        }
    }
}
