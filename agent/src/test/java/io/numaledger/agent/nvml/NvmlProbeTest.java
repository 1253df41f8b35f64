package io.numaledger.agent.nvml;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

import java.io.File;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.TimeUnit;
import java.util.stream.Stream;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

/** Reads made-up GPUs by a process that loads a real shared library. */
class NvmlProbeTest {

    private static final Duration LONG = Duration.ofMinutes(3);

    private static final List<String> MACHINE = List.of(
            "gpu GPU-a 00000000:3B:00.0 1 2 3",
            "gpu GPU-b 00010000:AF:00.0 0 4 -1",
            "gpu GPU-c 00010000:B0:00.0 3 -1 -1",
            "affinity 0 0",
            "link 0 0 1 0 00010000:AF:00.0",
            "link 0 1 0 255 -",
            "link 0 2 2 2 FFFFFFFF:FF:FF.0",
            "link 1 0 1 1 -",
            "ancestor 0 1 50",
            "p2p 0 1 5",
            "fabric 0 3 0 4000000000 0123456789abcdef0123456789abcdef",
            "fabric 1 2 0 7 0123456789abcdef0123456789abcdef",
            "mig 1 1 MIG-x 7 0 9728",
            "mig 1 4 MIG-y 8 1 19968",
            "fail nvmlDeviceGetMigMode 2 15");

    @TempDir
    private Path directory;

    private NvmlProbe probe(Duration limit, String... more) {
        return new NvmlProbe(Optional.of(library(more).toString()), limit);
    }

    private Path library(String... more) {
        return NvmlStub.play(
                directory, Stream.concat(MACHINE.stream(), Stream.of(more)).toList());
    }

    @ParameterizedTest(name = "{0}")
    @ValueSource(strings = {"quiet", "chat nvmlDeviceGetUUID", "crash nvmlShutdown"})
    void reportsWhatTheProcessReads(String manner) throws IOException {
        NvmlReport report = probe(LONG, manner).observe();

        assertThat(report.gpus()).extracting(NvmlGpu::label).containsExactly("GPU-a", "GPU-b", "GPU-c");
        Path quiet = NvmlStub.play(Files.createDirectory(directory.resolve("quiet")), MACHINE);
        try (NvmlSession session = NvmlMain.open(Optional.of(quiet.toString()))) {
            assertThat(report).isEqualTo(session.read());
        }
    }

    @ParameterizedTest(name = "{0}")
    @CsvSource(delimiter = '|', textBlock = """
            fail nvmlInit_v2 -1 9 | cannot start NVML: nvmlInit_v2 returned 9 (driver not loaded); load the nvidia kernel module
            crash nvmlInit_v2     | NVML crashed: SIGSEGV in libnvidia-ml-stub.so+
            abort nvmlInit_v2     | NVML ended without a report: signal=6; compare with nvidia-smi
            exit nvmlInit_v2      | NVML ended without a report: exit=0; compare with nvidia-smi
            flood nvmlInit_v2     | NVML wrote too much to standard output or error: limit=2097152 bytes
            """)
    void saysWhyThereIsNoReport(String driver, String sentence) {
        NvmlProbe probe = probe(LONG, driver);
        assertThatThrownBy(probe::observe).isInstanceOf(NvmlException.class).hasMessageStartingWith(sentence);
    }

    @Test
    void endsAProcessThatHangs() {
        NvmlProbe probe = probe(Duration.ofSeconds(2), "hang nvmlInit_v2");
        for (int turn = 0; turn < 2; turn++) {
            assertThatThrownBy(probe::observe)
                    .hasMessage(
                            "NVML gives no answer: limit=2000 ms; run nvidia-smi, enable persistence mode, or raise the limit");
            assertThat(ProcessHandle.current().descendants().flatMap(process -> process.info().commandLine().stream()))
                    .noneMatch(command -> command.contains(NvmlMain.class.getName()));
        }
    }

    /** The parent's end closes the pipe. */
    @Test
    void theProcessEndsWithItsStandardInput() throws Exception {
        Process process = new ProcessBuilder(
                        Path.of(System.getProperty("java.home"), "bin", "java").toString(),
                        "-cp",
                        System.getProperty("java.class.path"),
                        NvmlMain.class.getName(),
                        library("hang nvmlInit_v2").toString())
                .redirectOutput(new File("/dev/null"))
                .redirectError(new File("/dev/null"))
                .start();
        try {
            process.getOutputStream().close();
            assertThat(process.waitFor(3, TimeUnit.MINUTES)).isTrue();
        } finally {
            process.destroyForcibly();
        }
    }
}
