package io.numaledger.agent.nvml;

import java.time.Duration;
import java.util.Optional;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.FutureTask;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;

import static java.util.Objects.requireNonNull;

/**
 * Reads the GPUs through the driver's library, which is loaded on first use. The driver can
 * block forever, so each read has its own thread and a time limit; a blocked read is abandoned, and none is
 * begun while it lasts.
 */
public final class NvmlProbe {

    private final Optional<String> libraryPath;
    private final Duration limit;
    private Optional<FutureTask<NvmlReport>> running = Optional.empty();

    /**
     * Loads nothing yet.
     *
     * @param libraryPath of {@code libnvidia-ml.so.1}; absent: where the loader and driver containers have it
     */
    public NvmlProbe(Optional<String> libraryPath, Duration limit) {
        this.libraryPath = libraryPath;
        this.limit = limit;
    }

    /**
     * Reads all GPUs once, from the start of NVML to its shutdown.
     *
     * @throws NvmlException when there is no library, no driver, or no answer in time
     */
    public synchronized NvmlReport observe() {
        if (running.isPresent() && !running.get().isDone()) {
            throw new NvmlException("NVML still gives no answer: limit=%d ms; restart the driver or the machine"
                    .formatted(limit.toMillis()));
        }
        FutureTask<NvmlReport> task = new FutureTask<>(this::read);
        running = Optional.of(task);
        Thread thread = new Thread(task, "nvml");
        thread.setDaemon(true);
        thread.start();
        return await(task);
    }

    private NvmlReport read() {
        try (NvmlSession session = NvmlSession.open(NvmlLibrary.load(libraryPath))) {
            return session.read();
        }
    }

    private NvmlReport await(FutureTask<NvmlReport> task) {
        try {
            return task.get(limit.toMillis(), TimeUnit.MILLISECONDS);
        } catch (TimeoutException e) {
            throw new NvmlException(
                    "NVML gives no answer: limit=%d ms; run nvidia-smi, enable persistence mode, or raise the limit"
                            .formatted(limit.toMillis()),
                    e);
        } catch (ExecutionException e) {
            if (e.getCause() instanceof NvmlException known) {
                throw known;
            }
            throw new NvmlException(
                    "NVML failed: library=%s: %s; compare with nvidia-smi"
                            .formatted(libraryPath.orElse("libnvidia-ml.so.1"), e.getCause()),
                    requireNonNull(e.getCause()));
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw new NvmlException(
                    "interrupted while reading GPUs: limit=%d ms; retry".formatted(limit.toMillis()), e);
        }
    }
}
