package io.numaledger.logging;

import org.slf4j.ILoggerFactory;
import org.slf4j.Logger;
import org.slf4j.event.Level;

import java.nio.charset.StandardCharsets;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.stream.Stream;

/**
 * Writes lines to standard error; standard output is for results. The environment variable LOG_LEVEL sets the level of our own
 * lines; of libraries, warnings are written.
 */
final class LineLoggers implements ILoggerFactory {

    private static final int NEVER = Integer.MAX_VALUE;

    private final Map<String, Logger> loggers = new ConcurrentHashMap<>();
    private final int own;
    private volatile LogFormat format = LogFormat.KEY_VALUE;

    /** @param level of our own lines; {@code off} and the names of SLF4J's levels are known, anything else is {@code info} */
    LineLoggers(String level) {
        this.own = lowest(level);
    }

    private static int lowest(String level) {
        if (level.equalsIgnoreCase("off")) {
            return NEVER;
        }
        return Stream.of(Level.values())
                .filter(each -> each.name().equalsIgnoreCase(level))
                .findFirst()
                .orElse(Level.INFO)
                .toInt();
    }

    /** Writes lines in this format from now on. */
    void format(LogFormat chosen) {
        format = chosen;
    }

    @Override
    public Logger getLogger(String name) {
        return loggers.computeIfAbsent(name, each -> new LineLogger(each, this, lowestOf(each)));
    }

    private int lowestOf(String name) {
        if (name.startsWith("io.numaledger.")) {
            return own;
        }
        // The program reports failures of its watches itself, in one line.
        if (name.startsWith("io.fabric8.kubernetes.client.informers.")) {
            return NEVER;
        }
        // grpc sets SO_KEEPALIVE on unix sockets, which do not support it; Netty warns at every connection. fabric8
        // warns of the
        // version v1alpha2 of NodeResourceTopology, which has no other version.
        boolean inVain = name.startsWith("io.netty.bootstrap.") || name.endsWith(".VersionUsageUtils");
        return (inVain ? Level.ERROR : Level.WARN).toInt();
    }

    void write(LogLine line) {
        byte[] text = format.write(line).getBytes(StandardCharsets.UTF_8);
        System.err.write(text, 0, text.length);
        System.err.flush();
    }
}
