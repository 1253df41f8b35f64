package io.numaledger.apiservers.fake.verbs;

import com.fasterxml.jackson.databind.node.ObjectNode;
import io.numaledger.apiservers.fake.apply.FieldOwnership;
import io.numaledger.apiservers.fake.json.JsonEquality;
import io.numaledger.apiservers.fake.json.JsonText;
import io.numaledger.apiservers.fake.request.RecordedRequest;
import io.numaledger.apiservers.fake.request.RequestBody;
import io.numaledger.apiservers.fake.request.Response;
import io.numaledger.apiservers.fake.request.Target;
import io.numaledger.apiservers.fake.resource.ObjectMeta;
import io.numaledger.apiservers.fake.resource.ResourceCatalog;
import io.numaledger.apiservers.fake.resource.ResourceType;
import io.numaledger.apiservers.fake.rules.MetadataChecks;
import io.numaledger.apiservers.fake.rules.ObjectRules;
import io.numaledger.apiservers.fake.status.ApiError;
import io.numaledger.apiservers.fake.status.FieldError;
import io.numaledger.apiservers.fake.storage.ObjectKey;
import io.numaledger.apiservers.fake.storage.ObjectStore;

import java.nio.charset.StandardCharsets;
import java.time.InstantSource;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.UUID;

/** The verbs create, update and patch. A write that changes nothing is not stored. */
public final class WriteVerbs {

    private static final Set<String> CREATED_BY_UPDATE = Set.of("events", "leases", "services");

    private final ObjectStore store;
    private final InstantSource clock;

    public WriteVerbs(ObjectStore store, InstantSource clock) {
        this.store = store;
        this.clock = clock;
    }

    public Response create(Target target, RecordedRequest request) {
        WriteRequest write = WriteRequest.of(target, request);
        ObjectNode object = RequestBody.object(target, request);
        return store.atomically(() -> {
            ObjectNode stored = insert(write, object, false);
            return new Response.Json(201, stored);
        });
    }

    public Response update(Target target, RecordedRequest request) {
        WriteRequest write = WriteRequest.of(target, request);
        ObjectNode object = RequestBody.object(target, request);
        Preconditions.checkName(target, object);
        return store.atomically(() -> {
            if (CREATED_BY_UPDATE.contains(target.type().plural())
                    && store.get(target.key()).isEmpty()) {
                return new Response.Json(201, insert(write, object, false));
            }
            ObjectNode before = existing(target);
            Preconditions.check(target, ObjectMeta.read(object), ObjectMeta.read(before));
            ObjectNode after = replace(write, before, object, false);
            return Response.Json.ok(after);
        });
    }

    public Response patch(Target target, RecordedRequest request) {
        WriteRequest write = WriteRequest.of(target, request);
        PatchBody patch = PatchBody.of(write);
        return store.atomically(() -> {
            Optional<ObjectNode> before = store.get(target.key());
            if (before.isEmpty() && patch.isApply() && target.subresource().isEmpty()) {
                ObjectNode stored = insert(write, patch.intent(), true);
                return new Response.Json(201, stored);
            }
            ObjectNode present = existing(target);
            ObjectNode after = patch.applyTo(present, now());
            Preconditions.checkName(target, after);
            Preconditions.checkVersion(target, ObjectMeta.read(after).resourceVersion(), ObjectMeta.read(present));
            ObjectNode stored = replace(write, present, after, patch.isApply());
            return Response.Json.ok(stored);
        });
    }

    /** Stores an object that the server itself creates, such as the namespace {@code default}. */
    public void insert(Target target, ObjectNode object, RecordedRequest origin) {
        store.atomically(() -> insert(WriteRequest.of(target, origin), object, false));
    }

    private ObjectNode insert(WriteRequest write, ObjectNode given, boolean apply) {
        Target target = write.target();
        ResourceType type = target.type();
        ObjectNode object = write.admitted(given);
        ObjectMeta meta = ObjectMeta.of(object);
        if (!meta.resourceVersion().isEmpty()) {
            throw ApiError.of(500, "", "resourceVersion should not be set on objects to be created");
        }
        checkNamespace(target, meta);
        generateName(meta);
        refuseCauses(type, meta.name(), MetadataChecks.name(meta.name()));
        ObjectKey key = target.keyOf(meta.name());
        if (store.get(key).isPresent()) {
            throw ApiError.alreadyExists(type, meta.name());
        }
        ObjectRules rules = ObjectRules.of(target.type());
        meta.node()
                .remove(List.of("resourceVersion", "managedFields", "deletionTimestamp", "deletionGracePeriodSeconds"));
        rules.prepareCreate(object);
        refuseCauses(type, meta.name(), rules.validate(JsonText.object(), object));
        meta.node().put("uid", uid(key)).put("creationTimestamp", now());
        meta.dropEmpty();
        own(write, object, apply ? given : JsonText.object(), apply);
        return write.dryRun() ? object : store.put(key, object);
    }

