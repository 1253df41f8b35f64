package io.numaledger.images.sbom;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import com.fasterxml.jackson.databind.node.ObjectNode;
import io.numaledger.images.oci.Blob;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.SortedMap;
import java.util.TreeMap;
import java.util.stream.Stream;

/** The jars of a root file system as components of a bill of materials: those of Maven's, found again by their checksums. */
final class JarComponents {

    private JarComponents() {}

    /**
     * Leaves in the bill of materials what is in the root file system.
     *
     * @param bom what Maven wrote for the program
     * @throws IOException if the root file system has a jar that Maven did not list
     */
    static void keepPresent(ObjectNode bom, Path root) throws IOException {
        JsonNode program = bom.at("/metadata/component");
        SortedMap<String, Path> jars = jars(root);
        String own = "%s-%s.jar"
                .formatted(program.get("name").asText(), program.get("version").asText());
        jars.values().removeIf(jar -> jar.endsWith(own));
        Set<String> present = new HashSet<>(Set.of(program.get("bom-ref").asText()));
        List<JsonNode> components = new ArrayList<>();
        for (JsonNode component : bom.get("components")) {
            if (jars.remove(digest(component)) != null) {
                components.add(component);
                present.add(component.get("bom-ref").asText());
            }
        }
        if (!jars.isEmpty()) {
            throw new IOException(
                    "jars are not among the dependencies that Maven listed: jars=%s; run mvn package again"
                            .formatted(jars.values()));
        }
        bom.putArray("components").addAll(components);
        List<JsonNode> graph = graph(bom.get("dependencies"), present);
        bom.putArray("dependencies").addAll(graph);
    }

    private static SortedMap<String, Path> jars(Path root) throws IOException {
        SortedMap<String, Path> jars = new TreeMap<>();
        for (String directory : List.of("app", "lib-java")) {
            try (Stream<Path> files = Files.list(root.resolve(directory))) {
                for (Path jar : files.toList()) {
                    jars.put(Blob.of(jar).digest(), jar);
                }
            }
        }
        return jars;
    }

    private static String digest(JsonNode component) {
        for (JsonNode hash : component.get("hashes")) {
            if (hash.get("alg").asText().equals("SHA-256")) {
                return "sha256:" + hash.get("content").asText();
            }
        }
        throw new IllegalArgumentException(
                "Maven's bill of materials has no SHA-256: component=" + component.get("purl"));
    }

    /** The dependency graph of the components that are present. */
    private static List<JsonNode> graph(JsonNode all, Set<String> present) {
        List<JsonNode> nodes = new ArrayList<>();
        for (JsonNode node : all) {
            if (present.contains(node.get("ref").asText())) {
                ArrayNode kept = JsonNodeFactory.instance.arrayNode();
                node.path("dependsOn").forEach(each -> {
                    if (present.contains(each.asText())) {
                        kept.add(each);
                    }
                });
                ((ObjectNode) node).set("dependsOn", kept);
                nodes.add(node);
            }
        }
        return nodes;
    }
}
