package io.numaledger.agent.nvml;

import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.InputStream;
import java.nio.charset.StandardCharsets;
import java.util.function.Consumer;

/** Splits what a process writes into lines, as far as it has been written. */
final class PipeLines {

    private static final int MAX_LINE = 4096;

    private final InputStream in;
    private final Consumer<String> lines;
    private final byte[] buffer = new byte[4096];
    private final ByteArrayOutputStream line = new ByteArrayOutputStream();
    private long left;

    /**
     * Reads nothing yet.
     *
     * @param maxBytes of all lines together
     * @param lines receives each line; what a line has beyond 4096 bytes is left out
     */
    PipeLines(InputStream in, long maxBytes, Consumer<String> lines) {
        this.in = in;
        this.left = maxBytes;
        this.lines = lines;
    }

    /** Returns false if more was written than is to be read. */
    boolean readAvailable() throws IOException {
        for (int available = in.available(); available > 0; available = in.available()) {
            int length = in.read(buffer, 0, Math.min(available, buffer.length));
            left -= length;
            if (left < 0) {
                return false;
            }
            for (int at = 0; at < length; at++) {
                take(buffer[at]);
            }
        }
        return true;
    }

    private void take(byte read) {
        if (read == '\n') {
            lines.accept(line.toString(StandardCharsets.UTF_8));
            line.reset();
        } else if (line.size() < MAX_LINE) {
            line.write(read);
        }
    }
}
