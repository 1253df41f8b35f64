package io.numaledger.kubectl;

import io.numaledger.kubectl.client.Surroundings;
import picocli.CommandLine;

import java.util.Map;

/** The program behind {@code kubectl-numa}. */
public final class PluginMain {

    private PluginMain() {}

    public static void main(String[] args) {
        Surroundings surroundings = Surroundings.of(System.getenv());
        System.exit(PluginCommand.execute(PluginCommand.commandLine(surroundings), surroundings, args));
    }

    /** @param environment of the process; {@code KUBECTL_PATH} names the kubectl to call */
    public static CommandLine commandLine(Map<String, String> environment) {
        return PluginCommand.commandLine(Surroundings.of(environment));
    }
}
