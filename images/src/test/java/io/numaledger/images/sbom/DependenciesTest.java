package io.numaledger.images.sbom;

import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import picocli.CommandLine;

import java.io.IOException;
import java.io.PrintWriter;
import java.io.StringWriter;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.LocalDateTime;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.Stream;
import java.util.zip.ZipEntry;
import java.util.zip.ZipOutputStream;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

/** The list of versions of a release, and the check that none has a known advisory. */
class DependenciesTest {

    private static final Path ROOT = Path.of(System.getProperty("numaledger.root"));
    private static final Path ADVISORIES = ROOT.resolve("images/src/main/release/advisories.txt");

    @TempDir
    private Path directory;

    private final StringWriter output = new StringWriter();
    private final StringWriter errors = new StringWriter();
    private Path advisories;

    @BeforeEach
    void writeAdvisories() throws IOException {
        advisories = Files.writeString(directory.resolve("advisories.txt"), """
                # comment
                org.example/*        1.84    CVE-1, CVE-2
                org.other/parser     2.21.5  CVE-3
                """);
    }

    private int dependencies(List<Path> boms, String... options) {
        List<String> arguments = new ArrayList<>(List.of("--advisories=" + advisories));
        arguments.addAll(List.of(options));
        boms.forEach(bom -> arguments.add(bom.toString()));
        return new CommandLine(new DependenciesCommand())
                .setOut(new PrintWriter(output))
                .setErr(new PrintWriter(errors))
                .execute(arguments.toArray(String[]::new));
    }

    private Path bom(String name, String... components) throws IOException {
        String listed = String.join(
                ",",
                Stream.of(components)
                        .map(each -> each.split("[/@]"))
                        .map(each -> "{\"group\":\"%s\",\"name\":\"%s\",\"version\":\"%s\"}".formatted((Object[]) each))
                        .toList());
        return Files.writeString(directory.resolve(name), "{\"components\":[%s]}".formatted(listed));
    }

    @Test
    void listsEachVersionOnceWithTheDateOfItsJar() throws IOException {
        Path jars = Files.createDirectory(directory.resolve("jars"));
        jar(jars.resolve("pkix-1.84.jar"), "2026-02-03T00:00");
        jar(jars.resolve("parser-3.0.jar"), "1980-02-01T00:00");

        int status = dependencies(
                List.of(
                        bom("a.json", "org.other/parser@3.0", "org.example/pkix@1.84"),
                        bom("b.json", "org.example/pkix@1.84")),
                "--jars=" + jars);

        assertThat(status).isZero();
        assertThat(output.toString().lines().map(line -> line.replaceAll(" +", " ")))
                .containsExactly("org.example/pkix 1.84 2026-02-03", "org.other/parser 3.0");
    }

    private static void jar(Path file, String time) throws IOException {
        try (ZipOutputStream jar = new ZipOutputStream(Files.newOutputStream(file))) {
            ZipEntry entry = new ZipEntry("a.class");
            entry.setTimeLocal(LocalDateTime.parse(time));
            jar.putNextEntry(entry);
        }
    }

    @ParameterizedTest
    @CsvSource({
        "org.example/pkix@1.83,           true",
        "org.example/pkix@1.9,            true",
        "org.example/pkix@1.84,           false",
        "org.example/pkix@1.84.1,         false",
        "org.example/pkix@2,              false",
        "org.other/parser@2.21.4,         true",
        "org.other/parser@2.21.5.Final,   false",
        "org.other/parser@2.21.10-android, false",
        "org.other/writer@1.0,            false"
    })
    void refusesVersionsWithAnAdvisory(String component, boolean refused) throws IOException {
        int status = dependencies(List.of(bom("a.json", component)));

        assertThat(status != 0).isEqualTo(refused);
        if (refused) {
            String[] parts = component.split("@");
            assertThat(errors.toString())
                    .contains("component=%s version=%s has an advisory: CVE-".formatted((Object[]) parts))
                    .contains("; take ");
        }
    }

    @Test
    void refusesALineWithoutAnAdvisory() {
        assertThatThrownBy(() -> OldestVersions.parse("org.example/pkix 1.84"))
                .hasMessageContaining("no advisory: line='org.example/pkix 1.84'");
    }

    /** The programs as they were packaged last; without that there is nothing to check. */
    @ParameterizedTest
    @CsvSource({"agent", "scheduler-bridge"})
    void theProgramsHaveNoVersionWithAnAdvisory(String program) {
        Path bom = ROOT.resolve(program).resolve("target/sbom.json");
        assumeTrue(Files.exists(bom), "skipped: run mvn package first");
        advisories = ADVISORIES;

        assertThat(dependencies(List.of(bom))).as(errors.toString()).isZero();
        assertThat(output.toString()).contains("org.bouncycastle/bcpkix-jdk18on");
    }
}
