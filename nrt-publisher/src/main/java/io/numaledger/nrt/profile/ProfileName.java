package io.numaledger.nrt.profile;

import java.util.Arrays;
import java.util.List;
import java.util.Locale;
import java.util.Optional;

/** The profiles by the names that flags give them. */
public enum ProfileName {

    /** All that we know. */
    NUMALEDGER,

    /** Publishes as resource-topology-exporter does. */
    RTE,

    /** Publishes as nfd-topology-updater does. */
    NFD,

    /** No NodeResourceTopology at all. */
    OFF;

    public String spelling() {
        return name().toLowerCase(Locale.ROOT);
    }

    public static List<String> spellings() {
        return Arrays.stream(values()).map(ProfileName::spelling).toList();
    }

    public static Optional<ProfileName> of(String spelling) {
        return Arrays.stream(values())
                .filter(name -> name.spelling().equals(spelling))
                .findFirst();
    }

    /**
     * The profile; empty: nothing is to be published.
     *
     * @param containerPlacements in the rte profile, also the NUMA node of each container
     */
    public Optional<TopologyProfile> profile(boolean containerPlacements) {
        return switch (this) {
            case NUMALEDGER -> Optional.of(new NumaledgerProfile());
            case RTE -> Optional.of(new RteProfile(containerPlacements));
            case NFD -> Optional.of(new NfdProfile());
            case OFF -> Optional.empty();
        };
    }
}
