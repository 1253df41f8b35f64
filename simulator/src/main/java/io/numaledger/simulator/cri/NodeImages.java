package io.numaledger.simulator.cri;

import java.util.Set;
import java.util.concurrent.ConcurrentSkipListSet;
import java.util.regex.Pattern;

/** The images that simulated nodes have. All others cannot be pulled. */
public final class NodeImages {

    /** Names of one word; registry.k8s.io; and the registries of examples, which have names of one word. */
    private static final Pattern BUILT_IN =
            Pattern.compile("((registry\\.)?example\\.com/|registry\\.k8s\\.io/([^/]+/)*)?[^/]+");

    private final Set<String> added = new ConcurrentSkipListSet<>();

    /** @param reference with a tag or digest, or without, which means all of them */
    public void add(String reference) {
        added.add(reference);
    }

    /** The kubelet asks by id for those that it has found by name. */
    boolean has(String reference) {
        return reference.startsWith("sha256:")
                || BUILT_IN.matcher(reference).matches()
                || added.contains(reference)
                || added.contains(ImageNames.repository(reference));
    }
}
