package io.numaledger.kubectl;

import io.numaledger.objects.ClusterYaml;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;

import static org.assertj.core.api.Assertions.assertThat;

/** {@code kubectl numa ui --output}. */
class ReportFileTest {

    @TempDir
    private Path directory;

    private String run(Path output) throws IOException {
        Path dump = Files.writeString(directory.resolve("dump.yaml"), ClusterYaml.node("n"));
        return PluginRun.of(false, List.of("ui", "--dump=" + dump, "--output=" + output));
    }

    @Test
    void isWrittenFromADumpWithoutAServer() throws IOException {
        Path report = directory.resolve("report.html");

        assertThat(run(report)).isEmpty();
        assertThat(report).content().startsWith("<!doctype html>").contains("Content-Security-Policy");
    }

    @Test
    void isNotWrittenWhereThereIsNoDirectory() throws IOException {
        Path report = directory.resolve("none/report.html");

        assertThat(run(report))
                .isEqualToIgnoringNewLines(
                        "cannot write the report: file=%s; set --output to a file in a directory that you may write to"
                                .formatted(report));
    }
}
