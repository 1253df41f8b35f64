package io.numaledger.bridge.watch;

import com.fasterxml.jackson.core.JsonParser;
import com.fasterxml.jackson.databind.DeserializationContext;
import com.fasterxml.jackson.databind.JsonDeserializer;
import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.annotation.JsonDeserialize;
import io.fabric8.kubernetes.api.model.HasMetadata;
import io.fabric8.kubernetes.api.model.ObjectMeta;
import io.fabric8.kubernetes.api.model.ObjectMetaBuilder;
import io.fabric8.kubernetes.model.annotation.Group;
import io.fabric8.kubernetes.model.annotation.Kind;
import io.fabric8.kubernetes.model.annotation.Plural;
import io.fabric8.kubernetes.model.annotation.Version;
import io.numaledger.nrt.NodeTopology;
import io.numaledger.nrt.NodeTopologyJson;

import java.io.IOException;
import java.time.Instant;
import java.util.Comparator;
import java.util.Optional;
import java.util.stream.Stream;
import java.util.stream.StreamSupport;

/** A NodeResourceTopology as the API server stores it. Its metadata has no more than what a watch needs. */
@JsonDeserialize(using = TopologyObject.Reader.class)
@Group("topology.node.k8s.io")
@Version("v1alpha2")
@Kind(NodeTopology.KIND)
@Plural("noderesourcetopologies")
final class TopologyObject implements HasMetadata {

    private ObjectMeta metadata = new ObjectMeta();
    private Optional<Instant> writtenAt = Optional.empty();
    private Content content = () -> {
        throw new IOException("it has no content; read it from the API server");
    };

    /** What it says. */
    @FunctionalInterface
    private interface Content {
        NodeTopology read() throws IOException;
    }

    /** @throws IOException naming the field that cannot be read */
    NodeTopology topology() throws IOException {
        return content.read();
    }

    /** When it was last written, on the clock of the API server, which notes the time of each writer's last write. */
    Optional<Instant> writtenAt() {
        return writtenAt;
    }

    @Override
    public ObjectMeta getMetadata() {
        return metadata;
    }

    @Override
    public void setMetadata(ObjectMeta metadata) {
        this.metadata = metadata;
    }

    @Override
    public String getApiVersion() {
        return NodeTopology.API_VERSION;
    }

    @Override
    public void setApiVersion(String version) {
        // there is only one
    }

    /** Reads the text once. */
    static final class Reader extends JsonDeserializer<TopologyObject> {

        @Override
        public TopologyObject deserialize(JsonParser json, DeserializationContext context) throws IOException {
            JsonNode tree = json.readValueAsTree();
            JsonNode meta = tree.path("metadata");
            TopologyObject object = new TopologyObject();
            object.metadata = new ObjectMetaBuilder()
                    .withName(meta.path("name").asText(null))
                    .withUid(meta.path("uid").asText(null))
                    .withResourceVersion(meta.path("resourceVersion").asText(null))
                    .build();
            object.writtenAt = Stream.concat(
                            StreamSupport.stream(meta.path("managedFields").spliterator(), false)
                                    .map(each -> each.path("time")),
                            Stream.of(meta.path("creationTimestamp")))
                    .filter(JsonNode::isTextual)
                    .map(time -> Instant.parse(time.textValue()))
                    .max(Comparator.naturalOrder());
            object.content = content(tree);
            return object;
        }

        /** Reads the content at once, because the tree is much larger, and the objects of a list wait until they are handled. */
        private static Content content(JsonNode tree) {
            try {
                NodeTopology topology = read(tree);
                return () -> topology;
            } catch (IOException | RuntimeException unreadable) {
                return () -> {
                    throw unreadable;
                };
            }
        }

        private static NodeTopology read(JsonNode tree) throws IOException {
            try (JsonParser json = tree.traverse()) {
                json.nextToken();
                return NodeTopologyJson.read(json).topology();
            }
        }
    }
}
