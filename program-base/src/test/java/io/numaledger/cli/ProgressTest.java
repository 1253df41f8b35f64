package io.numaledger.cli;

import org.junit.jupiter.api.Test;

import java.io.ByteArrayOutputStream;
import java.io.PrintStream;
import java.io.PrintWriter;
import java.io.StringWriter;
import java.util.Optional;
import java.util.concurrent.atomic.AtomicLong;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;

class ProgressTest {

    private static final long SECOND = 1_000_000_000;

    private final StringWriter lines = new StringWriter();
    private final AtomicLong clock = new AtomicLong();

    @Test
    void printsALineForEachStepOfMoreThanTwoSeconds() {
        try (Progress progress = new Progress(new PrintWriter(lines), Optional.empty(), clock::get)) {
            progress.step("control plane");
            clock.addAndGet(3 * SECOND);
            progress.step("control plane");
            clock.addAndGet(SECOND);
            progress.step("images");
            assertThat(lines.toString()).isEqualTo("   4.0 s  control plane%n".formatted());
            clock.addAndGet(SECOND);
            progress.step("3 kubelets");
            clock.addAndGet(12 * SECOND);
        }
        assertThat(lines.toString()).isEqualTo("   4.0 s  control plane%n  12.0 s  3 kubelets%n".formatted());
    }

    @Test
    void showsThePresentStepOnATerminalAndClearsIt() {
        ByteArrayOutputStream screen = new ByteArrayOutputStream();
        try (Progress progress =
                new Progress(new PrintWriter(lines), Optional.of(new PrintStream(screen, true, UTF_8)), clock::get)) {
            progress.step("3 kubelets");
            clock.addAndGet(SECOND + SECOND / 10);
            progress.step("3 kubelets");
        }
        assertThat(screen.toString(UTF_8))
                .contains("\r\033[K| 0 s 3 kubelets", "\r\033[K\\ 1 s 3 kubelets")
                .endsWith("\r\033[K");
        assertThat(lines.toString()).isEmpty();
    }
}
