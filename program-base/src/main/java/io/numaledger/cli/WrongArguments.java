package io.numaledger.cli;

import io.numaledger.text.ControlCharacters;
import io.numaledger.text.NearNames;
import picocli.CommandLine;
import picocli.CommandLine.ExitCode;
import picocli.CommandLine.Model.ArgSpec;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Model.OptionSpec;
import picocli.CommandLine.ParameterException;
import picocli.CommandLine.UnmatchedArgumentException;

import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.stream.Stream;

/** Reports a wrong command line in two lines: what is wrong, with names that come near, and where help is. */
public final class WrongArguments {

    private WrongArguments() {}

    /** Prints the lines; the exit status is 2. */
    public static int print(ParameterException wrong, String[] args) {
        CommandLine command = wrong.getCommandLine();
        command.getErr().println(ControlCharacters.escaped(sentence(wrong)));
        command.getErr().println("see " + command.getCommandSpec().qualifiedName() + " --help");
        return ExitCode.USAGE;
    }

    private static String sentence(ParameterException wrong) {
        CommandSpec command = wrong.getCommandLine().getCommandSpec();
        if (wrong instanceof UnmatchedArgumentException unmatched
                && !unmatched.getUnmatched().isEmpty()) {
            return unmatched(command, unmatched.getUnmatched().get(0));
        }
        String text = text(wrong);
        if (text.equals("Missing required subcommand")) {
            return "no command given; there are " + String.join(", ", commands(command));
        }
        return decapitalized(text)
                + nearValue(Optional.ofNullable(wrong.getArgSpec()), Optional.ofNullable(wrong.getValue()));
    }

    private static String unmatched(CommandSpec command, String word) {
        if (word.startsWith("-") && word.length() > 1) {
            String name = word.split("=", 2)[0];
            return "unknown option: " + name + NearNames.hint(name, options(command));
        }
        return command.subcommands().isEmpty()
                ? "unexpected argument: " + word
                : "unknown command: " + word + NearNames.hint(word, commands(command));
    }

    private static List<String> options(CommandSpec command) {
        return command.options().stream()
                .filter(option -> !option.hidden())
                .map(OptionSpec::longestName)
                .toList();
    }

    private static List<String> commands(CommandSpec command) {
        return command.subcommands().values().stream()
                .map(CommandLine::getCommandSpec)
                .filter(sub -> !sub.usageMessage().hidden())
                .map(CommandSpec::name)
                .distinct()
                .toList();
    }

    /** picocli's own text. Where a converter threw, that has the names of classes: the converter's words say more. */
    private static String text(ParameterException wrong) {
        String text = String.valueOf(wrong.getMessage());
        int names = text.indexOf(": cannot convert ");
        return names >= 0 && wrong.getCause() instanceof IllegalArgumentException cause
                ? text.substring(0, names) + ": " + cause.getMessage()
                : text;
    }

    private static String decapitalized(String text) {
        return text.isEmpty() ? text : Character.toLowerCase(text.charAt(0)) + text.substring(1);
    }

    private static String nearValue(Optional<ArgSpec> argument, Optional<String> value) {
        List<String> values = new ArrayList<>();
        argument.flatMap(
                        known -> Stream.ofNullable(known.completionCandidates()).findFirst())
                .ifPresent(all -> all.forEach(values::add));
        return value.map(each -> NearNames.hint(each, values)).orElse("");
    }
}
