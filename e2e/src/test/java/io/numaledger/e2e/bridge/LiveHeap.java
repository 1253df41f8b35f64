package io.numaledger.e2e.bridge;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.List;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * The live objects of a Java process.
 *
 * @param largest the classes with the most bytes, for people
 */
record LiveHeap(long bytes, String largest) {

    private static final int LINES = 25;

    /** Of this process, after a full garbage collection. */
    static LiveHeap of(long pid) {
        Path jcmd = Path.of(System.getProperty("java.home"), "bin", "jcmd");
        try {
            Process histogram = new ProcessBuilder(jcmd.toString(), String.valueOf(pid), "GC.class_histogram").start();
            String text = new String(histogram.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
            List<String> lines = text.strip().lines().toList();
            String[] total = lines.get(lines.size() - 1).split("\\s+");
            assertThat(total).as(text).startsWith("Total");
            return new LiveHeap(
                    Long.parseLong(total[2]), String.join("\n", lines.subList(0, Math.min(LINES, lines.size()))));
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }
}
