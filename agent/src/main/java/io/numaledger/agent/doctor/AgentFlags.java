package io.numaledger.agent.doctor;

import io.numaledger.agent.config.GoFlags;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine;
import picocli.CommandLine.IDefaultValueProvider;
import picocli.CommandLine.Model.ArgSpec;
import picocli.CommandLine.Model.OptionSpec;
import picocli.CommandLine.ParameterException;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Collections;
import java.util.List;
import java.util.SortedMap;
import java.util.TreeMap;

/**
 * The flags of the agent that is the first process of this container, as {@code kubectl exec POD -- agent doctor} finds it: the doctor
 * then looks where that agent looks. Flags of the doctor's own command line take precedence.
 *
 * @param values by name, such as {@code --sysfs-root}
 */
public record AgentFlags(SortedMap<String, String> values) implements IDefaultValueProvider {

    private static final Path FIRST_PROCESS = Path.of("/proc/1/cmdline");

    /** Where the program is in its image: the word before its arguments. */
    private static final String PROGRAM = "/bin/agent";

    public AgentFlags {
        values = Collections.unmodifiableSortedMap(new TreeMap<>(values));
    }

    /** @param run reads the flags */
    public static AgentFlags ofContainer(CommandLine run) {
        return of(FIRST_PROCESS, run);
    }

    /** @param process words, each with a zero byte at its end; any other process than an agent that publishes has no flags */
    static AgentFlags of(Path process, CommandLine run) {
        TreeMap<String, String> values = new TreeMap<>();
        try {
            List<String> words =
                    List.of(Files.readString(process, StandardCharsets.UTF_8).split("\0"));
            List<String> arguments = words.subList(words.indexOf(PROGRAM) + 1, words.size());
            if (words.contains(PROGRAM)
                    && !arguments.isEmpty()
                    && (arguments.get(0).equals("run") || arguments.get(0).startsWith("-"))) {
                List<String> flags =
                        arguments.get(0).equals("run") ? arguments.subList(1, arguments.size()) : arguments;
                run.parseArgs(GoFlags.toTwoDashes(flags.toArray(String[]::new)))
                        .matchedOptions()
                        .forEach(option -> values.put(option.longestName(), value(option)));
            }
        } catch (IOException | ParameterException notAnAgent) {
            values.clear();
        }
        return new AgentFlags(values);
    }

    private static String value(OptionSpec option) {
        List<String> written = option.originalStringValues();
        return written.isEmpty() || written.get(0).isEmpty() ? "true" : String.join(",", written);
    }

    /** Null: the option's own default. */
    @Override
    public @Nullable String defaultValue(ArgSpec argument) {
        return argument instanceof OptionSpec option ? values.get(option.longestName()) : null;
    }
}
