package io.numaledger.kubelet.admission;

import io.numaledger.topology.AffinityMask;

import java.util.List;
import java.util.Optional;

/**
 * ResourceFit one resource stands in the way, in numbers. Amounts are CPUs, bytes or devices.
 *
 * @param resource such as {@code cpu}, {@code memory} or {@code nvidia.com/gpu}
 * @param mask the NUMA nodes that came closest; absent where the kubelet looked at the whole node
 * @param need what is asked for
 * @param free what is free there
 * @param widthWanted how many NUMA nodes the request would take on the empty machine; 0 where width plays no part
 * @param holders the pods that hold some of the resource there, sorted
 */
public record ResourceFit(
        String resource, Optional<AffinityMask> mask, long need, long free, int widthWanted, List<String> holders) {

    public ResourceFit {
        holders = holders.isEmpty() ? List.of() : holders.stream().sorted().toList();
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
