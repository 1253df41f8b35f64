package io.numaledger.apiservers.fake.verbs;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import io.numaledger.apiservers.fake.request.RecordedRequest;
import io.numaledger.apiservers.fake.request.RequestBody;
import io.numaledger.apiservers.fake.request.Response;
import io.numaledger.apiservers.fake.request.Target;
import io.numaledger.apiservers.fake.resource.ObjectMeta;
import io.numaledger.apiservers.fake.resource.ResourceType;
import io.numaledger.apiservers.fake.status.ApiError;
import io.numaledger.apiservers.fake.status.FieldError;
import io.numaledger.apiservers.fake.status.StatusObject;
import io.numaledger.apiservers.fake.storage.ObjectStore;

import java.time.InstantSource;
import java.util.List;

/** The pod subresources {@code binding} and {@code eviction}. */
public final class PodSubresources {

    private final ObjectStore store;
    private final DeleteVerbs deletions;
    private final InstantSource clock;

    public PodSubresources(ObjectStore store, DeleteVerbs deletions, InstantSource clock) {
        this.store = store;
        this.deletions = deletions;
        this.clock = clock;
    }

    public Response bind(Target target, RecordedRequest request) {
        JsonNode binding = RequestBody.options(request);
        String node = binding.path("target").path("name").asText();
        if (node.isEmpty()) {
            ResourceType type = target.type();
            throw ApiError.invalid(type, "Binding", target.name(), List.of(FieldError.required("target.name")));
        }
        store.atomically(() -> store.put(target.key(), bound(target, binding, node)));
        return created();
    }

    public Response evict(Target target, RecordedRequest request) {
        JsonNode eviction = RequestBody.options(request);
        deletions.remove(target.key(), DeleteOptions.of(eviction.path("deleteOptions")));
        return created();
    }

    private ObjectNode bound(Target target, JsonNode binding, String node) {
        ObjectNode pod = store.get(target.key())
                .orElseThrow(() -> ApiError.notFound(target.type(), target.name()))
                .deepCopy();
        checkUid(target, binding.path("metadata").path("uid").asText(), ObjectMeta.read(pod));
        if (ObjectMeta.read(pod).isBeingDeleted()) {
            throw conflict(target, "pod %s is being deleted, cannot be assigned to a host".formatted(target.name()));
        }
        String present = pod.path("spec").path("nodeName").asText();
        if (!present.isEmpty()) {
            throw conflict(target, "pod %s is already assigned to node \"%s\"".formatted(target.name(), present));
        }
        pod.withObjectProperty("spec").put("nodeName", node);
        copyAnnotations(binding, pod);
        setScheduled(pod);
        return pod;
    }

    private static void checkUid(Target target, String wanted, ObjectMeta present) {
        if (!wanted.isEmpty() && !wanted.equals(present.uid())) {
            throw conflict(target, target.key().uidMismatch(wanted, present.uid()));
        }
    }

    private static ApiError conflict(Target target, String why) {
        return ApiError.conflict(target.type(), "pods/binding", target.name(), why);
    }

    private static void copyAnnotations(JsonNode binding, ObjectNode pod) {
        JsonNode given = binding.path("metadata").path("annotations");
        if (!given.isEmpty()) {
            ObjectNode annotations = ObjectMeta.of(pod).node().withObjectProperty("annotations");
            given.properties().forEach(each -> annotations.set(each.getKey(), each.getValue()));
        }
    }

    private void setScheduled(ObjectNode pod) {
        ObjectNode status = pod.withObjectProperty("status");
        ArrayNode conditions = status.withArrayProperty("conditions");
        for (int i = conditions.size() - 1; i >= 0; i--) {
            if (conditions.get(i).path("type").asText().equals("PodScheduled")) {
                conditions.remove(i);
            }
        }
        conditions
                .addObject()
                .put("type", "PodScheduled")
                .put("status", "True")
                .putNull("lastProbeTime")
                .put("lastTransitionTime", ObjectMeta.time(clock.instant()));
    }

    private static Response created() {
        return new Response.Json(201, StatusObject.success().put("code", 201));
    }
}
