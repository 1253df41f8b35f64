package io.numaledger.e2e.support;

import java.io.IOException;
import java.io.UncheckedIOException;

import static org.assertj.core.api.Assertions.assertThat;

/** Signals to processes. */
public final class Signal {

    private Signal() {}

    /** The process does nothing until {@link #resume}; its connections stay open. */
    public static void suspend(long pid) throws InterruptedException {
        send("STOP", pid);
    }

    public static void resume(long pid) throws InterruptedException {
        send("CONT", pid);
    }

    private static void send(String signal, long pid) throws InterruptedException {
        try {
            assertThat(new ProcessBuilder("kill", "-" + signal, String.valueOf(pid))
                            .start()
                            .waitFor())
                    .isZero();
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }
}
