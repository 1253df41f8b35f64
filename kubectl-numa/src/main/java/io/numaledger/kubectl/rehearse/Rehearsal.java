package io.numaledger.kubectl.rehearse;

import com.fasterxml.jackson.databind.node.ObjectNode;
import io.numaledger.cli.Colours;
import io.numaledger.kubectl.client.Surroundings;
import io.numaledger.kubectl.output.Format;
import io.numaledger.kubectl.zones.ClusterSource;
import io.numaledger.scheduling.rehearsal.RehearsedCluster;
import picocli.CommandLine;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Model.OptionSpec;
import picocli.CommandLine.ParameterException;
import picocli.CommandLine.ParseResult;
import picocli.CommandLine.Spec;

import java.io.IOException;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.concurrent.Callable;

/** One command of {@code kubectl numa rehearse}: it reads the cluster, rehearses, and prints what was found. */
public abstract class Rehearsal implements Callable<Integer> {

    private final Surroundings surroundings;

    @Spec
    private CommandSpec command;

    @Mixin
    private final ClusterSource cluster;

    @Mixin
    private final Format format = new Format();

    Rehearsal(Surroundings surroundings) {
        this.surroundings = surroundings;
        this.cluster = new ClusterSource(surroundings.kubectl());
    }

    /** The result, as {@link io.numaledger.apiobjects.view.RehearsalJson} writes it. */
    abstract ObjectNode rehearse(RehearsedCluster now) throws IOException;

    /** @param name of an option or a parameter, for a message */
    int atLeastOne(String name, int value) {
        if (value < 1) {
            throw wrong("%s: expected 1 or more, got %d".formatted(name, value));
        }
        return value;
    }

    /**
     * Rehearses what the words of a command ask for, without reading a cluster.
     *
     * @param words the name of the command and its arguments; those that select a cluster or a format are refused
     * @return as {@link io.numaledger.apiobjects.view.RehearsalJson} writes it
     * @throws IOException as a sentence, if the words are wrong
     */
    public static ObjectNode of(List<String> words, RehearsedCluster now) throws IOException {
        CommandLine commands =
                RehearseCommand.commandLine(new Surroundings("", Colours.NONE)).setExpandAtFiles(false);
        try {
            ParseResult parsed =
                    commands.parseArgs(words.toArray(String[]::new)).subcommand();
            if (parsed == null || !(parsed.commandSpec().userObject() instanceof Rehearsal rehearsal)) {
                throw new IOException(
                        "name a rehearsal: one of " + commands.getSubcommands().keySet());
            }
            Set<OptionSpec> own = new HashSet<>(parsed.matchedOptions());
            parsed.commandSpec().mixins().forEach((name, mixin) -> {
                if (name.equals("nodes") || name.equals("options")) {
                    own.removeAll(mixin.options());
                }
            });
            own.removeIf(option -> parsed.commandSpec().userObject() == option.userObject());
            if (!own.isEmpty()) {
                throw new IOException("not taken here: " + own.iterator().next().longestName());
            }
            return rehearsal.rehearse(now);
        } catch (ParameterException | IllegalArgumentException wrong) {
            throw new IOException(wrong.getMessage(), wrong);
        }
    }

    ParameterException wrong(String message) {
        return new ParameterException(command.commandLine(), message);
    }

    @Override
    public Integer call() throws IOException {
        ObjectNode result = rehearse(cluster.evaluated().rehearsed());
        String text =
                format.text(List.of(result), each -> RehearsalText.of(each, format.isWide(), surroundings.colours()));
        command.commandLine().getOut().println(text);
        return RehearsalText.isFine(result) ? 0 : 1;
    }
}
