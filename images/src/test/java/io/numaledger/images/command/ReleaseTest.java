package io.numaledger.images.command;

import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;

import static org.assertj.core.api.Assertions.assertThat;

/** What {@code ./release} checks before it builds anything, and how it looks up advisories. */
class ReleaseTest {

    @TempDir
    private Path project;

    @BeforeEach
    void writeProject() throws Exception {
        Files.copy(Path.of(System.getProperty("numaledger.root"), "release"), project.resolve("release"));
        Files.writeString(project.resolve("CHANGELOG.md"), "## [1.2.3]\n");
        run("git", "init", "--quiet");
        run("git", "add", "--all");
        run("git", "-c", "user.name=a", "-c", "user.email=a@example.com", "commit", "--quiet", "--message=all");
    }

    private String run(String... command) throws IOException, InterruptedException {
        Process process = new ProcessBuilder(command)
                .directory(project.toFile())
                .redirectErrorStream(true)
                .start();
        String output = new String(process.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
        process.waitFor();
        return output.strip();
    }

    private String release(String... arguments) throws IOException, InterruptedException {
        List<String> command = new ArrayList<>(List.of("./release"));
        command.addAll(List.of(arguments));
        return run(command.toArray(String[]::new));
    }

    @Test
    void refusesWhatIsNoVersionAndWhatHasNoChangelog() throws Exception {
        assertThat(release("1.2-SNAPSHOT")).startsWith("no version: '1.2-SNAPSHOT'");
        assertThat(release("2.0.0")).isEqualTo("CHANGELOG.md has no section '## [2.0.0]'; write it first");
    }

    @Test
    void reportsWrongOptionsInOneLine() throws Exception {
        assertThat(release("1.2.3", "--bogus", "x")).isEqualTo("unknown option: --bogus; see ./release --help");
        assertThat(release("1.2.3", "--output"))
                .isEqualTo("unknown option, or without its value: --output; see ./release --help");
        assertThat(release()).isEqualTo("no version; see ./release --help");
    }

    @Test
    void refusesAnOutputThatItCannotWrite() throws Exception {
        assertThat(release("1.2.3", "--output", "/proc/x"))
                .isEqualTo("cannot write the output: dir=/proc/x; set --output to another directory");
    }

    @Test
    void refusesAChangedWorkingTree() throws Exception {
        Files.writeString(project.resolve("new.txt"), "not committed");

        assertThat(release("1.2.3")).isEqualTo("the working tree has changes; commit them first");
    }

    /** A scanner that ends with a status, as osv-scanner's documentation has them; without a status, there is no scanner. */
    @ParameterizedTest(name = "{0}")
    @CsvSource(delimiter = '|', textBlock = """
            nothing found   | 0   | 0 | advisories: none known
            one found       | 1   | 1 | dependencies have known advisories
            no database     | 127 | 0 | osv-scanner could not scan: status=127. Before you publish, run
            no components   | 128 | 0 | osv-scanner could not scan: status=128. Before you publish, run
            no scanner      |     | 0 | osv-scanner is not on the path. Before you publish, run
            """)
    void looksUpAdvisories(String situation, Integer scannerStatus, int status, String said) throws Exception {
        Path path = Files.createDirectory(project.resolve("path"));
        Files.createSymbolicLink(path.resolve("dirname"), Path.of("/usr/bin/dirname"));
        if (scannerStatus != null) {
            Path scanner = Files.writeString(
                    path.resolve("osv-scanner"), "#!/bin/sh\necho scanned \"$@\"\nexit %d\n".formatted(scannerStatus));
            assertThat(scanner.toFile().setExecutable(true)).isTrue();
        }
        Path script = Path.of(System.getProperty("numaledger.root"), "images/src/main/release/scan.sh");
        ProcessBuilder builder = new ProcessBuilder("/bin/sh", script.toString(), "a.cdx.json", "b.cdx.json");
        builder.environment().put("PATH", path.toString());
        Process process = builder.redirectErrorStream(true).start();
        String output = new String(process.getInputStream().readAllBytes(), StandardCharsets.UTF_8);

        assertThat(process.waitFor()).as(output).isEqualTo(status);
        assertThat(output).contains(said);
        if (scannerStatus == null || scannerStatus > 0) {
            assertThat(output).contains("osv-scanner.toml");
        }
        if (scannerStatus == null) {
            assertThat(output).contains("osv-scanner scan source --config=").contains("-L a.cdx.json -L b.cdx.json");
        } else {
            assertThat(output).contains("scanned scan source --config=").contains("-L a.cdx.json -L b.cdx.json");
        }
    }
}
