package io.numaledger.bridge.chart;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.MappingIterator;
import com.fasterxml.jackson.databind.ObjectMapper;
import com.fasterxml.jackson.dataformat.yaml.YAMLFactory;

import java.io.File;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.stream.Stream;

import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

/** The real helm, and the chart of this source tree. */
final class Helm {

    static final Path ROOT = Path.of(System.getProperty("numaledger.root"));
    static final Path CHART = ROOT.resolve("charts/numaledger");
    static final ObjectMapper YAML = new ObjectMapper(new YAMLFactory());

    private final Path program;

    private Helm(Path program) {
        this.program = program;
    }

    /** What helm wrote, and how it ended. */
    record Result(int status, String output) {}

    /** Skips the test if there is no helm in KUBEBUILDER_ASSETS or PATH. */
    static Helm find() {
        Optional<Path> found = Stream.concat(
                        Stream.ofNullable(System.getenv("KUBEBUILDER_ASSETS")),
                        Stream.of(System.getenv("PATH").split(File.pathSeparator)))
                .map(directory -> Path.of(directory, "helm"))
                .filter(Files::isExecutable)
                .findFirst();
        assumeTrue(found.isPresent(), "skipped: no helm in KUBEBUILDER_ASSETS or PATH");
        return new Helm(found.orElseThrow());
    }

    /** The chart as release numaledger in namespace numa-system, for Kubernetes 1.36 unless the flags say otherwise. */
    String template(String... flags) throws IOException, InterruptedException {
        Result result = tryTemplate(flags);
        assertThat(result.status()).as("helm template: %s", result.output()).isZero();
        return result.output();
    }

    Result tryTemplate(String... flags) throws IOException, InterruptedException {
        List<String> command = new ArrayList<>(List.of("template", "numaledger", CHART.toString()));
        command.addAll(List.of("--namespace=numa-system", "--kube-version=1.36.0"));
        command.addAll(List.of(flags));
        return run(command);
    }

    List<JsonNode> objects(String... flags) throws IOException, InterruptedException {
        try (MappingIterator<JsonNode> documents =
                YAML.readerFor(JsonNode.class).readValues(template(flags))) {
            return documents.readAll();
        }
    }

    /** The only object of a kind with this name. */
    JsonNode object(String kind, String name, String... flags) throws IOException, InterruptedException {
        List<JsonNode> found = objects(flags).stream()
                .filter(object -> object.path("kind").asText().equals(kind))
                .filter(object -> object.at("/metadata/name").asText().equals(name))
                .toList();
        assertThat(found).as("objects of kind %s and name %s", kind, name).hasSize(1);
        return found.get(0);
    }

    Result run(List<String> arguments) throws IOException, InterruptedException {
        Path home = Path.of("target", "helm").toAbsolutePath();
        ProcessBuilder builder = new ProcessBuilder(
                Stream.concat(Stream.of(program.toString()), arguments.stream()).toList());
        for (String variable : List.of("HELM_CACHE_HOME", "HELM_CONFIG_HOME", "HELM_DATA_HOME")) {
            builder.environment().put(variable, home.toString());
        }
        Process process = builder.redirectErrorStream(true).start();
        process.getOutputStream().close();
        String output = new String(process.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
        return new Result(process.waitFor(), output);
    }
}
