package io.numaledger.agent.kubelet;

import com.fasterxml.jackson.core.JsonParser;
import com.fasterxml.jackson.core.JsonToken;
import com.fasterxml.jackson.dataformat.yaml.YAMLFactory;
import io.numaledger.kubelet.config.CpuPolicy;
import io.numaledger.kubelet.config.MemoryPolicy;
import io.numaledger.kubelet.config.TopologyPolicyName;
import io.numaledger.kubelet.config.TopologyScope;
import io.numaledger.nrt.KubeletSettings;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.util.Map;
import java.util.Optional;
import java.util.TreeMap;
import java.util.function.Function;
import java.util.stream.Collectors;
import java.util.stream.Stream;

/**
 * Reads the fields that matter here from a KubeletConfiguration, in YAML or JSON. A field that is missing has the kubelet's
 * default: it is the kubelet's own file.
 */
public final class KubeletConfigFile {

    private KubeletConfigFile() {}

    public static KubeletSettings read(Path file) throws IOException {
        String text;
        try {
            text = Files.readString(file);
        } catch (NoSuchFileException e) {
            throw new IOException(
                    "cannot read the kubelet's configuration: file=%s does not exist; check --kubelet-config"
                            .formatted(file),
                    e);
        } catch (IOException e) {
            throw new IOException(
                    "cannot read the kubelet's configuration: file=%s: %s; check --kubelet-config".formatted(file, e),
                    e);
        }
        try {
            return parse(text);
        } catch (IOException | IllegalArgumentException e) {
            throw new IOException(
                    "cannot use the kubelet's configuration: file=%s: %s".formatted(file, firstLine(e)), e);
        }
    }

    private static String firstLine(Exception e) {
        return String.valueOf(e.getMessage()).lines().findFirst().orElse("");
    }

    /**
     * @throws IllegalArgumentException if a policy has a value that no kubelet takes
     */
    static KubeletSettings parse(String text) throws IOException {
        try (JsonParser yaml = new YAMLFactory().createParser(text)) {
            yaml.nextToken();
            return parse(yaml);
        }
    }

    /**
     * Reads the configuration from the token that opens it.
     *
     * @throws IllegalArgumentException if it is none, or a policy has a value that no kubelet takes
     */
    public static KubeletSettings parse(JsonParser config) throws IOException {
        if (config.currentToken() != JsonToken.START_OBJECT) {
            throw new IllegalArgumentException("it is no KubeletConfiguration: the document is no mapping");
        }
        Map<String, String> scalars = new TreeMap<>();
        Map<String, TreeMap<String, String>> maps = new TreeMap<>();
        while (config.nextToken() == JsonToken.FIELD_NAME) {
            String field = config.currentName();
            JsonToken value = config.nextToken();
            if (value.isScalarValue()) {
                scalars.put(field, value == JsonToken.VALUE_NULL ? "" : config.getText());
            } else if (value == JsonToken.START_OBJECT
                    && (field.endsWith("PolicyOptions") || field.equals("featureGates"))) {
                maps.put(field, options(config));
            } else {
                config.skipChildren();
            }
        }
        TreeMap<String, Boolean> gates = new TreeMap<>();
        maps.getOrDefault("featureGates", new TreeMap<>()).forEach((gate, on) -> gates.put(gate, Boolean.valueOf(on)));
        return new KubeletSettings(
                Optional.of(
                        value(scalars, "topologyManagerPolicy", TopologyPolicyName::find, TopologyPolicyName.values())),
                Optional.of(value(scalars, "topologyManagerScope", TopologyScope::find, TopologyScope.values())),
                maps.getOrDefault("topologyManagerPolicyOptions", new TreeMap<>()),
                Optional.of(value(scalars, "cpuManagerPolicy", CpuPolicy::find, CpuPolicy.values())),
                maps.getOrDefault("cpuManagerPolicyOptions", new TreeMap<>()),
                Optional.of(value(scalars, "memoryManagerPolicy", MemoryPolicy::find, MemoryPolicy.values())),
                gates);
    }

    private static TreeMap<String, String> options(JsonParser yaml) throws IOException {
        TreeMap<String, String> options = new TreeMap<>();
        while (yaml.nextToken() == JsonToken.FIELD_NAME) {
            String name = yaml.currentName();
            yaml.nextToken();
            options.put(name, yaml.getText());
        }
        return options;
    }

    /** The first of the allowed values is the kubelet's default. */
    private static <E> E value(
            Map<String, String> scalars, String field, Function<String, Optional<E>> find, E[] allowed) {
        String value = scalars.getOrDefault(field, "");
        return value.isEmpty()
                ? allowed[0]
                : find.apply(value)
                        .orElseThrow(() -> new IllegalArgumentException("%s is '%s'; expected %s"
                                .formatted(
                                        field,
                                        value,
                                        Stream.of(allowed).map(String::valueOf).collect(Collectors.joining(", ")))));
    }
}
