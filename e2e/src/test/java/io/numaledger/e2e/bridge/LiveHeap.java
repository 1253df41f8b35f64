package io.numaledger.e2e.bridge;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Optional;

import static org.awaitility.Awaitility.await;

/**
 * The live objects of a Java process.
 *
 * @param largest the classes with the most bytes, for people
 */
record LiveHeap(long bytes, String largest) {

    private static final int LINES = 25;

    /** Of this process, after a full garbage collection. A process that has just started does not answer yet. */
    static LiveHeap of(long pid) {
        return await("the process answers")
                .atMost(Duration.ofMinutes(3))
                .until(() -> read(pid), Optional::isPresent)
                .orElseThrow();
    }

    private static Optional<LiveHeap> read(long pid) {
        Path jcmd = Path.of(System.getProperty("java.home"), "bin", "jcmd");
        try {
            Process histogram = new ProcessBuilder(jcmd.toString(), String.valueOf(pid), "GC.class_histogram").start();
            String text = new String(histogram.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
            List<String> lines = text.strip().lines().toList();
            String[] total = lines.isEmpty()
                    ? new String[0]
                    : lines.get(lines.size() - 1).split("\\s+");
            return total.length > 2 && total[0].equals("Total")
                    ? Optional.of(new LiveHeap(
                            Long.parseLong(total[2]),
                            String.join("\n", lines.subList(0, Math.min(LINES, lines.size())))))
                    : Optional.empty();
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }
}
