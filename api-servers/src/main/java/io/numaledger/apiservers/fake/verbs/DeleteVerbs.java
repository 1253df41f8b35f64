package io.numaledger.apiservers.fake.verbs;

import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import io.numaledger.apiservers.fake.request.RecordedRequest;
import io.numaledger.apiservers.fake.request.Response;
import io.numaledger.apiservers.fake.request.Target;
import io.numaledger.apiservers.fake.resource.ObjectMeta;
import io.numaledger.apiservers.fake.resource.ResourceCatalog;
import io.numaledger.apiservers.fake.resource.ResourceType;
import io.numaledger.apiservers.fake.selection.Selection;
import io.numaledger.apiservers.fake.status.ApiError;
import io.numaledger.apiservers.fake.status.StatusObject;
import io.numaledger.apiservers.fake.storage.ObjectKey;
import io.numaledger.apiservers.fake.storage.ObjectStore;

import java.time.Instant;
import java.time.InstantSource;
import java.util.List;
import java.util.Set;

/**
 * The verbs delete and deletecollection. Deletion only marks a pod that is bound to a node, unless the grace period is
 * zero. Deletion also only marks an object that has finalizers.
 */
public final class DeleteVerbs {

    private static final Set<String> ANSWERED_WITH_OBJECT = Set.of("pods", "services", "serviceaccounts", "namespaces");

    private final ObjectStore store;
    private final InstantSource clock;

    public DeleteVerbs(ObjectStore store, InstantSource clock) {
        this.store = store;
        this.clock = clock;
    }

    public Response delete(Target target, RecordedRequest request) {
        DeleteOptions options = DeleteOptions.of(request);
        return store.atomically(() -> {
            Deleted deleted = delete(target.key(), options);
            boolean withObject = !deleted.gone()
                    || ANSWERED_WITH_OBJECT.contains(target.type().qualifiedName());
            return Response.Json.ok(withObject ? deleted.last() : success(target.type(), deleted.last()));
        });
    }

    /** Deletes all selected objects and returns them. */
    public Response deleteCollection(Target target, RecordedRequest request) {
        DeleteOptions options = DeleteOptions.of(request);
        Selection selection = Selection.of(target, request);
        return store.atomically(() -> {
            ObjectNode list = target.type().emptyList();
            list.putObject("metadata").put("resourceVersion", Long.toString(store.revision()));
            ArrayNode items = list.putArray("items");
            for (ObjectNode object : store.list(target.type()).objects().values()) {
                if (selection.matches(object)) {
                    items.add(target.type()
                            .item(delete(keyOf(target.type(), object), options).last()));
                }
            }
            return Response.Json.ok(list);
        });
    }

    /** The result of a deletion: the last state of the object, and whether it is gone. */
    private record Deleted(ObjectNode last, boolean gone) {}

    /** Deletes or marks one object. */
    void remove(ObjectKey key, DeleteOptions options) {
        store.atomically(() -> delete(key, options));
    }

    private Deleted delete(ObjectKey key, DeleteOptions options) {
        ObjectNode object = store.get(key).orElseThrow(() -> ApiError.notFound(key.type(), key.name()));
        options.check(key.type(), ObjectMeta.read(object));
        long grace = grace(key.type(), object, options);
        if (options.dryRun()) {
            return new Deleted(object, true);
        }
        if (key.type().equals(ResourceCatalog.NAMESPACES)) {
            removeContent(key.name());
        }
        boolean stays = grace > 0 || ObjectMeta.read(object).hasFinalizers();
        ObjectNode last = stays || key.type().equals(ResourceCatalog.PODS) ? mark(key, object, grace) : object;
        if (stays) {
            return new Deleted(last, false);
        }
        store.remove(key);
        ObjectNode gone = last.deepCopy();
        ObjectMeta.of(gone).setResourceVersion(store.revision());
        return new Deleted(gone, true);
    }

    /** Sets the deletion timestamp. A second deletion can only shorten the grace period. */
    private ObjectNode mark(ObjectKey key, ObjectNode object, long grace) {
        ObjectMeta present = ObjectMeta.read(object);
        long left = present.deletionGracePeriodSeconds().orElse(Long.MAX_VALUE);
        if (present.isBeingDeleted() && left <= grace) {
            return object;
        }
        ObjectNode marked = object.deepCopy();
        ObjectMeta meta = ObjectMeta.of(marked);
        Instant when = clock.instant().plusSeconds(grace);
        meta.node().put("deletionTimestamp", ObjectMeta.time(when)).put("deletionGracePeriodSeconds", grace);
        if (meta.generation() > 0 && !present.isBeingDeleted()) {
            meta.setGeneration(meta.generation() + 1);
        }
        return store.put(key, marked);
    }

    /** The grace period in seconds. Only a running pod that is bound to a node has one. */
    private static long grace(ResourceType type, ObjectNode object, DeleteOptions options) {
        String phase = object.path("status").path("phase").asText();
        boolean waits = type.equals(ResourceCatalog.PODS)
                && !object.path("spec").path("nodeName").asText().isEmpty()
                && !List.of("Failed", "Succeeded").contains(phase);
        long own = object.path("spec").path("terminationGracePeriodSeconds").asLong();
        return waits ? options.gracePeriodSeconds().orElse(own) : 0;
    }

    /** Does the work of the namespace controller, which this server does not have. */
    private void removeContent(String namespace) {
        for (ResourceType type : ResourceCatalog.all()) {
            if (type.namespaced()) {
                store.list(type).objects().values().stream()
                        .filter(object -> ObjectMeta.read(object).namespace().equals(namespace))
                        .forEach(object -> store.remove(keyOf(type, object)));
            }
        }
    }

    private static ObjectKey keyOf(ResourceType type, ObjectNode object) {
        ObjectMeta meta = ObjectMeta.read(object);
        return new ObjectKey(type, meta.namespace(), meta.name());
    }

    private static ObjectNode success(ResourceType type, ObjectNode object) {
        ObjectNode status = StatusObject.success();
        ObjectNode details =
                status.putObject("details").put("name", ObjectMeta.read(object).name());
        if (!type.group().isEmpty()) {
            details.put("group", type.group());
        }
        details.put("kind", type.plural()).put("uid", ObjectMeta.read(object).uid());
        return status;
    }
}
