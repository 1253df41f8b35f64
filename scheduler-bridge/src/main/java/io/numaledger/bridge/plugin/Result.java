package io.numaledger.bridge.plugin;

import java.io.IOException;

/**
 * The answer of a command.
 *
 * @param text without a newline at its end
 * @param status the exit status
 */
record Result(String text, int status) {

    /** Where answers come from. */
    @FunctionalInterface
    interface Source {
        Result next() throws IOException;
    }
}
