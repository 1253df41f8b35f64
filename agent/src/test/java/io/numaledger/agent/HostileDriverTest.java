package io.numaledger.agent;

import io.numaledger.agent.nvml.NvmlStub;
import io.numaledger.apiservers.fake.EmbeddedApiServer;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.stream.Stream;

import static org.assertj.core.api.Assertions.assertThat;

/** The agent process, with the flags of its image, where the driver's library ends the process that loads it, or worse. */
class HostileDriverTest {

    private static final List<String> PAIR = List.of(
            "gpu GPU-a 00000000:3B:00.0 1 2 -1",
            "gpu GPU-b 00000000:AF:00.0 0 4 -1",
            "link 0 0 1 0 00000000:AF:00.0",
            "link 1 0 1 0 00000000:3B:00.0");

    @TempDir
    private Path directory;

    private EmbeddedApiServer server;
    private FaultyKubelet kubelet;

    @BeforeEach
    void startServers() throws Exception {
        server = EmbeddedApiServer.start();
        kubelet = new FaultyKubelet(directory.resolve("kubelet.sock"));
    }

    @AfterEach
    void stop() {
        kubelet.close();
        server.close();
    }

    @ParameterizedTest(name = "{0}")
    @CsvSource(delimiter = '|', textBlock = """
            crashes when it starts          | crash nvmlInit_v2                   | NVML crashed: SIGSEGV in libnvidia-ml-stub.so+
            crashes in the middle           | crash nvmlDeviceGetMigMode          | NVML crashed: SIGSEGV in libnvidia-ml-stub.so+
            aborts                          | abort nvmlDeviceGetUUID             | NVML ended without a report: signal=6
            exits                           | exit nvmlDeviceGetCount_v2          | NVML ended without a report: exit=0
            counts 2^31-1 GPUs              | count 2147483647                    | the driver reports an impossible number of GPUs: gpus=2147483647
            hangs                           | hang nvmlInit_v2                    | NVML gives no answer: limit=10000 ms
            writes to stdout without end    | flood nvmlDeviceGetUUID             | NVML wrote too much
            writes beyond its text buffer   | overrun nvmlDeviceGetName           | NVML
            """)
    void publishesZonesSaysWhyLinksAreUnknownAndRecovers(String situation, String driver, String problem)
            throws Exception {
        Path library = NvmlStub.play(
                directory, Stream.concat(PAIR.stream(), Stream.of(driver)).toList());
        Files.createFile(directory.resolve("nvidiactl"));
        try (AgentProcess agent = AgentProcess.startAsInImage(
                server,
                directory,
                "--nvml-library=" + library,
                "--dev-root=" + directory,
                "--nvml-timeout=10s",
                "--gpu-interval=1s")) {
            agent.awaitLog("event=nrt.published");
            agent.awaitLog("event=nvml.failed node=w problem='" + problem);
            assertThat(agent.log().indexOf("event=nrt.published"))
                    .isLessThan(agent.log().indexOf("event=nvml.failed"));
            assertThat(mapped(agent)).noneMatch(file -> file.contains("jnidispatch") || file.contains("nvidia"));

            NvmlStub.change(library, PAIR);

            agent.awaitLog("event=nvml.recovered node=w");
            agent.awaitLog("event=gpu.published node=w gpus=2 keys=numaledger.io/gpu-topology");
            assertThat(agent.log().lines().filter(line -> line.contains("event=nvml.failed")))
                    .hasSize(1);
        }
    }

    private static List<String> mapped(AgentProcess agent) throws IOException {
        return Files.readAllLines(
                Path.of("/proc/%d/maps".formatted(agent.process().pid())));
    }
}
