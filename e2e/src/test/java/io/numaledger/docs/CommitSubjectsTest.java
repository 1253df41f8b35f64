package io.numaledger.docs;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assumptions.assumeThat;

/** The subjects of commits are within 72 characters, and Git's hook says so when one is written. */
class CommitSubjectsTest {

    private static final Path ROOT = Path.of(System.getProperty("numaledger.root"));
    private static final int MAX_LENGTH = 72;

    /** Before this, the rule was not checked. */
    private static final String SINCE = "2026-11-26T10:52:00Z";

    private record Result(int status, String output) {}

    @Test
    void areWithin72Characters() throws IOException, InterruptedException {
        assumeThat(ROOT.resolve(".git"))
                .as("skipped: the sources are no clone of a Git repository")
                .exists();
        Result log = run(List.of("git", "log", "--no-merges", "--since=" + SINCE, "--format=%h %s"));
        assumeThat(log.status())
                .as("skipped: git cannot read the commits: %s", log.output())
                .isZero();

        assertThat(log.output().lines().filter(CommitSubjectsTest::isTooLong)).isEmpty();
    }

    private static boolean isTooLong(String line) {
        String subject = line.substring(line.indexOf(' ') + 1);
        return !subject.startsWith("Revert ") && subject.codePointCount(0, subject.length()) > MAX_LENGTH;
    }

    @ParameterizedTest(name = "{0} of {1}")
    @CsvSource({"72, a, 0", "72, ä, 0", "73, a, 1", "73, ä, 1"})
    void theHookRefusesLongerOnes(int length, String letter, int status, @TempDir Path directory)
            throws IOException, InterruptedException {
        Path message = Files.writeString(directory.resolve("message"), letter.repeat(length) + "\n\n" + "b".repeat(99));

        assertThat(run(List.of("sh", ROOT.resolve(".githooks/commit-msg").toString(), message.toString()))
                        .status())
                .isEqualTo(status);
    }

    private static Result run(List<String> command) throws IOException, InterruptedException {
        Process process = new ProcessBuilder(command)
                .directory(ROOT.toFile())
                .redirectErrorStream(true)
                .start();
        String output = new String(process.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
        return new Result(process.waitFor(), output);
    }
}