    private void own(WriteRequest write, ObjectNode object, ObjectNode intent, boolean apply) {
        if (apply) {
            ObjectNode claimed = FieldOwnership.apply(JsonText.object(), intent, write.manager(true, now()));
            ObjectMeta.of(object).take("managedFields", ObjectMeta.read(claimed));
        } else if (write.type().custom()) {
            FieldOwnership.recordUpdate(JsonText.object(), object, write.manager(false, now()));
        }
    }

    private ObjectNode replace(WriteRequest write, ObjectNode before, ObjectNode given, boolean apply) {
        Target target = write.target();
        ObjectNode after = write.admitted(given);
        ObjectMeta meta = ObjectMeta.of(after);
        ObjectMeta old = ObjectMeta.read(before);
        refuseCauses(target.type(), target.name(), MetadataChecks.immutable(old, meta));
        List.of(
                        "uid",
                        "resourceVersion",
                        "creationTimestamp",
                        "deletionTimestamp",
                        "deletionGracePeriodSeconds",
                        "generation",
                        "namespace")
                .forEach(field -> meta.take(field, old));
        meta.dropEmpty();
        ObjectRules rules = ObjectRules.of(target.type());
        if (target.subresource().equals("status")) {
            rules.prepareStatusUpdate(before, after);
        } else {
            rules.prepareUpdate(before, after);
        }
        refuseCauses(target.type(), target.name(), rules.validate(before, after));
        if (!apply) {
            meta.take("managedFields", old);
            if (write.type().custom()) {
                FieldOwnership.recordUpdate(before, after, write.manager(false, now()));
            }
        }
        if (JsonEquality.same(before, after)) {
            return before;
        }
        return write.dryRun() ? after : storedOrGone(target.key(), after);
    }

    private ObjectNode existing(Target target) {
        return store.get(target.key()).orElseThrow(() -> ApiError.notFound(target.type(), target.name()));
    }

    /** Removes an object that is being deleted if this write removed its last finalizer. */
    private ObjectNode storedOrGone(ObjectKey key, ObjectNode object) {
        ObjectNode stored = store.put(key, object);
        ObjectMeta meta = ObjectMeta.read(stored);
        boolean waits = meta.deletionGracePeriodSeconds().orElse(0L) > 0;
        if (meta.isBeingDeleted() && !meta.hasFinalizers() && !waits) {
            store.remove(key);
        }
        return stored;
    }

    private void checkNamespace(Target target, ObjectMeta meta) {
        if (!target.type().namespaced()) {
            meta.node().remove("namespace");
            return;
        }
        if (!meta.namespace().isEmpty() && !meta.namespace().equals(target.namespace())) {
            throw ApiError.badRequest(
                    "the namespace of the provided object does not match the namespace sent on the request");
        }
        meta.node().put("namespace", target.namespace());
        ObjectKey namespace = new ObjectKey(ResourceCatalog.NAMESPACES, "", target.namespace());
        if (store.get(namespace).isEmpty()) {
            throw ApiError.notFound(ResourceCatalog.NAMESPACES, target.namespace());
        }
    }

    private void generateName(ObjectMeta meta) {
        String prefix = meta.node().path("generateName").asText();
        if (meta.name().isEmpty() && !prefix.isEmpty()) {
            meta.node().put("name", "%s%05d".formatted(prefix, store.revision()));
        }
    }

    private static void refuseCauses(ResourceType type, String name, List<FieldError> causes) {
        if (!causes.isEmpty()) {
            throw ApiError.invalid(type, name, new ArrayList<>(causes));
        }
    }

    /** A UID that depends only on the sequence of writes. */
    private String uid(ObjectKey key) {
        String seed = "%s/%s#%d".formatted(key.type().qualifiedName(), key.path(), store.revision());
        return UUID.nameUUIDFromBytes(seed.getBytes(StandardCharsets.UTF_8)).toString();
    }

    private String now() {
        return ObjectMeta.time(clock.instant());
    }
}
