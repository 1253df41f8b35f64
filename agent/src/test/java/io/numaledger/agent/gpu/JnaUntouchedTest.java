package io.numaledger.agent.gpu;

import io.numaledger.agent.nvml.NvmlException;
import io.numaledger.agent.probe.ProbeCommand;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import picocli.CommandLine;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.Stream;

import static org.assertj.core.api.Assertions.assertThat;

/** In a JVM of its own, which tells every class that it loads. The process that calls NVML does not. */
class JnaUntouchedTest {

    private static final String JNA = "com.sun.jna.";

    @TempDir
    private Path directory;

    /** The probe alone. */
    static final class Main {
        private Main() {}

        public static void main(String[] arguments) {
            System.exit(new CommandLine(new ProbeCommand()).execute(arguments));
        }
    }

    @Test
    void aMachineWithoutAnNvidiaDeviceDoesNotLoadJna() throws IOException, InterruptedException {
        Path sysfs = Files.createDirectories(directory.resolve("sys/bus/pci/devices/0000:03:00.0"));
        Files.writeString(sysfs.resolve("vendor"), "0x8086\n");
        List<String> classes = classesLoaded("--sysfs-root", directory + "/sys", "--dev-root", directory.toString());
        assertThat(classes).anyMatch(name -> name.contains(GpuProbe.class.getName()));
        assertThat(classes).noneMatch(name -> name.contains(JNA));
    }

    @Test
    void anNvidiaDeviceDoesNotEither() throws IOException, InterruptedException {
        Files.createFile(directory.resolve("nvidiactl"));
        List<String> classes = classesLoaded("--sysfs-root", directory + "/sys", "--dev-root", directory.toString());
        assertThat(classes).anyMatch(name -> name.contains(NvmlException.class.getName()));
        assertThat(classes).noneMatch(name -> name.contains(JNA));
    }

    private List<String> classesLoaded(String... arguments) throws IOException, InterruptedException {
        Path log = directory.resolve("classes.log");
        List<String> command = new ArrayList<>(List.of(
                Path.of(System.getProperty("java.home"), "bin", "java").toString(),
                "-cp",
                System.getProperty("java.class.path"),
                "-Xlog:class+load:file=" + log,
                Main.class.getName(),
                "--gpus"));
        command.addAll(List.of(arguments));
        Process java = new ProcessBuilder(command).redirectErrorStream(true).start();
        String said = new String(java.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
        assertThat(java.waitFor()).as(said).isZero();
        try (Stream<String> lines = Files.lines(log)) {
            return lines.toList();
        }
    }
}
