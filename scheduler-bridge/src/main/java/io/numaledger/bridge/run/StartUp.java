package io.numaledger.bridge.run;

import io.fabric8.kubernetes.client.KubernetesClientException;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

import java.io.IOException;
import java.time.Duration;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.function.Consumer;

/** Repeats the part of a start that needs the API server until the API server answers. */
final class StartUp {

    private static final Logger log = LoggerFactory.getLogger(StartUp.class);

    private static final Duration FIRST_PAUSE = Duration.ofMillis(500);
    private static final Duration MAX_BACK_OFF = Duration.ofSeconds(8);

    private StartUp() {}

    /** A part of the start. It leaves nothing behind if it fails. */
    @FunctionalInterface
    interface Step<T> {
        T run() throws IOException;
    }

    /**
     * Runs the step until it succeeds.
     *
     * @param stopped ends the waiting
     * @param waiting gets the reason of each failure
     * @return absent if the process is to stop
     * @throws IOException if the step fails for another reason than the API server's answer
     */
    static <T> Optional<T> untilAnswered(Step<T> step, CompletableFuture<Void> stopped, Consumer<String> waiting)
            throws IOException, InterruptedException, ExecutionException {
        long begun = System.nanoTime();
        boolean said = false;
        for (Duration pause = FIRST_PAUSE; ; pause = longer(pause)) {
            try {
                T done = step.run();
                if (said) {
                    log.info("event=bridge.api_server_answers waited_ms={}", (System.nanoTime() - begun) / 1_000_000);
                }
                return Optional.of(done);
            } catch (IOException e) {
                if (!isFromApiServer(e)) {
                    throw e;
                }
                if (!said) {
                    said = true;
                    log.warn("event=bridge.waiting error=\"{}\"", e.getMessage());
                }
                waiting.accept(String.valueOf(e.getMessage()));
            }
            try {
                stopped.get(pause.toMillis(), TimeUnit.MILLISECONDS);
                return Optional.empty();
            } catch (TimeoutException e) {
                log.debug("event=bridge.start_retried");
            }
        }
    }

    private static Duration longer(Duration pause) {
        Duration twice = pause.multipliedBy(2);
        return twice.compareTo(MAX_BACK_OFF) < 0 ? twice : MAX_BACK_OFF;
    }

    private static boolean isFromApiServer(Throwable failure) {
        for (Throwable cause = failure; cause != null; cause = cause.getCause()) {
            if (cause instanceof KubernetesClientException) {
                return true;
            }
        }
        return false;
    }
}
