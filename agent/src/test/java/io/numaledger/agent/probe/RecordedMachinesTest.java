package io.numaledger.agent.probe;

import com.fasterxml.jackson.databind.ObjectMapper;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import picocli.CommandLine;

import java.io.IOException;
import java.io.PrintWriter;
import java.io.StringWriter;
import java.net.URISyntaxException;
import java.nio.file.Path;

import static org.assertj.core.api.Assertions.assertThat;

/** The command on trimmed captures of real machines, which every clone has; each has a CAPTURE.md. */
class RecordedMachinesTest {

    private static final ObjectMapper JSON = new ObjectMapper();

    @ParameterizedTest(name = "{0}")
    @ValueSource(strings = {"16cpu-4s1n-offline", "2cpu-1s-arm-no-numa", "32cpu-2s8n-power9-gpu-memory"})
    void printsTheMachineAsItIsKnownToBe(String shape) throws IOException {
        StringWriter out = new StringWriter();
        StringWriter err = new StringWriter();

        int exit = new CommandLine(new ProbeCommand())
                .setOut(new PrintWriter(out))
                .setErr(new PrintWriter(err))
                .execute(
                        "-o",
                        "json",
                        "--sysfs-root",
                        machine(shape).resolve("sys").toString());

        assertThat(err.toString()).isEmpty();
        assertThat(exit).isZero();
        assertThat(JSON.readTree(out.toString()))
                .isEqualTo(JSON.readTree(
                        machine(shape).resolve("expected/probe.json").toFile()));
    }

    private static Path machine(String shape) {
        try {
            return Path.of(
                    RecordedMachinesTest.class.getResource("/machines/" + shape).toURI());
        } catch (URISyntaxException e) {
            throw new IllegalStateException(e);
        }
    }
}
