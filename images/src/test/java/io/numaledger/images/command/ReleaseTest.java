package io.numaledger.images.command;

import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;

import static org.assertj.core.api.Assertions.assertThat;

/** What {@code ./release} checks before it builds anything. */
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
        assertThat(release("1.2.3", "--bogus", "x")).startsWith("usage: ./release VERSION");
    }

    @Test
    void refusesAChangedWorkingTree() throws Exception {
        Files.writeString(project.resolve("new.txt"), "not committed");

        assertThat(release("1.2.3")).isEqualTo("the working tree has changes; commit them first");
    }
}
