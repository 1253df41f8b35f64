package io.numaledger.kubelet.admission;

import io.numaledger.topology.AffinityMask;

import java.util.List;
import java.util.Optional;

/**
 * How one requested resource fits the free resources, in numbers. Amounts are CPUs, bytes or devices.
 *
 * @param resource such as {@code cpu}, {@code memory} or {@code nvidia.com/gpu}
 * @param mask the NUMA nodes that fit best; absent if the kubelet considered the whole node
 * @param need the requested amount
 * @param free the free amount on these NUMA nodes
 * @param widthWanted the number of NUMA nodes that the request would use on the empty machine; 0 if the width does not matter
 * @param holders the pods that hold some of the resource there, sorted
 */
public record ResourceFit(
        String resource, Optional<AffinityMask> mask, long need, long free, int widthWanted, List<String> holders) {

    public ResourceFit {
        holders = holders.isEmpty() ? List.of() : holders.stream().sorted().toList();
    }

    /** Whether too little is free by itself. */
    public boolean isShort() {
        return Long.compareUnsigned(free, need) < 0;
    }

    /** One line for people. */
    @Override
    public String toString() {
        return "resource=%s mask=%s need=%s free=%s width=%d holders=%s"
                .formatted(
                        resource,
                        mask.map(AffinityMask::toString).orElse("-"),
                        Long.toUnsignedString(need),
                        Long.toUnsignedString(free),
                        widthWanted,
                        holders);
    }
}
