package io.numaledger.agent.logging;

import ch.qos.logback.classic.Level;
import ch.qos.logback.classic.LoggerContext;
import ch.qos.logback.classic.encoder.PatternLayoutEncoder;
import ch.qos.logback.classic.spi.Configurator;
import ch.qos.logback.classic.spi.ILoggingEvent;
import ch.qos.logback.core.ConsoleAppender;
import ch.qos.logback.core.encoder.LayoutWrappingEncoder;
import ch.qos.logback.core.spi.ContextAwareBase;
import org.slf4j.LoggerFactory;

/**
 * Logs key=value lines to standard error; standard output is for results. In code, since an XML parser would cost every node
 * memory. The environment variable LOG_LEVEL sets the level of our own lines.
 */
public final class LogSetup extends ContextAwareBase implements Configurator {

    private static final String APPENDER = "stderr";

    @Override
    public ExecutionStatus configure(LoggerContext context) {
        PatternLayoutEncoder encoder = new PatternLayoutEncoder();
        encoder.setContext(context);
        encoder.setPattern("%d{\"yyyy-MM-dd'T'HH:mm:ss.SSS'Z'\", UTC} level=%level %msg%n%ex");
        encoder.start();
        ConsoleAppender<ILoggingEvent> appender = new ConsoleAppender<>();
        appender.setContext(context);
        appender.setName(APPENDER);
        appender.setTarget("System.err");
        appender.setEncoder(encoder);
        appender.start();
        context.getLogger("ROOT").addAppender(appender);
        context.getLogger("ROOT").setLevel(Level.WARN);
        context.getLogger("io.numaledger")
                .setLevel(Level.toLevel(System.getenv().getOrDefault("LOG_LEVEL", "info"), Level.INFO));
        // grpc asks each unix socket for SO_KEEPALIVE, which it does not have; Netty warns of it at every connection.
        context.getLogger("io.netty.bootstrap").setLevel(Level.ERROR);
        return ExecutionStatus.DO_NOT_INVOKE_NEXT_IF_ANY;
    }

    /** Writes JSON from now on. */
    static void writeJson() {
        if (LoggerFactory.getILoggerFactory() instanceof LoggerContext context
                && context.getLogger("ROOT").getAppender(APPENDER) instanceof ConsoleAppender<ILoggingEvent> appender) {
            JsonLines layout = new JsonLines();
            layout.setContext(context);
            layout.start();
            LayoutWrappingEncoder<ILoggingEvent> encoder = new LayoutWrappingEncoder<>();
            encoder.setContext(context);
            encoder.setLayout(layout);
            encoder.start();
            appender.setEncoder(encoder);
        }
    }
}
