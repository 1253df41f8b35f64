package io.numaledger.kubectl.client;

import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.PrintStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.List;

import static org.assertj.core.api.Assertions.assertThat;

/** A kubectl that writes sequences for terminals, as a server's warning can have them. */
class KubectlTest {

    @TempDir
    private Path directory;

    private final ByteArrayOutputStream written = new ByteArrayOutputStream();
    private final PrintStream before = System.err;

    @BeforeEach
    void captureErrors() {
        System.setErr(new PrintStream(written, true, StandardCharsets.UTF_8));
    }

    @AfterEach
    void restoreErrors() {
        System.setErr(before);
    }

    @Test
    void passesOnWarningsAsText() throws IOException {
        Path program = Files.writeString(directory.resolve("kubectl"), """
                #!/bin/sh
                printf 'Warning: \\033[31mred\\033]0;t\\007\\nPassword: ' >&2
                echo '{"kind":"Status"}'
                """);
        Files.setPosixFilePermissions(program, PosixFilePermissions.fromString("rwx------"));

        assertThat(new Kubectl(program.toString(), List.of())
                        .get("/version")
                        .path("kind")
                        .asText())
                .isEqualTo("Status");

        assertThat(written.toString(StandardCharsets.UTF_8))
                .isEqualTo("Warning: \\u001b[31mred\\u001b]0;t\\u0007\nPassword: ");
    }
}
