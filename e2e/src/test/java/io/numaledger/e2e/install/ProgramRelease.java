package io.numaledger.e2e.install;

import io.numaledger.simulator.container.ContainerImage;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Optional;

import static org.junit.jupiter.api.Assumptions.assumeTrue;

/**
 * A chart with the images that it names.
 *
 * @param version of the chart and of the programs; it is the tag of the images
 * @param chart an archive, or a directory that Helm packs with this version
 */
record ProgramRelease(String version, Path chart, List<ContainerImage> images) {

    static final String REGISTRY = "registry.example.com/numaledger/";
    private static final Path PROJECT = Path.of(System.getProperty("numaledger.root"));

    static ProgramRelease ofThisBuild(String version) throws IOException, InterruptedException {
        return new ProgramRelease(
                version, PROJECT.resolve("charts/numaledger"), ProgramImages.of(REGISTRY, ":" + version));
    }

    /** What {@code e2e/earlier-release.sh} made. Skips the test where there is nothing. */
    static ProgramRelease earlier() throws IOException {
        Optional<Path> made = Optional.ofNullable(System.getenv("NUMALEDGER_EARLIER"))
                .map(Path::of)
                .filter(directory -> Files.isRegularFile(directory.resolve("version")));
        assumeTrue(made.isPresent(), "skipped: NUMALEDGER_EARLIER names no directory that e2e/earlier-release.sh made");
        Path directory = made.get();
        String version = Files.readString(directory.resolve("version")).strip();
        return new ProgramRelease(
                version,
                directory.resolve("numaledger-%s.tgz".formatted(version)),
                List.of(image(directory, "agent", version), image(directory, "bridge", version)));
    }

    private static ContainerImage image(Path directory, String program, String version) {
        return ContainerImage.unpacked(
                REGISTRY + program + ":" + version, directory.resolve(program), directory.resolve(program + ".json"));
    }

    /** Packs the chart if it is a directory. Returns the chart's archive. */
    Path packed(UserShell shell, Path directory) throws IOException, InterruptedException {
        if (Files.isDirectory(chart)) {
            shell.run("helm package %s --version %s --app-version %s --destination %s"
                    .formatted(chart, version, version, directory));
            return directory.resolve("numaledger-%s.tgz".formatted(version));
        }
        return chart;
    }
}
