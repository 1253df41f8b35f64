package io.numaledger.simulator.apiserver;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import io.numaledger.simulator.apiserver.ApiError.Cause;
import io.numaledger.simulator.apiserver.fields.JsonEquality;

import java.util.ArrayList;
import java.util.List;

/** Pods: the defaults that schedulers and kubelets count on, the QoS class, and a spec that hardly changes afterwards. */
final class PodRules implements ObjectRules {

    private static final List<String> CONTAINER_LISTS = List.of("initContainers", "containers");

    @Override
    public void prepareCreate(ObjectNode object) {
        ObjectMeta.of(object).setGeneration(1);
        ObjectNode spec = object.withObjectProperty("spec");
        CONTAINER_LISTS.forEach(list -> spec.path(list).forEach(each -> containerDefaults((ObjectNode) each)));
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
                .put("qosClass", QosClass.of(spec).text());
    }

    @Override
    public void prepareUpdate(ObjectNode before, ObjectNode after) {
        ObjectRules.keep("status", before, after);
        boolean same = JsonEquality.same(before.path("spec"), after.path("spec"));
        ObjectMeta.of(after).setGeneration(ObjectMeta.read(before).generation() + (same ? 0 : 1));
    }

    @Override
    public List<Cause> validate(ObjectNode before, ObjectNode after) {
        if (!before.isEmpty()) {
            return validateUpdate(before, after);
        }
        List<Cause> causes = new ArrayList<>();
        JsonNode containers = after.path("spec").path("containers");
        if (containers.isEmpty()) {
            causes.add(Cause.required("spec.containers"));
        }
        for (int i = 0; i < containers.size(); i++) {
            for (String field : List.of("name", "image")) {
                if (containers.get(i).path(field).asText().isEmpty()) {
                    causes.add(Cause.required("spec.containers[%d].%s".formatted(i, field)));
                }
            }
        }
        return causes;
    }

    private static List<Cause> validateUpdate(ObjectNode before, ObjectNode after) {
        return JsonEquality.same(fixedSpec(before), fixedSpec(after))
                ? List.of()
                : List.of(Cause.forbidden(
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
        resources.path("limits").properties().forEach(limit -> {
            ObjectNode requests = resources.withObjectProperty("requests");
            if (!requests.has(limit.getKey())) {
                requests.set(limit.getKey(), limit.getValue());
            }
        });
        putIfAbsent(container, "terminationMessagePath", "/dev/termination-log");
        putIfAbsent(container, "terminationMessagePolicy", "File");
        String image = container.path("image").asText();
        boolean latest = !image.contains(":") || image.endsWith(":latest");
        putIfAbsent(container, "imagePullPolicy", latest ? "Always" : "IfNotPresent");
    }

    private static void putIfAbsent(ObjectNode object, String field, String value) {
        if (!object.has(field)) {
            object.put(field, value);
        }
    }
}
