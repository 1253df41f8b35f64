package io.numaledger.agent.gpu;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.stream.Stream;

import static org.junit.jupiter.api.Assumptions.assumeTrue;

/** The link tables of real systems, in the directory that the environment variable NUMALEDGER_DATA names. */
final class DescribedSystems {

    private DescribedSystems() {}

    /** All of them by file name; without the directory, the test is skipped with a line that says so. */
    static List<Path> files() {
        String data = System.getenv("NUMALEDGER_DATA");
        assumeTrue(data != null, "skipped: NUMALEDGER_DATA names no directory with recorded data");
        try (Stream<Path> files = Files.list(Path.of(data, "nvlink"))) {
            return files.filter(file -> file.toString().endsWith(".json"))
                    .sorted()
                    .toList();
        } catch (IOException e) {
            throw new UncheckedIOException("cannot list described systems: NUMALEDGER_DATA=" + data, e);
        }
    }

    static Path file(String name) {
        return files().stream()
                .filter(file -> file.endsWith(name + ".json"))
                .findFirst()
                .orElseThrow();
    }

    static JsonNode json(Path file) {
        try {
            return new ObjectMapper().readTree(Files.readString(file));
        } catch (IOException e) {
            throw new UncheckedIOException("cannot read a described system: file=" + file, e);
        }
    }
}
