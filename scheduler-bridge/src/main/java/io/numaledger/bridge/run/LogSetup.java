package io.numaledger.bridge.run;

import ch.qos.logback.classic.Level;
import ch.qos.logback.classic.LoggerContext;
import ch.qos.logback.classic.spi.Configurator;
import ch.qos.logback.classic.spi.ILoggingEvent;
import ch.qos.logback.core.ConsoleAppender;
import ch.qos.logback.core.encoder.LayoutWrappingEncoder;
import ch.qos.logback.core.spi.ContextAwareBase;

/**
 * Logs key=value lines to standard error; standard output is for results.
 * The environment variable LOG_LEVEL sets the level of our own lines.
 */
public final class LogSetup extends ContextAwareBase implements Configurator {

    @Override
    public ExecutionStatus configure(LoggerContext context) {
        LogLines layout = new LogLines();
        layout.setContext(context);
        layout.start();
        LayoutWrappingEncoder<ILoggingEvent> encoder = new LayoutWrappingEncoder<>();
        encoder.setContext(context);
        encoder.setLayout(layout);
        encoder.start();
        ConsoleAppender<ILoggingEvent> appender = new ConsoleAppender<>();
        appender.setContext(context);
        appender.setTarget("System.err");
        appender.setEncoder(encoder);
        appender.start();
        context.getLogger("ROOT").addAppender(appender);
        context.getLogger("ROOT").setLevel(Level.WARN);
        // grpc asks each unix socket of the simulator for SO_KEEPALIVE, which it does not have.
        context.getLogger("io.netty.bootstrap").setLevel(Level.ERROR);
        // This class warns about the version v1alpha2 of NodeResourceTopology, which has no other version.
        context.getLogger("io.fabric8.kubernetes.client.dsl.internal.VersionUsageUtils")
                .setLevel(Level.ERROR);
        // ClusterWatch and the command line report failures of the watches, in one line.
        context.getLogger("io.fabric8.kubernetes.client.informers").setLevel(Level.OFF);
        context.getLogger("io.numaledger")
                .setLevel(Level.toLevel(System.getenv().getOrDefault("LOG_LEVEL", "info"), Level.INFO));
        return ExecutionStatus.DO_NOT_INVOKE_NEXT_IF_ANY;
    }
}
