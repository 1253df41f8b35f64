package io.numaledger.agent.config;

import java.util.ArrayList;
import java.util.List;
import java.util.regex.Pattern;

/**
 * Command lines as Go programs take them, so that the arguments of KAI's exporter work unchanged: a long flag with one dash or
 * two, and the logging flags {@code --zap-*}, which have no effect here.
 */
public final class GoFlags {

    private static final Pattern ONE_DASH_LONG =
            Pattern.compile("-[A-Za-z][A-Za-z0-9]*[-A-Za-z0-9]+(=.*)?", Pattern.DOTALL);

    private GoFlags() {}

    public static String[] toTwoDashes(String... args) {
        List<String> translated = new ArrayList<>();
        for (int i = 0; i < args.length; i++) {
            String arg = ONE_DASH_LONG.matcher(args[i]).matches() ? "-" + args[i] : args[i];
            if (!arg.startsWith("--zap-")) {
                translated.add(arg);
            } else if (!arg.contains("=") && !arg.equals("--zap-devel")) {
                i++;
            }
        }
        return translated.toArray(String[]::new);
    }
}
