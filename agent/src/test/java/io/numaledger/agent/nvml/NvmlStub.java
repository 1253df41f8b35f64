package io.numaledger.agent.nvml;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.stream.Stream;

import static org.junit.jupiter.api.Assumptions.assumeTrue;

/** Builds a library that plays described GPUs behind NVML's functions, from {@code src/test/c/nvml_stub.c}. */
public final class NvmlStub {

    private static final Path SOURCE =
            Path.of(System.getProperty("numaledger.root"), "agent", "src", "test", "c", "nvml_stub.c");
    private static final Map<List<String>, Path> BUILT = new ConcurrentHashMap<>();

    private NvmlStub() {}

    /**
     * A library of its own that plays this machine; without a C compiler the test is skipped with a line that says so.
     *
     * @param directory a new one for each machine, since a library stays mapped
     * @param machine the lines that the head of the source describes
     * @param defines what the library is to lack, such as {@code WITHOUT_MODULE_ID}
     */
    public static Path play(Path directory, List<String> machine, String... defines) {
        try {
            Path library = directory.resolve("libnvidia-ml-stub.so");
            Files.copy(BUILT.computeIfAbsent(List.of(defines), NvmlStub::build), library);
            Files.write(directory.resolve("libnvidia-ml-stub.so.machine"), machine);
            return library;
        } catch (IOException e) {
            throw new UncheckedIOException("cannot place the stub: directory=" + directory, e);
        }
    }

    /** Has the next start of NVML find this machine. */
    public static void change(Path library, List<String> machine) throws IOException {
        Path written = Files.write(library.resolveSibling("changed.machine"), machine);
        Files.move(written, library.resolveSibling(library.getFileName() + ".machine"), StandardCopyOption.ATOMIC_MOVE);
    }

    private static Path build(List<String> defines) {
        try {
            Path directory = Files.createTempDirectory("nvml-stub");
            directory.toFile().deleteOnExit(); // after the library, the order being the reverse of this
            Path library = directory.resolve("stub.so");
            library.toFile().deleteOnExit();
            List<String> command = new ArrayList<>(List.of(compiler(), "-shared", "-fPIC", "-o", library.toString()));
            defines.forEach(define -> command.add("-D" + define));
            command.addAll(List.of(SOURCE.toString(), "-ldl"));
            Process process =
                    new ProcessBuilder(command).redirectErrorStream(true).start();
            String output = new String(process.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
            if (process.waitFor() != 0) {
                throw new IllegalStateException("the stub does not compile: command=%s: %s".formatted(command, output));
            }
            return library;
        } catch (IOException e) {
            throw new UncheckedIOException("cannot run the C compiler: source=" + SOURCE, e);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw new IllegalStateException("interrupted while the stub compiled: source=" + SOURCE, e);
        }
    }

    private static String compiler() {
        List<String> found = Stream.of(System.getenv("PATH").split(":"))
                .flatMap(directory -> Stream.of("cc", "gcc", "clang").map(name -> Path.of(directory, name)))
                .filter(Files::isExecutable)
                .map(Path::toString)
                .limit(1)
                .toList();
        assumeTrue(!found.isEmpty(), "skipped: no C compiler (cc, gcc, clang) on the PATH to build the NVML stub");
        return found.get(0);
    }
}
