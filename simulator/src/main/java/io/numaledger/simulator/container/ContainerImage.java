package io.numaledger.simulator.container;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;

/**
 * An unpacked image.
 *
 * @param names with tag or digest, such as {@code example.com/agent:1}; a name without either stands for all of them
 * @param environment variables such as {@code A=b}
 * @param user user and group id, such as {@code 65532:65532}
 */
public record ContainerImage(
        List<String> names, Path root, List<String> entrypoint, List<String> environment, String user) {

    private static final ObjectMapper JSON = new ObjectMapper();

    public ContainerImage {
        names = List.copyOf(names);
        root = root.toAbsolutePath();
        entrypoint = List.copyOf(entrypoint);
        environment = List.copyOf(environment);
    }

    /** @param config JSON with Entrypoint, Env and User, as in an image */
    public static ContainerImage unpacked(String name, Path root, Path config) {
        try {
            return of(List.of(name), root, JSON.readTree(config.toFile()));
        } catch (IOException cause) {
            throw new UncheckedIOException(
                    "cannot read an image's configuration: file=%s; check that it is JSON".formatted(config), cause);
        }
    }

    static ContainerImage of(List<String> names, Path root, JsonNode config) {
        return new ContainerImage(
                names,
                root,
                texts(config.path("Entrypoint")),
                texts(config.path("Env")),
                config.path("User").asText());
    }

    private static List<String> texts(JsonNode array) {
        List<String> texts = new ArrayList<>();
        array.forEach(each -> texts.add(each.asText()));
        return texts;
    }

    /**
     * An image with one static program in {@code /usr/local/bin} and nothing else, as those of Kubernetes are.
     *
     * @param root an empty directory
     */
    public static ContainerImage ofProgram(String name, Path program, Path root) {
        Path at = Path.of("/usr/local/bin").resolve(program.getFileName());
        try {
            Path inRoot = root.resolve(Path.of("/").relativize(at));
            Files.createDirectories(inRoot.getParent());
            Files.copy(program, inRoot);
        } catch (IOException cause) {
            throw new UncheckedIOException(
                    "cannot make an image: program=%s root=%s; check that the directory may be written"
                            .formatted(program, root),
                    cause);
        }
        return new ContainerImage(List.of(name), root, List.of(at.toString()), List.of(), "0:0");
    }
}
