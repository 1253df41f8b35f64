package io.numaledger.logging;

import org.slf4j.ILoggerFactory;
import org.slf4j.IMarkerFactory;
import org.slf4j.helpers.BasicMarkerFactory;
import org.slf4j.helpers.NOPMDCAdapter;
import org.slf4j.spi.MDCAdapter;
import org.slf4j.spi.SLF4JServiceProvider;

/** What SLF4J writes by: a few classes, where a logging library costs every node two hundred. */
public final class LineLogging implements SLF4JServiceProvider {

    private final LineLoggers loggers = new LineLoggers(System.getenv().getOrDefault("LOG_LEVEL", "info"));
    private final IMarkerFactory markers = new BasicMarkerFactory();
    private final MDCAdapter context = new NOPMDCAdapter();

    /** Saves the agent the search for providers in all jars. Call this before the first logger is created. */
    public static void choose() {
        System.setProperty("slf4j.provider", LineLogging.class.getName());
        // Otherwise SLF4J prints a line at each start.
        System.setProperty("slf4j.internal.verbosity", "WARN");
    }

    @Override
    public ILoggerFactory getLoggerFactory() {
        return loggers;
    }

    @Override
    public IMarkerFactory getMarkerFactory() {
        return markers;
    }

    @Override
    public MDCAdapter getMDCAdapter() {
        return context;
    }

    @Override
    public String getRequestedApiVersion() {
        return "2.0.99";
    }

    @Override
    public void initialize() {
        // All is there.
    }
}
