package io.numaledger.task;

import org.junit.jupiter.api.Test;

import java.io.BufferedReader;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.time.Duration;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;

import static org.assertj.core.api.Assertions.assertThat;

/** Real processes that get real signals. */
class TerminationTest {

    /** Says that it runs; then waits until it is told to stop, fails, or does not stop. */
    static final class Program {

        private Program() {}

        public static void main(String[] arguments) throws InterruptedException {
            CountDownLatch stopped = new CountDownLatch(1);
            int status = 0;
            try (Termination termination = new Termination(stopped::countDown, Duration.ofMillis(200))) {
                System.out.println("runs");
                switch (arguments[0]) {
                    case "fails" -> status = 3;
                    case "hangs" -> Thread.sleep(Duration.ofMinutes(1).toMillis());
                    default -> stopped.await();
                }
                System.out.println("closed");
            }
            System.exit(status);
        }
    }

    @Test
    void closesWhatItHoldsAndEndsWithSuccess() throws Exception {
        assertThat(ended("waits")).isEqualTo("closed 0");
    }

    @Test
    void endsWithSuccessIfItCannotCloseInTime() throws Exception {
        assertThat(ended("hangs")).isEqualTo("null 0");
    }

    @Test
    void endsWithTheStatusOfAFailure() throws Exception {
        Process process = start("fails");

        assertThat(process.waitFor(60, TimeUnit.SECONDS)).isTrue();
        assertThat(process.exitValue()).isEqualTo(3);
    }

    /** What it prints after a signal, and its exit status. */
    private static String ended(String how) throws IOException, InterruptedException {
        Process process = start(how);
        try (BufferedReader output = process.inputReader(StandardCharsets.UTF_8)) {
            assertThat(output.readLine()).isEqualTo("runs");
            process.toHandle().destroy(); // Process.destroy would close the output as well
            assertThat(process.waitFor(60, TimeUnit.SECONDS)).isTrue();
            return output.readLine() + " " + process.exitValue();
        } finally {
            process.destroyForcibly();
        }
    }

    private static Process start(String how) throws IOException {
        return new ProcessBuilder(
                        Path.of(System.getProperty("java.home"), "bin/java").toString(),
                        "-cp",
                        System.getProperty("java.class.path"),
                        Program.class.getName(),
                        how)
                .redirectError(ProcessBuilder.Redirect.DISCARD)
                .start();
    }
}
