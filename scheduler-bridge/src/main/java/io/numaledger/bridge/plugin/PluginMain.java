package io.numaledger.bridge.plugin;

/** The program behind {@code kubectl-numa}. */
public final class PluginMain {

    private PluginMain() {}

    public static void main(String[] args) {
        Surroundings surroundings = Surroundings.of(System.getenv());
        System.exit(PluginCommand.execute(PluginCommand.commandLine(surroundings), surroundings, args));
    }
}
