package io.numaledger.images.rootfs;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import io.numaledger.images.ImagesMain;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.stream.StreamSupport;

import static org.assertj.core.api.Assertions.assertThat;

/** An image, packed and unpacked again as a container runtime does: by its index, its manifest and its layers. */
record UnpackedImage(Path root, JsonNode manifest, JsonNode image) {

    private static final ObjectMapper JSON = new ObjectMapper();
    private static final Path RECIPE = Path.of(System.getProperty("numaledger.root"), "images/src/main/image");

    /** Packs a root file system as {@code ./numaledger image} does. */
    static Path pack(String program, Path root, Path file) throws IOException, InterruptedException {
        run(List.of(
                Path.of(System.getProperty("java.home"), "bin/java").toString(),
                "-cp",
                System.getProperty("java.class.path"),
                ImagesMain.class.getName(),
                "pack",
                program,
                root.toString(),
                "--config=" + RECIPE.resolve(program).resolve("config.json"),
                "--output=" + file,
                "--source=https://example.com/numaledger"));
        return file;
    }

    static UnpackedImage of(Path file, Path place) throws IOException, InterruptedException {
        Path layout = Files.createDirectory(place.resolve("layout"));
        Path root = Files.createDirectory(place.resolve("root"));
        run(List.of("tar", "-xf", file.toString(), "-C", layout.toString()));
        String digest = JSON.readTree(layout.resolve("index.json").toFile())
                .at("/manifests/0/digest")
                .asText();
        JsonNode manifest = JSON.readTree(blob(layout, digest).toFile());
        JsonNode image = JSON.readTree(
                blob(layout, manifest.at("/config/digest").asText()).toFile());
        for (JsonNode layer : manifest.get("layers")) {
            Path blob = blob(layout, layer.get("digest").asText());
            run(List.of("tar", "-xzpf", blob.toString(), "-C", root.toString()));
        }
        JsonNode docker = JSON.readTree(layout.resolve("manifest.json").toFile());
        assertThat(layout.resolve(docker.at("/0/Config").asText())).exists();
        docker.at("/0/Layers")
                .forEach(layer -> assertThat(layout.resolve(layer.asText())).exists());
        return new UnpackedImage(root, manifest, image);
    }

    /** The digests of the layers, lowest first. */
    List<String> layers() {
        return StreamSupport.stream(manifest.get("layers").spliterator(), false)
                .map(layer -> layer.get("digest").asText())
                .toList();
    }

    /** A container of the image, as the charts run it: its user, no capabilities, a read-only root. */
    ContainedProgram contained() {
        ContainedProgram program =
                new ContainedProgram(root).as(image.at("/config/User").asText());
        for (JsonNode variable : image.at("/config/Env")) {
            String[] pair = variable.asText().split("=", 2);
            program.environment(pair[0], pair[1]);
        }
        return program;
    }

    /** The entry point, a program without arguments. */
    String entrypoint() {
        assertThat(image.at("/config/Entrypoint")).hasSize(1);
        return image.at("/config/Entrypoint/0").asText();
    }

    private static Path blob(Path layout, String digest) {
        return layout.resolve("blobs").resolve(digest.replace(':', '/'));
    }

    private static void run(List<String> command) throws IOException, InterruptedException {
        Process process = new ProcessBuilder(command).redirectErrorStream(true).start();
        String output = new String(process.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
        assertThat(process.waitFor()).as(output).isZero();
    }
}
