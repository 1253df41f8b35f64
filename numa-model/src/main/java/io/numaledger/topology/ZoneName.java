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
        String digits = zoneName.startsWith(PREFIX) ? zoneName.substring(PREFIX.length()) : "";
        boolean number = !digits.isEmpty()
                && digits.length() <= MAX_DIGITS
                && digits.chars().allMatch(c -> c >= '0' && c <= '9');
        return number ? Optional.of(Integer.valueOf(digits)) : Optional.empty();
    }
}
