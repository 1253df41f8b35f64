package io.numaledger.apiservers.fake.resource;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import io.numaledger.apiservers.fake.json.JsonText;

import java.time.Instant;
import java.time.temporal.ChronoUnit;
import java.util.List;
import java.util.Optional;

/** The {@code metadata} of one object, for reading and for changes in place. */
public record ObjectMeta(ObjectNode node) {

    /** Fields that the Go types omit when they are empty. */
    private static final List<String> OMITTED_WHEN_EMPTY =
            List.of("labels", "annotations", "ownerReferences", "finalizers", "managedFields");

    public static ObjectMeta of(ObjectNode object) {
        return new ObjectMeta(object.withObjectProperty("metadata"));
    }

    /** The metadata of an object, for reading only; empty if the object has none. */
    public static ObjectMeta read(ObjectNode object) {
        return object.path("metadata") instanceof ObjectNode metadata
                ? new ObjectMeta(metadata)
                : new ObjectMeta(JsonText.object());
    }

    public static String time(Instant instant) {
        return instant.truncatedTo(ChronoUnit.SECONDS).toString();
    }

    public String name() {
        return node.path("name").asText();
    }

    public String namespace() {
        return node.path("namespace").asText();
    }

    public String uid() {
        return node.path("uid").asText();
    }

    public String resourceVersion() {
        return node.path("resourceVersion").asText();
    }

    public long generation() {
        return node.path("generation").asLong();
    }

    public boolean isBeingDeleted() {
        return node.has("deletionTimestamp");
    }

    public boolean hasFinalizers() {
        return !node.path("finalizers").isEmpty();
    }

    public Optional<Long> deletionGracePeriodSeconds() {
        JsonNode seconds = node.path("deletionGracePeriodSeconds");
        return seconds.isMissingNode() ? Optional.empty() : Optional.of(seconds.asLong());
    }

    public void setResourceVersion(long revision) {
        node.put("resourceVersion", Long.toString(revision));
    }

    public void setGeneration(long generation) {
        node.put("generation", generation);
    }

    /** Sets or removes a field so that it is as in the other metadata. */
    public void take(String field, ObjectMeta other) {
        if (other.node.has(field)) {
            node.set(field, other.node.get(field));
        } else {
            node.remove(field);
        }
    }

    public void dropEmpty() {
        OMITTED_WHEN_EMPTY.forEach(field -> {
            JsonNode value = node.path(field);
            if (value.isNull() || (value.isContainerNode() && value.isEmpty())) {
                node.remove(field);
            }
        });
    }
}
