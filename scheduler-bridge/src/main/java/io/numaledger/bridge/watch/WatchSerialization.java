package io.numaledger.bridge.watch;

import com.fasterxml.jackson.annotation.JsonIgnoreProperties;
import com.fasterxml.jackson.core.JsonParser;
import com.fasterxml.jackson.core.JsonToken;
import com.fasterxml.jackson.databind.ObjectMapper;
import com.fasterxml.jackson.databind.ObjectReader;
import io.fabric8.kubernetes.api.model.HasMetadata;
import io.fabric8.kubernetes.api.model.Node;
import io.fabric8.kubernetes.api.model.NodeStatus;
import io.fabric8.kubernetes.api.model.ObjectMeta;
import io.fabric8.kubernetes.api.model.WatchEvent;
import io.fabric8.kubernetes.client.utils.KubernetesSerialization;
import io.numaledger.objects.PodObject;

import java.io.IOException;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Collectors;

/**
 * Reads the objects of frequent watch events from their text at once. The Kubernetes client would make a tree of the text, an object of its
 * own of the tree, and the bridge's of that.
 */
final class WatchSerialization extends KubernetesSerialization {

    /** The head of an event as API servers write it: the kind is known before the object is read. */
    private static final Pattern HEAD = Pattern.compile("\\{\"type\":\"([A-Z]+)\",\"object\":\\{"
            + "(?:\"kind\":\"(\\w+)\",\"apiVersion\":\"([^\"]+)\"|\"apiVersion\":\"([^\"]+)\",\"kind\":\"(\\w+)\")");

    /** Up to 50 images are most of a Node's text. Nothing here reads them. */
    @JsonIgnoreProperties("images")
    private interface StatusWithoutImages {}

    /** Nothing here reads a Node's managed fields. */
    @SuppressWarnings("UnusedMethod") // Jackson reads it
    private interface NodeWithoutManagedFields {

        @JsonIgnoreProperties("managedFields")
        ObjectMeta getMetadata();
    }

    private final Map<String, ObjectReader> readers;

    WatchSerialization() {
        this(new ObjectMapper());
    }

    private WatchSerialization(ObjectMapper mapper) {
        super(mapper, true);
        mapper.addMixIn(Node.class, NodeWithoutManagedFields.class)
                .addMixIn(NodeStatus.class, StatusWithoutImages.class);
        this.readers = List.of(PodObject.class, TopologyObject.class, Node.class).stream()
                .collect(Collectors.toUnmodifiableMap(
                        type -> key(HasMetadata.getKind(type), HasMetadata.getApiVersion(type)), mapper::readerFor));
    }

    private static String key(String kind, String apiVersion) {
        return kind + " " + apiVersion;
    }

    @Override
    public <T> T unmarshal(String text, Class<T> type) {
        Optional<WatchEvent> event = type == WatchEvent.class ? event(text) : Optional.empty();
        return event.map(type::cast).orElseGet(() -> super.unmarshal(text, type));
    }

    /** The watch event in a text; absent for another kind, and for an object that cannot be read: the client reads it again, and reports it. */
    private Optional<WatchEvent> event(String text) {
        Matcher head = HEAD.matcher(text);
        if (!head.lookingAt()) {
            return Optional.empty();
        }
        ObjectReader reader = readers.get(
                head.group(2) == null ? key(head.group(5), head.group(4)) : key(head.group(2), head.group(3)));
        if (reader == null) {
            return Optional.empty();
        }
        try (JsonParser json = reader.createParser(text)) {
            json.nextToken();
            while (json.nextToken() != JsonToken.START_OBJECT) {
                // the type
            }
            Object object = reader.readValue(json);
            return Optional.of(new WatchEvent(object, head.group(1)));
        } catch (IOException unreadable) {
            return Optional.empty();
        }
    }
}
