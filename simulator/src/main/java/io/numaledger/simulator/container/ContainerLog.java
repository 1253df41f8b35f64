package io.numaledger.simulator.container;

import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStream;
import java.io.InputStreamReader;
import java.io.Writer;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.time.Instant;

/** A container's output in the format that the kubelet reads. */
final class ContainerLog {

    private ContainerLog() {}

    /** Returns when the output has ended. */
    static void copy(InputStream output, Path file) throws IOException {
        Files.createDirectories(file.getParent());
        try (BufferedReader lines = new BufferedReader(new InputStreamReader(output, StandardCharsets.UTF_8));
                Writer log = Files.newBufferedWriter(file, StandardOpenOption.CREATE, StandardOpenOption.APPEND)) {
            for (String line = lines.readLine(); line != null; line = lines.readLine()) {
                log.write("%s stdout F %s%n".formatted(Instant.now(), line));
                log.flush();
            }
        }
    }
}
