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
 * What is known of the kubelet's configuration. Flags win over the file, the file over what the kubelet tells; what none of
 * them says stays unknown.
 *
 * <table>
 * <caption>what happens when the kubelet is asked</caption>
 * <tr><th>answer</th><th>then</th></tr>
 * <tr><td>its configuration</td><td>taken, until the kubelet restarts</td></tr>
 * <tr><td>nobody is there, or nobody who can answer yet</td><td>the earlier answer stays: a restart takes seconds; asked again soon</td></tr>
 * <tr><td>a refusal, or a certificate that does not verify</td><td>forgotten; asked again soon, since a kubelet that cannot ask the API
 * server refuses everyone, and then less and less, down to every ten minutes</td></tr>
 * </table>
 */
public final class KubeletConfiguration implements Supplier<KubeletSettings> {

    private static final Logger log = LoggerFactory.getLogger(KubeletConfiguration.class);

    /** All values of {@link #source()}. */
    public static final List<String> SOURCES = List.of("flags", "file", "configz", "none");

    private static final Duration SOON = Duration.ofSeconds(5);
    private static final Duration LONGEST_PAUSE = Duration.ofMinutes(10);

    private final KubeletSettings flags;
    private final Optional<KubeletSettings> file;
    private final Optional<Reader> configz;
    private final InstantSource clock;
    private Optional<KubeletSettings> told = Optional.empty();
    private Instant nextTry = Instant.EPOCH;
    private Duration pause = SOON;
    private String said = "";

    /** Asks the kubelet. */
    @FunctionalInterface
    public interface Reader {
        KubeletSettings read() throws IOException;
    }

    /** @param configz absent: the kubelet is not to be asked */
    public KubeletConfiguration(
            KubeletSettings flags, Optional<KubeletSettings> file, Optional<Reader> configz, InstantSource clock) {
        this.flags = flags;
        this.file = file;
        this.configz = configz;
        this.clock = clock;
    }

    /** The kubelet has restarted, and may have another configuration. */
    public synchronized void kubeletRestarted() {
        nextTry = Instant.EPOCH;
        pause = SOON;
    }

    @Override
    public synchronized KubeletSettings get() {
        if (file.isEmpty() && !complete(flags) && configz.isPresent()) {
            askIfDue(configz.get());
        }
        return flags.over(file.or(() -> told).orElse(KubeletSettings.UNKNOWN));
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
        return file.isPresent() ? "file" : told.isPresent() ? "configz" : "none";
    }

    private void askIfDue(Reader reader) {
        Instant now = clock.instant();
        if (now.isBefore(nextTry)) {
            return;
        }
        try {
            told = Optional.of(reader.read());
            nextTry = Instant.MAX;
            say();
        } catch (Configz.Unreachable e) {
            nextTry = now.plus(SOON);
            complain(e);
        } catch (IOException e) {
            told = Optional.empty();
            nextTry = now.plus(pause);
            pause = longer(pause);
            complain(e);
        }
    }

    private static Duration longer(Duration pause) {
        Duration twice = pause.multipliedBy(2);
        return twice.compareTo(LONGEST_PAUSE) < 0 ? twice : LONGEST_PAUSE;
    }

    private void say() {
        if (!said.equals("configz")) {
            said = "configz";
            log.info("event=kubelet.config source={}", source());
        }
    }

    private void complain(IOException e) {
        if (!String.valueOf(e.getMessage()).equals(said)) {
            said = String.valueOf(e.getMessage());
            log.warn("event=kubelet.config_unknown source={} reason='{}'", source(), e.getMessage());
        }
    }
}
