package io.numaledger.kubectl.output;

import java.io.IOException;

/**
 * The answer of a command.
 *
 * @param text without a newline at its end
 * @param status the exit status
 */
public record Result(String text, int status) {

    /** Where answers come from. */
    @FunctionalInterface
    public interface Source {
        Result next() throws IOException;
    }
}
