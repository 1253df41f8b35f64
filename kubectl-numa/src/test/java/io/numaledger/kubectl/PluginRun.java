package io.numaledger.kubectl;

import io.numaledger.cli.Colours;
import io.numaledger.kubectl.client.Surroundings;
import picocli.CommandLine;

import java.io.PrintWriter;
import java.io.StringWriter;
import java.util.List;

/** Runs {@code kubectl numa} without a kubectl. */
public final class PluginRun {

    private PluginRun() {}

    /** Returns what is printed, errors too. */
    public static String of(boolean coloured, List<String> arguments) {
        Surroundings surroundings = new Surroundings("/nowhere/kubectl", new Colours(coloured));
        StringWriter out = new StringWriter();
        CommandLine line = PluginCommand.commandLine(surroundings)
                .setOut(new PrintWriter(out))
                .setErr(new PrintWriter(out));
        PluginCommand.execute(line, surroundings, arguments.toArray(String[]::new));
        return out.toString();
    }
}
