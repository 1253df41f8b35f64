package io.numaledger.simulator.hardware;

import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.databind.DeserializationFeature;
import com.fasterxml.jackson.databind.JsonMappingException;
import com.fasterxml.jackson.databind.ObjectMapper;
import com.fasterxml.jackson.dataformat.yaml.YAMLFactory;
import com.fasterxml.jackson.dataformat.yaml.YAMLMapper;
import io.numaledger.simulator.text.TextErrors;
import org.jspecify.annotations.Nullable;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.util.List;
import java.util.stream.Collectors;

/** Reads the YAML that describes simulated nodes: one document with the key {@code nodes}. Every error names the field. */
public final class NodeSpecYaml {

    private static final ObjectMapper YAML = YAMLMapper.builder(new YAMLFactory())
            .enable(DeserializationFeature.FAIL_ON_NULL_FOR_PRIMITIVES)
            .build();

    private NodeSpecYaml() {}

    /**
     * Reads such a file.
     *
     * @throws NodeSpecException when the text does not describe nodes
     * @throws UncheckedIOException when the file cannot be read
     */
    public static List<NodeSpec> read(Path file) {
        try {
            return parse(Files.readString(file));
        } catch (NoSuchFileException cause) {
            throw new UncheckedIOException(
                    "cannot read the nodes: file=%s does not exist; check the path".formatted(file), cause);
        } catch (IOException cause) {
            throw new UncheckedIOException(
                    "cannot read the nodes: file=%s; give a readable YAML file".formatted(file), cause);
        }
    }

    /**
     * Reads the text of such a file.
     *
     * @throws NodeSpecException when the text does not describe nodes
     */
    public static List<NodeSpec> parse(String yaml) {
        @Nullable YamlNodes nodes;
        try {
            nodes = YAML.readValue(yaml, YamlNodes.class);
        } catch (JsonMappingException cause) {
            throw malformed(field(cause), TextErrors.describe(cause, YAML.getFactory(), yaml), cause);
        } catch (JsonProcessingException cause) {
            throw malformed("the text", TextErrors.describe(cause), cause);
        }
        if (nodes == null) {
            throw malformed("nodes", "missing", null);
        }
        return nodes.toSpecs();
    }

    static NodeSpecException malformed(String field, String why, @Nullable Throwable cause) {
        return new NodeSpecException(
                "cannot read the nodes: field=%s: %s; see the node YAML in docs/reference/node-yaml.md"
                        .formatted(
                                field,
                                "%.200s".formatted(why.lines().findFirst().orElse(""))),
                cause);
    }

    /** The path to the field: {@code nodes[0].numaNodes[1].cores}. */
    private static String field(JsonMappingException exception) {
        return exception.getPath().stream()
                .map(step -> step.getFieldName() == null ? "[" + step.getIndex() + "]" : "." + step.getFieldName())
                .collect(Collectors.joining())
                .replaceFirst("^\\.", "");
    }
}
