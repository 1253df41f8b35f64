package io.numaledger.objects;

import com.fasterxml.jackson.databind.JsonNode;
import io.fabric8.kubernetes.api.model.Node;
import io.fabric8.kubernetes.client.utils.KubernetesSerialization;
import io.numaledger.evaluation.claim.DeviceClass;
import io.numaledger.evaluation.claim.DeviceObjects;
import io.numaledger.evaluation.claim.ResourceClaim;
import io.numaledger.evaluation.claim.ResourceSlice;
import io.numaledger.evaluation.facts.DisruptionBudget;
import io.numaledger.evaluation.facts.NodeFacts;
import io.numaledger.evaluation.facts.PodFacts;
import io.numaledger.evaluation.facts.PodOrigin;
import io.numaledger.evaluation.snapshot.ClusterObjects;
import io.numaledger.nrt.NodeTopology;
import io.numaledger.nrt.NodeTopologyJson;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.time.Instant;
import java.time.format.DateTimeParseException;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.SortedMap;
import java.util.TreeMap;

/**
 * Reads Nodes, NodeResourceTopologies and Pods from the output of {@code kubectl get -o yaml|json}: a List, or several documents; also
 * ResourceSlices, ResourceClaims and DeviceClasses ({@value #DEVICES}). Skips other kinds.
 */
public final class ClusterDump {

    /** The version that the bridge watches. */
    private static final String DEVICES = "resource.k8s.io/v1";

    private static final KubernetesSerialization TYPED = new KubernetesSerialization();

    private ClusterDump() {}

    /** @throws IOException naming the file and the object that cannot be read, or if it has one kind of object only */
    public static ClusterObjects read(Path file) throws IOException {
        try {
            Objects streamed = new Objects();
            ClusterObjects objects =
                    Documents.streamed(file, streamed::add) ? streamed.read() : parse(Files.readString(file));
            if (objects.nodes().isEmpty()
                    || (objects.topologies().isEmpty() && objects.pods().isEmpty())) {
                throw new IOException("it has %d Nodes, %d NodeResourceTopologies and %d Pods"
                        .formatted(
                                objects.nodes().size(),
                                objects.topologies().size(),
                                objects.pods().size()));
            }
            return objects;
        } catch (NoSuchFileException e) {
            throw new IOException(
                    "cannot read the dump: file=%s does not exist; create one with kubectl get nodes,noderesourcetopologies,pods -A -o yaml"
                            .formatted(file),
                    e);
        } catch (IOException | IllegalArgumentException e) {
            throw new IOException(
                    "cannot use the dump: file=%s: %s; create one with kubectl get nodes,noderesourcetopologies,pods -A -o yaml"
                            .formatted(file, firstLine(e)),
                    e);
        }
    }

    private static String firstLine(Exception e) {
        return String.valueOf(e.getMessage()).lines().findFirst().orElse("");
    }

    /**
     * Parses JSON, or YAML.
     *
     * @throws IOException naming the object that cannot be read
     */
    public static ClusterObjects parse(String text) throws IOException {
        Objects objects = new Objects();
        for (JsonNode document : Documents.read(text)) {
            objects.add(document);
        }
        return objects.read();
    }

    /**
     * Reads one Pod.
     *
     * @throws IOException naming the pod, if it cannot be read
     */
    public static PodFacts pod(JsonNode pod, ObjectReader reader) throws IOException {
        try {
            return reader.pod(TYPED.convertValue(pod, PodObject.class));
        } catch (IllegalArgumentException e) {
            throw unreadable(pod, JsonFault.of(e), e);
        }
    }

    private static IOException unreadable(JsonNode object, String why, Exception e) {
        return new IOException(
                "kind=%s name=%s: %s"
                        .formatted(
                                object.path("kind").asText(),
                                object.path("metadata").path("name").asText(),
                                why),
                e);
    }

    private static final class Objects {
        private final SortedMap<String, NodeFacts> nodes = new TreeMap<>();
        private final SortedMap<String, NodeTopology> topologies = new TreeMap<>();
        private final List<PodFacts> pods = new ArrayList<>();
        private final List<DisruptionBudget> budgets = new ArrayList<>();
        private final Map<String, PodOrigin> origins = new HashMap<>();
        private final List<ResourceSlice> slices = new ArrayList<>();
        private final List<ResourceClaim> claims = new ArrayList<>();
        private final List<DeviceClass> classes = new ArrayList<>();
        private final ObjectReader reader = ObjectReader.keepingConstraints();
        private final ResourceSliceReader sliceReader = new ResourceSliceReader();

        ClusterObjects read() {
            return new ClusterObjects(
                    nodes, topologies, pods, new DeviceObjects(slices, claims, classes), budgets, origins);
        }

        private static NodeTopology topology(JsonNode document) throws IOException {
            try {
                return NodeTopologyJson.read(document.toString());
            } catch (IOException e) {
                throw unreadable(document, firstLine(e), e);
            }
        }

        void add(JsonNode document) throws IOException {
            String kind = document.path("kind").asText();
            String name = document.path("metadata").path("name").asText();
            try {
                switch (kind) {
                    case "Node" -> {
                        Node node = TYPED.convertValue(document, Node.class);
                        nodes.put(name, reader.node(node));
                    }
                    case "Pod" -> {
                        PodFacts pod = pod(document, reader);
                        pods.add(pod);
                        origins.put(pod.key(), origin(document.path("metadata")));
                    }
                    case "PodDisruptionBudget" -> budgets.add(budget(document));
                    case NodeTopology.KIND -> topologies.put(name, topology(document));
                    default -> {
                        if (document.path("apiVersion").asText().equals(DEVICES)) {
                            addDevices(kind, document);
                        }
                    }
                }
            } catch (IllegalArgumentException e) {
                throw unreadable(document, JsonFault.of(e), e);
            }
        }

        private static PodOrigin origin(JsonNode metadata) {
            return new PodOrigin(
                    metadata.path("ownerReferences")
                            .valueStream()
                            .filter(owner -> owner.path("controller").asBoolean())
                            .map(owner -> owner.path("kind").asText())
                            .findFirst(),
                    time(metadata.path("creationTimestamp").asText()));
        }

        private static Optional<Instant> time(String text) {
            try {
                return Optional.of(Instant.parse(text));
            } catch (DateTimeParseException unknown) {
                return Optional.empty();
            }
        }

        private static DisruptionBudget budget(JsonNode document) {
            return new DisruptionBudget(
                    document.at("/metadata/namespace").asText(),
                    document.at("/metadata/name").asText(),
                    Optional.of(document.at("/spec/selector"))
                            .filter(JsonNode::isObject)
                            .map(ConstraintReader::selector),
                    document.at("/status/disruptionsAllowed").asInt());
        }

        private void addDevices(String kind, JsonNode document) {
            switch (kind) {
                case "ResourceSlice" -> slices.add(sliceReader.slice(document));
                case "ResourceClaim" -> claims.add(ClaimReader.claim(document));
                case "DeviceClass" -> classes.add(ClaimReader.deviceClass(document));
                default -> {}
            }
        }
    }
}
