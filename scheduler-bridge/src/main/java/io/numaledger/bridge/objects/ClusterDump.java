package io.numaledger.bridge.objects;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.MappingIterator;
import com.fasterxml.jackson.databind.ObjectMapper;
import com.fasterxml.jackson.dataformat.yaml.YAMLFactory;
import io.fabric8.kubernetes.api.model.Node;
import io.fabric8.kubernetes.client.utils.KubernetesSerialization;
import io.numaledger.nrt.NodeTopology;
import io.numaledger.nrt.NodeTopologyJson;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.SortedMap;
import java.util.TreeMap;

/**
 * Reads Nodes, NodeResourceTopologies and Pods from the output of {@code kubectl get -o yaml|json}: a List, or several documents.
 * Skips other kinds.
 */
public final class ClusterDump {

    private static final ObjectMapper YAML = new ObjectMapper(new YAMLFactory());
    private static final ObjectMapper JSON = new ObjectMapper();
    private static final KubernetesSerialization TYPED = new KubernetesSerialization();

    private ClusterDump() {}

    /** @throws IOException naming the file and the object that cannot be read */
    public static ClusterObjects read(Path file) throws IOException {
        try {
            return parse(Files.readString(file));
        } catch (NoSuchFileException e) {
            throw new IOException(
                    "cannot read the dump: file=%s does not exist; create one with kubectl get nodes,noderesourcetopologies,pods -A -o yaml"
                            .formatted(file),
                    e);
        } catch (IOException | IllegalArgumentException e) {
            throw new IOException(
                    "cannot read the dump: file=%s: %s; it must be the output of kubectl get -o yaml or -o json"
                            .formatted(file, firstLine(e)),
                    e);
        }
    }

    private static String firstLine(Exception e) {
        return String.valueOf(e.getMessage()).lines().findFirst().orElse("");
    }

    /** Parses JSON, or YAML. */
    public static ClusterObjects parse(String text) throws IOException {
        Objects objects = new Objects();
        String start = text.stripLeading();
        if (start.startsWith("{")) {
            try (MappingIterator<JsonNode> documents =
                    JSON.readerFor(JsonNode.class).readValues(text)) {
                objects.addAll(documents);
            }
        } else {
            try (MappingIterator<JsonNode> documents =
                    YAML.readerFor(JsonNode.class).readValues(text)) {
                objects.addAll(documents);
            }
        }
        return new ClusterObjects(objects.nodes, objects.topologies, objects.pods);
    }

    /**
     * One Pod manifest, YAML or JSON.
     *
     * @throws IOException saying what it is instead
     */
    public static PodFacts readPod(String text) throws IOException {
        JsonNode document = YAML.readTree(text);
        if (document == null || !document.path("kind").asText().equals("Pod")) {
            throw new IOException(
                    "not a Pod: kind='%s'; use one object of kind Pod, such as a Deployment's template with kind and metadata added"
                            .formatted(
                                    document == null
                                            ? ""
                                            : document.path("kind").asText()));
        }
        try {
            return new ObjectReader().pod(TYPED.convertValue(document, PodObject.class));
        } catch (IllegalArgumentException e) {
            throw new IOException(
                    "not a usable Pod: name=%s: %s"
                            .formatted(document.path("metadata").path("name").asText(), e.getMessage()),
                    e);
        }
    }

    private static final class Objects {
        private final SortedMap<String, NodeFacts> nodes = new TreeMap<>();
        private final SortedMap<String, NodeTopology> topologies = new TreeMap<>();
        private final List<PodFacts> pods = new ArrayList<>();
        private final ObjectReader reader = new ObjectReader();

        void addAll(MappingIterator<JsonNode> documents) throws IOException {
            while (documents.hasNextValue()) {
                add(documents.nextValue());
            }
        }

        private void add(JsonNode document) throws IOException {
            String kind = document == null ? "" : document.path("kind").asText();
            String name = document == null
                    ? ""
                    : document.path("metadata").path("name").asText();
            try {
                switch (kind) {
                    case "Node" -> {
                        Node node = TYPED.convertValue(document, Node.class);
                        nodes.put(name, reader.node(node));
                    }
                    case "Pod" -> pods.add(reader.pod(TYPED.convertValue(document, PodObject.class)));
                    case NodeTopology.KIND -> topologies.put(name, NodeTopologyJson.read(document.toString()));
                    default -> {
                        for (JsonNode item : kind.endsWith("List") ? document.path("items") : List.<JsonNode>of()) {
                            add(item);
                        }
                    }
                }
            } catch (IllegalArgumentException | IOException e) {
                throw new IOException("kind=%s name=%s: %s".formatted(kind, name, firstLine(e)), e);
            }
        }
    }
}
