package io.numaledger.bridge.plugin;

import picocli.CommandLine;

/** The program behind {@code kubectl-numa}. */
public final class PluginMain {

    private PluginMain() {}

    public static void main(String[] args) {
        System.exit(PluginCommand.execute(commandLine(), surroundings(), args));
    }

    public static CommandLine commandLine() {
        return PluginCommand.commandLine(surroundings());
    }

    private static Surroundings surroundings() {
        return Surroundings.of(System.getenv());
    }
}
