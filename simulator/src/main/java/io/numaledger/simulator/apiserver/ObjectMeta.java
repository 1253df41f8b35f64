package io.numaledger.simulator.apiserver;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ObjectNode;

import java.time.Instant;
import java.time.temporal.ChronoUnit;
import java.util.List;
import java.util.Optional;

/** The metadata of one object, read and changed in place. */
record ObjectMeta(ObjectNode node) {

    /** What the Go types leave out when it is empty. */
    private static final List<String> OMITTED_WHEN_EMPTY =
            List.of("labels", "annotations", "ownerReferences", "finalizers", "managedFields");

    static ObjectMeta of(ObjectNode object) {
        return new ObjectMeta(object.withObjectProperty("metadata"));
    }

    /** The metadata of an object that is not to be changed. */
    static ObjectMeta read(ObjectNode object) {
        return object.path("metadata") instanceof ObjectNode metadata
                ? new ObjectMeta(metadata)
                : new ObjectMeta(JsonText.object());
    }

    static String time(Instant instant) {
        return instant.truncatedTo(ChronoUnit.SECONDS).toString();
    }

    String name() {
        return node.path("name").asText();
    }

    String namespace() {
        return node.path("namespace").asText();
    }

    String uid() {
        return node.path("uid").asText();
    }

    String resourceVersion() {
        return node.path("resourceVersion").asText();
    }

    long generation() {
        return node.path("generation").asLong();
    }

    boolean isBeingDeleted() {
        return node.has("deletionTimestamp");
    }

    boolean hasFinalizers() {
        return !node.path("finalizers").isEmpty();
    }

    Optional<Long> deletionGracePeriodSeconds() {
        JsonNode seconds = node.path("deletionGracePeriodSeconds");
        return seconds.isMissingNode() ? Optional.empty() : Optional.of(seconds.asLong());
    }

    void setResourceVersion(long revision) {
        node.put("resourceVersion", Long.toString(revision));
    }

    void setGeneration(long generation) {
        node.put("generation", generation);
    }

    /** Takes a field from the other metadata as it is there, absent or not. */
    void take(String field, ObjectMeta other) {
        if (other.node.has(field)) {
            node.set(field, other.node.get(field));
        } else {
            node.remove(field);
        }
    }

    void dropEmpty() {
        OMITTED_WHEN_EMPTY.forEach(field -> {
            JsonNode value = node.path(field);
            if (value.isNull() || (value.isContainerNode() && value.isEmpty())) {
                node.remove(field);
            }
        });
    }
}
