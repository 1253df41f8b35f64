package io.numaledger.agent.nvml;

import java.io.IOException;
import java.time.Duration;
import java.util.Optional;

/**
 * Reads the GPUs through the driver's library, in a process of its own that ends with each read. The library can block for ever, crash,
 * or end its process. A process that cannot even be killed is abandoned, and none is started while it lasts.
 */
public final class NvmlProbe {

    private final Optional<String> libraryPath;
    private final Duration limit;
    private Optional<NvmlProcess> last = Optional.empty();

    /**
     * Starts nothing yet.
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
        if (last.filter(NvmlProcess::isAlive).isPresent()) {
            throw new NvmlException("NVML still gives no answer: limit=%d ms; restart the driver or the machine"
                    .formatted(limit.toMillis()));
        }
        try (NvmlProcess process = NvmlProcess.start(libraryPath)) {
            last = Optional.of(process);
            return process.await(limit);
        } catch (IllegalArgumentException | IOException e) {
            throw new NvmlException(
                    "the report about NVML cannot be read: %s; report this with the version of the driver"
                            .formatted(e.getMessage()),
                    e);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw new NvmlException(
                    "interrupted while reading GPUs: limit=%d ms; retry".formatted(limit.toMillis()), e);
        }
    }
}
