package io.numaledger.agent.kubelet;

import io.numaledger.nrt.KubeletSettings;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

import java.io.IOException;
import java.time.Duration;
import java.time.Instant;
import java.time.InstantSource;
import java.util.List;
import java.util.Optional;
import java.util.function.Supplier;

/**
 * The known part of the kubelet's configuration. Flags take precedence over the file, and the file over the kubelet's /configz. Values in none of them stay unknown.
 *
 * <table>
 * <caption>what happens when /configz is read</caption>
 * <tr><th>answer</th><th>then</th></tr>
 * <tr><td>its configuration</td><td>taken, until the kubelet restarts</td></tr>
 * <tr><td>no connection, or a temporary error</td><td>the earlier configuration stays: a restart takes seconds; retried soon</td></tr>
 * <tr><td>an error response, or a certificate that does not verify</td><td>discarded; retried soon, because a kubelet that cannot reach the API
 * server rejects all clients; then with exponential back-off, at most 10 minutes apart</td></tr>
 * </table>
 */
public final class KubeletConfiguration implements Supplier<KubeletSettings> {

    private static final Logger log = LoggerFactory.getLogger(KubeletConfiguration.class);

    /** All values of {@link #source()}. */
    public static final List<String> SOURCES = List.of("flags", "file", "configz", "none");

    private static final Duration SOON = Duration.ofSeconds(5);
    private static final Duration MAX_BACK_OFF = Duration.ofMinutes(10);

    private final KubeletSettings flags;
    private final Optional<Reader> fileReader;
    private final Optional<Reader> configz;
    private final InstantSource clock;
    private Optional<KubeletSettings> file;
    private boolean fileOutdated = true;
    private Optional<KubeletSettings> reported = Optional.empty();
    private Instant nextTry = Instant.EPOCH;
    private Duration pause = SOON;
    private String said = "";

    /** Reads the configuration from one source. */
    @FunctionalInterface
    public interface Reader {
        KubeletSettings read() throws IOException;
    }

    /**
     * @param file of the kubelet; absent: none is known
     * @param configz absent: /configz is not read
     * @throws IOException if the file cannot be read; the message names it
     */
    public KubeletConfiguration(
            KubeletSettings flags, Optional<Reader> file, Optional<Reader> configz, InstantSource clock)
            throws IOException {
        this.flags = flags;
        this.fileReader = file;
        this.file = file.isPresent() ? Optional.of(file.get().read()) : Optional.empty();
        this.configz = configz;
        this.clock = clock;
    }

    /** The kubelet has restarted, and may have another configuration. Until then, a changed file is not in effect. */
    public synchronized void kubeletRestarted() {
        fileOutdated = true;
        nextTry = Instant.EPOCH;
        pause = SOON;
    }

    /** To be called after the kubelet has answered: its file is read after each new connection. */
    @Override
    public synchronized KubeletSettings get() {
        if (fileReader.isPresent() && fileOutdated) {
            readFile(fileReader.get());
        }
        if (file.isEmpty() && !complete(flags) && configz.isPresent()) {
            askIfDue(configz.get());
        }
        return flags.over(file.or(() -> reported).orElse(KubeletSettings.UNKNOWN));
    }

    private static boolean complete(KubeletSettings settings) {
        return settings.topologyManagerPolicy().isPresent()
                && settings.topologyManagerScope().isPresent()
                && settings.cpuManagerPolicy().isPresent()
                && settings.memoryManagerPolicy().isPresent();
    }

    /** Where the Topology Manager's policy is known from: one of {@link #SOURCES}. */
    public synchronized String source() {
        if (flags.topologyManagerPolicy().isPresent()) {
            return "flags";
        }
        return file.isPresent() ? "file" : reported.isPresent() ? "configz" : "none";
    }

    /** An unreadable file leaves the last configuration, and is read again by the next call. */
    private void readFile(Reader reader) {
        try {
            KubeletSettings read = reader.read();
            fileOutdated = false;
            if (!file.equals(Optional.of(read))) {
                file = Optional.of(read);
                log.info("event=kubelet.config source={}", source());
            }
            said = "";
        } catch (IOException e) {
            logFailure(e);
        }
    }

    private void askIfDue(Reader reader) {
        Instant now = clock.instant();
        if (now.isBefore(nextTry)) {
            return;
        }
        try {
            reported = Optional.of(reader.read());
            nextTry = Instant.MAX;
            say();
        } catch (Configz.Unreachable e) {
            nextTry = now.plus(SOON);
            logFailure(e);
        } catch (IOException e) {
            reported = Optional.empty();
            nextTry = now.plus(pause);
            pause = longer(pause);
            logFailure(e);
        }
    }

    private static Duration longer(Duration pause) {
        Duration twice = pause.multipliedBy(2);
        return twice.compareTo(MAX_BACK_OFF) < 0 ? twice : MAX_BACK_OFF;
    }

    private void say() {
        if (!said.equals("configz")) {
            said = "configz";
            log.info("event=kubelet.config source={}", source());
        }
    }

    private void logFailure(IOException e) {
        if (!String.valueOf(e.getMessage()).equals(said)) {
            said = String.valueOf(e.getMessage());
            log.warn("event=kubelet.config_unknown source={} reason='{}'", source(), e.getMessage());
        }
    }
}
