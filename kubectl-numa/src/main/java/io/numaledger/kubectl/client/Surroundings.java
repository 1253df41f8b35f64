package io.numaledger.kubectl.client;

import io.numaledger.cli.Colours;

import java.util.Map;

/**
 * What the plugin was started with.
 *
 * @param kubectl the kubectl to call back
 * @param colours of the standard output
 */
public record Surroundings(String kubectl, Colours colours) {

    /** Set by the script {@code kubectl-numa}, which alone can tell whether the standard output is a terminal. */
    private static final String TERMINAL = "NUMALEDGER_TERMINAL";

    /** @param environment {@code KUBECTL_PATH} is set by kubectl 1.37 and later; https://no-color.org describes NO_COLOR */
    public static Surroundings of(Map<String, String> environment) {
        boolean colours = environment.containsKey(TERMINAL)
                && environment.getOrDefault("NO_COLOR", "").isEmpty()
                && !environment.getOrDefault("TERM", "dumb").equals("dumb");
        String named = environment.getOrDefault("KUBECTL_PATH", "");
        return new Surroundings(named.isEmpty() ? "kubectl" : named, new Colours(colours));
    }
}
