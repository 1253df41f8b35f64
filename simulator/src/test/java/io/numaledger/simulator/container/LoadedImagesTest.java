package io.numaledger.simulator.container;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;

import static org.assertj.core.api.Assertions.assertThat;

class LoadedImagesTest {

    private static final String DIGEST = "sha256:1111";

    @TempDir
    private Path directory;

    private final LoadedImages images = new LoadedImages(List.of(
            image("/old", "example.com/agent:1"),
            image("/new", "example.com/agent:2"),
            image("/latest", "example.com/agent:latest"),
            image("/by-digest", "example.com/bridge@" + DIGEST),
            image("/any", "example.com:5000/scheduler"),
            image("/replaced", "example.com/tool:1"),
            image("/replacement", "example.com/tool:1")));

    private static ContainerImage image(String root, String name) {
        return new ContainerImage(List.of(name), Path.of(root), List.of("/program"), List.of(), "0:0");
    }

    @Test
    void archivesOfOneRepositoryAreToldApartByTagAndDigest() throws IOException, InterruptedException {
        ContainerImage first = archive("1").unpack(directory.resolve("unpacked-1"));
        ContainerImage second = archive("2").unpack(directory.resolve("unpacked-2"));
        LoadedImages loaded = new LoadedImages(List.of(first, second));

        assertThat(loaded.find("example.com/agent:1")).contains(first);
        assertThat(loaded.find("example.com/agent:2")).contains(second);
        assertThat(loaded.find("example.com/agent@sha256:2")).contains(second);
        assertThat(loaded.find("example.com/agent:3")).isEmpty();
    }

    /** An image without layers, as {@code ./numaledger image} writes it. */
    private ImageArchive archive(String tag) throws IOException, InterruptedException {
        Path layout = Files.createDirectories(directory.resolve("layout-" + tag));
        Files.writeString(layout.resolve("index.json"), """
                {"manifests":[{"digest":"sha256:%s"}]}""".formatted(tag));
        Files.writeString(layout.resolve("manifest.json"), """
                [{"Config":"config","RepoTags":["example.com/agent:%s"],"Layers":[]}]""".formatted(tag));
        Files.writeString(layout.resolve("config"), """
                {"config":{"Entrypoint":["/program"],"User":"0:0"}}""");
        Path file = directory.resolve(tag + ".tar");
        Process tar = new ProcessBuilder("tar", "-cf", file.toString(), "-C", layout.toString(), ".").start();
        assertThat(tar.waitFor()).isZero();
        return new ImageArchive(file);
    }

    @ParameterizedTest(name = "{0}: {1} runs {2}")
    @CsvSource(delimiter = '|', nullValues = "nothing", textBlock = """
            a tag                       | example.com/agent:1               | /old
            another tag of the same     | example.com/agent:2               | /new
            a tag that was not loaded   | example.com/agent:3               | nothing
            no tag, which means latest  | example.com/agent                 | /latest
            a digest                    | example.com/bridge@sha256:1111    | /by-digest
            a tag beside the digest     | example.com/bridge:1@sha256:1111  | /by-digest
            another digest              | example.com/bridge@sha256:2222    | nothing
            loaded without a tag        | example.com:5000/scheduler        | /any
            loaded without a tag, tag   | example.com:5000/scheduler:v1     | /any
            loaded without a tag, digest| example.com:5000/scheduler@sha256:3 | /any
            another repository          | example.com/agents:1              | nothing
            a tag that was loaded twice | example.com/tool:1                | /replacement
            """)
    void eachNameRunsItsOwnRootFileSystem(String situation, String reference, String root) {
        assertThat(images.find(reference).map(image -> image.root().toString()).orElse(null))
                .as(situation)
                .isEqualTo(root);
    }
}
