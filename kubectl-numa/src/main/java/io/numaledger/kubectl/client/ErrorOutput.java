package io.numaledger.kubectl.client;

import java.io.IOException;
import java.io.Reader;
import java.io.Writer;
import java.util.List;

/**
 * kubectl's standard error. Its own errors are kept; everything else is passed on at once, such as how to log in, or a question of a
 * credential plugin that is no whole line yet.
 */
final class ErrorOutput {

    private static final List<String> ERRORS =
            List.of("Error", "error", "The connection to the server", "Unable to connect");

    private ErrorOutput() {}

    /** Returns the errors when the output has ended. */
    static String passOn(Reader from, Writer to) throws IOException {
        StringBuilder errors = new StringBuilder();
        StringBuilder line = new StringBuilder();
        boolean passes = false;
        for (int read = from.read(); read >= 0; read = from.read()) {
            line.append((char) read);
            if (passes) {
                to.write(read);
                to.flush();
            } else if (!mayBeError(line.toString())) {
                passes = true;
                to.write(line.toString());
                to.flush();
            }
            if (read == '\n') {
                errors.append(passes ? "" : line);
                line.setLength(0);
                passes = false;
            }
        }
        return errors.append(passes ? "" : line).toString().strip();
    }

    private static boolean mayBeError(String line) {
        return ERRORS.stream().anyMatch(error -> line.startsWith(error) || error.startsWith(line));
    }
}
