package io.numaledger.kubectl;

import io.numaledger.kubectl.client.Kubectl;
import picocli.CommandLine;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Model.OptionSpec;
import picocli.CommandLine.Model.UsageMessageSpec;

import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;

/**
 * Proposals for the word at the cursor, in the protocol of {@code kubectl_complete-PLUGIN}: one a line, with a description after a tab,
 * and what the shell is to do as the last line. Names of the cluster are those that kubectl proposes.
 */
final class Completion {

    private static final String NO_FILES = ":4";
    private static final String FILES = ":0";

    private final Kubectl kubectl;
    private CommandSpec command;
    private Optional<OptionSpec> waiting = Optional.empty();

    /** Flags that kubectl needs, too. */
    private final List<String> connection = new ArrayList<>();

    private Completion(CommandLine line, Kubectl kubectl) {
        this.command = line.getCommandSpec();
        this.kubectl = kubectl;
    }

    /** @param words after the plugin's name; the last one is to be completed, and may be empty */
    static String of(CommandLine line, Kubectl kubectl, List<String> words) {
        Completion completion = new Completion(line, kubectl);
        List<String> before = words.subList(0, Math.max(0, words.size() - 1));
        before.forEach(completion::read);
        return completion.proposals(words.isEmpty() ? "" : words.get(words.size() - 1));
    }

    private void read(String word) {
        if (waiting.isPresent()) {
            keep(waiting.get(), word);
            waiting = Optional.empty();
        } else if (word.startsWith("-")) {
            String name = word.split("=", 2)[0];
            Optional<OptionSpec> option = Optional.ofNullable(command.findOption(name));
            option.ifPresent(known -> keep(known, word));
            waiting = option.filter(known -> known.arity().max() > 0 && !word.contains("="));
        } else {
            Optional.ofNullable(command.subcommands().get(word)).ifPresent(sub -> command = sub.getCommandSpec());
        }
    }

    private void keep(OptionSpec option, String word) {
        if (option.hidden() || option.longestName().equals("--namespace")) {
            connection.add(word);
        }
    }

    private String proposals(String word) {
        if (waiting.isPresent()) {
            return values(waiting.get(), word);
        }
        if (word.startsWith("-")) {
            return options(word);
        }
        if (!command.subcommands().isEmpty()) {
            return lines(command.subcommands().values().stream()
                    .map(CommandLine::getCommandSpec)
                    .filter(sub -> sub.name().startsWith(word))
                    .map(sub -> sub.name() + "\t" + description(sub.usageMessage()))
                    .toList());
        }
        return switch (command.name()) {
            case "node" -> ofKubectl("get", "nodes", word);
            case "explain", "whatif", "audit" -> ofKubectl("get", "pods", word);
            default -> NO_FILES;
        };
    }

    private static String description(UsageMessageSpec usage) {
        return String.join(" ", usage.description());
    }

    private String options(String word) {
        return lines(command.options().stream()
                .filter(option -> !option.hidden() && option.longestName().startsWith(word))
                .map(option -> option.longestName() + "\t"
                        + String.join(" ", option.description()).replaceAll("[$][{].*?[}]", "…"))
                .toList());
    }

    private String values(OptionSpec option, String word) {
        if (option.hidden()) {
            connection.remove(connection.size() - 1);
            return ofKubectl("get", "pods", option.longestName(), word);
        }
        return switch (option.longestName()) {
            case "--namespace" -> {
                connection.remove(connection.size() - 1);
                yield ofKubectl("get", "namespaces", word);
            }
            case "--evict" -> ofKubectl("get", "pods", word);
            default -> {
                if (option.paramLabel().startsWith("FILE")) {
                    yield FILES;
                }
                List<String> values = new ArrayList<>();
                Optional.ofNullable(option.completionCandidates())
                        .ifPresent(all -> all.forEach(each -> {
                            if (each.startsWith(word)) {
                                values.add(each);
                            }
                        }));
                yield lines(values);
            }
        };
    }

    private String ofKubectl(String verb, String what, String... words) {
        List<String> asked = new ArrayList<>(List.of(verb, what));
        asked.addAll(connection);
        asked.addAll(List.of(words));
        try {
            return kubectl.completions(asked).strip();
        } catch (IOException noProposals) {
            return NO_FILES;
        }
    }

    private static String lines(List<String> proposals) {
        List<String> lines = new ArrayList<>(proposals);
        lines.add(NO_FILES);
        return String.join(System.lineSeparator(), lines);
    }
}
