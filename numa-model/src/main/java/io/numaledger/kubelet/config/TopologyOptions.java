package io.numaledger.kubelet.config;

import java.util.Locale;
import java.util.SortedMap;

/**
 * The Topology Manager's policy options, parsed (cm/topologymanager/policy_options.go).
 *
 * @param maxAllowableNumaNodes 8 or more
 */
record TopologyOptions(boolean preferClosest, int maxAllowableNumaNodes) {

    private static final String PREFER_CLOSEST = "prefer-closest-numa-nodes";
    private static final String MAX_ALLOWABLE = "max-allowable-numa-nodes";
    private static final int DEFAULT_MAX = 8;

    static final TopologyOptions DEFAULT = new TopologyOptions(false, DEFAULT_MAX);

    static boolean isKnown(String name) {
        return name.equals(PREFER_CLOSEST) || name.equals(MAX_ALLOWABLE);
    }

    /**
     * Reads the text of one.
     *
     * @throws StartupRefusedException as the kubelet would, for the first wrong option by name
     */
    static TopologyOptions parse(KubeletConfig config) {
        SortedMap<String, String> options = config.topologyManager().options();
        boolean preferClosest = false;
        int max = DEFAULT_MAX;
        for (var option : options.entrySet()) {
            checkAvailable(option.getKey(), config);
            if (option.getKey().equals(PREFER_CLOSEST)) {
                preferClosest = GoText.parseBool(option.getKey(), option.getValue(), StartupRefusedException::new);
            } else {
                max = parseMax(option.getValue());
            }
        }
        return new TopologyOptions(preferClosest, max);
    }

    private static int parseMax(String value) {
        int max;
        try {
            max = Integer.parseInt(value);
        } catch (NumberFormatException malformed) {
            throw new StartupRefusedException(
                    "unable to convert policy option to integer \"%s\": strconv.Atoi: parsing \"%s\": invalid syntax"
                            .formatted(MAX_ALLOWABLE, value));
        }
        if (max < DEFAULT_MAX) {
            throw new StartupRefusedException(
                    "the minimum value of \"%s\" should not be less than %d".formatted(MAX_ALLOWABLE, DEFAULT_MAX));
        }
        return max;
    }

    private static void checkAvailable(String option, KubeletConfig config) {
        KubeletVersion version = config.version();
        Maturity maturity = switch (option) {
            case PREFER_CLOSEST -> Maturity.in(version, 26, 28, 32);
            case MAX_ALLOWABLE -> Maturity.in(version, 0, 31, 35);
            default -> Maturity.UNKNOWN;
        };
        String subject = version.minor() >= 33 ? "topology manager policy" : "Topology Manager Policy";
        switch (maturity) {
            case UNKNOWN ->
                throw new StartupRefusedException("unknown Topology Manager Policy option: \"%s\"".formatted(option));
            case ALPHA -> requireGate(config, "TopologyManagerPolicyAlphaOptions", false, subject, "Alpha", option);
            case BETA ->
                requireGate(config, "TopologyManagerPolicyBetaOptions", version.minor() >= 28, subject, "Beta", option);
            case STABLE -> {}
        }
    }

    private static void requireGate(
            KubeletConfig config, String gate, boolean byDefault, String subject, String level, String option) {
        if (!config.gate(gate, byDefault)) {
            boolean lowerCase = config.version().minor() >= 33;
            throw new StartupRefusedException("%s %s-level %s not enabled, but option \"%s\" provided"
                    .formatted(
                            subject,
                            lowerCase ? level.toLowerCase(Locale.ROOT) : level,
                            lowerCase ? "options" : "Options",
                            option));
        }
    }
}
