package io.numaledger.topology;

import java.util.Optional;
import java.util.stream.Stream;

/** Zone names of NodeResourceTopology objects and placement annotations: {@code node-<id>} for the NUMA node with that id. */
public final class ZoneName {

    private static final String PREFIX = "node-";
    private static final int MAX_DIGITS = 9;

    private ZoneName() {}

    public static String of(int numaNode) {
        return PREFIX + numaNode;
    }

    /** The names of these NUMA nodes, by ascending id. */
    public static Stream<String> of(AffinityMask numaNodes) {
        return numaNodes.ids().mapToObj(ZoneName::of);
    }

    /** The id of the NUMA node; empty unless the name is {@code node-} and a decimal number of up to nine digits. */
    public static Optional<Integer> numaNode(String zoneName) {
        int digits = zoneName.length() - PREFIX.length();
        if (!zoneName.startsWith(PREFIX) || digits < 1 || digits > MAX_DIGITS) {
            return Optional.empty();
        }
        int id = 0;
        for (int i = PREFIX.length(); i < zoneName.length(); i++) {
            char digit = zoneName.charAt(i);
            if (digit < '0' || digit > '9') {
                return Optional.empty();
            }
            id = 10 * id + digit - '0';
        }
        return Optional.of(id);
    }
}
