package io.numaledger.logging;

import org.slf4j.LoggerFactory;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.ParameterException;
import picocli.CommandLine.Spec;

import java.util.stream.Stream;

/** How a program writes its log. */
public final class LogOptions {

    @Spec(Spec.Target.MIXEE)
    private CommandSpec command;

    private LogFormat format = LogFormat.KEY_VALUE;

    @Option(names = "--log-format", paramLabel = "FORMAT", description = "key-value or json (default: key-value)")
    void format(String value) {
        format = Stream.of(LogFormat.values())
                .filter(each -> each.toString().equals(value))
                .findFirst()
                .orElseThrow(() -> new ParameterException(
                        command.commandLine(), "--log-format is '%s'; expected key-value, json".formatted(value)));
    }

    /** Applies the format from now on. */
    public void apply() {
        if (LoggerFactory.getILoggerFactory() instanceof LineLoggers loggers) {
            loggers.format(format);
        }
    }
}
