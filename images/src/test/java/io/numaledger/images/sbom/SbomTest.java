package io.numaledger.images.sbom;

import org.cyclonedx.Version;
import org.cyclonedx.model.Bom;
import org.cyclonedx.model.Component;
import org.cyclonedx.parsers.JsonParser;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import picocli.CommandLine;

import java.io.File;
import java.io.PrintWriter;
import java.io.StringWriter;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.stream.Stream;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.tuple;

/** The bill of materials of a small root file system, read by CycloneDX's own library. */
class SbomTest {

    private static final String EMPTY = "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855";
    private static final String MAVENS = """
            {"bomFormat": "CycloneDX", "specVersion": "1.6", "version": 1,
             "metadata": {"component": {"type": "application", "bom-ref": "agent", "name": "agent", "version": "1"}},
             "components": [
               {"type": "library", "bom-ref": "used", "name": "used", "version": "2", "hashes": [
                 {"alg": "SHA-1", "content": "da39a3ee5e6b4b0d3255bfef95601890afd80709"},
                 {"alg": "SHA-256", "content": "%s"}]},
               {"type": "library", "bom-ref": "unused", "name": "unused", "version": "3", "hashes": [
                 {"alg": "SHA-256", "content": "%s"}]}],
             "dependencies": [
               {"ref": "agent", "dependsOn": ["unused", "used"]}, {"ref": "unused", "dependsOn": ["used"]}, {"ref": "used"}]}
            """.formatted(EMPTY, "0".repeat(64));

    @TempDir
    private Path root;

    private final StringWriter errors = new StringWriter();

    @Test
    void listsWhatIsInTheRoot() throws Exception {
        Files.createFile(libraries().resolve("used-2.jar"));

        assertThat(sbom("--package=pkg:deb/debian/libstdc%2B%2B6@12.2.0-14%2Bdeb12u1?arch=amd64"))
                .as(errors.toString())
                .isZero();

        File file = root.resolve("sbom.cdx.json").toFile();
        assertThat(new JsonParser().validate(file, Version.VERSION_16)).isEmpty();
        Bom bom = new JsonParser().parse(file);
        assertThat(bom.getComponents())
                .extracting(Component::getName, Component::getVersion)
                .containsExactly(
                        tuple("used", "2"), tuple("openjdk", "17.0.15+6"), tuple("libstdc++6", "12.2.0-14+deb12u1"));
        assertThat(bom.getDependencies().get(0).getDependencies())
                .singleElement()
                .extracting(each -> each.getRef())
                .isEqualTo("used");
    }

    @Test
    void refusesAJarThatMavenDidNotList() throws Exception {
        Files.writeString(libraries().resolve("other-1.jar"), "other");

        assertThat(sbom()).isNotZero();
        assertThat(errors.toString())
                .contains("jars are not among the dependencies that Maven listed: jars=[%s]"
                        .formatted(root.resolve("lib-java/other-1.jar")));
    }

    private Path libraries() throws Exception {
        Files.createFile(Files.createDirectory(root.resolve("app")).resolve("agent-1.jar"));
        Files.writeString(
                Files.createDirectory(root.resolve("jre")).resolve("release"),
                "IMPLEMENTOR=\"Debian\"%nJAVA_RUNTIME_VERSION=\"17.0.15+6\"%n".formatted());
        return Files.createDirectory(root.resolve("lib-java"));
    }

    private int sbom(String... packages) throws Exception {
        Path mavens = Files.writeString(root.resolve("maven.json"), MAVENS);
        return new CommandLine(new SbomCommand())
                .setErr(new PrintWriter(errors))
                .execute(Stream.concat(Stream.of(root.toString(), "--dependencies=" + mavens), Stream.of(packages))
                        .toArray(String[]::new));
    }
}
