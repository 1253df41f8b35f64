package io.numaledger.simulator.container;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import io.numaledger.simulator.cri.ImageNames;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;

/** An image in a tar file, as {@code ./numaledger image} and {@code docker save} write it. */
public record ImageArchive(Path file) {

    private static final ObjectMapper JSON = new ObjectMapper();

    /**
     * Unpacks the image, layer by layer.
     *
     * @param directory is created; the root file system and the files of the archive will be in it
     * @throws ContainerException if it is no image
     */
    public ContainerImage unpack(Path directory) {
        try {
            Path layout = Files.createDirectories(directory.resolve("layout"));
            Path root = Files.createDirectories(directory.resolve("root"));
            tar("-xf", file, layout);
            JsonNode image =
                    JSON.readTree(layout.resolve("manifest.json").toFile()).path(0);
            for (JsonNode layer : image.path("Layers")) {
                tar("-xpf", layout.resolve(layer.asText()), root);
            }
            String tag = image.at("/RepoTags/0").asText();
            JsonNode config =
                    JSON.readTree(layout.resolve(image.path("Config").asText()).toFile());
            List<String> names = new ArrayList<>(List.of(tag));
            Path index = layout.resolve("index.json");
            if (Files.exists(index)) { // docker save writes it since Docker 25
                String digest =
                        JSON.readTree(index.toFile()).at("/manifests/0/digest").asText();
                names.add(ImageNames.repository(tag) + "@" + digest);
            }
            return ContainerImage.of(names, root, config.path("config"));
        } catch (IOException cause) {
            throw new UncheckedIOException(
                    "cannot unpack an image: file=%s; use one that ./numaledger image wrote".formatted(file), cause);
        }
    }

    private void tar(String mode, Path archive, Path directory) throws IOException {
        Process process = new ProcessBuilder(List.of("tar", mode, archive.toString(), "-C", directory.toString()))
                .redirectErrorStream(true)
                .start();
        String output = new String(process.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
        process.onExit().join();
        if (process.exitValue() != 0) {
            throw new ContainerException(
                    "cannot unpack an image: file=%s output=%s; use one that ./numaledger image wrote"
                            .formatted(file, output.strip()));
        }
    }
}
