package io.numaledger.kubelet.config;

import io.numaledger.topology.CpuSet;

import java.util.Collections;
import java.util.OptionalLong;
import java.util.SortedMap;

import static io.numaledger.topology.Sorted.sorted;

/**
 * CPU Manager: policy, policy options as written, and the reservation.
 *
 * @param reservedCpus {@code reservedSystemCPUs}; empty: the kubelet reserves as many as {@code reservedCpuMillis} requires
 * @param reservedCpuMillis CPU of kubeReserved and systemReserved together; absent when neither names CPU. Without
 *     meaning when {@code reservedCpus} is given, as in the kubelet
 */
public record CpuManagerConfig(
        CpuPolicy policy, SortedMap<String, String> options, CpuSet reservedCpus, OptionalLong reservedCpuMillis) {

    public static final CpuManagerConfig OFF =
            new CpuManagerConfig(CpuPolicy.NONE, Collections.emptySortedMap(), CpuSet.EMPTY, OptionalLong.empty());

    public CpuManagerConfig {
        options = sorted(options);
        if (reservedCpuMillis.isPresent() && reservedCpuMillis.getAsLong() < 0) {
            throw new IllegalArgumentException(
                    "a CPU reservation is 0 or more: reservedCpuMillis=%d; correct kubeReserved or systemReserved"
                            .formatted(reservedCpuMillis.getAsLong()));
        }
    }

    /** The static policy without options, with these CPUs reserved. */
    public static CpuManagerConfig staticPolicy(CpuSet reservedCpus) {
        return new CpuManagerConfig(CpuPolicy.STATIC, Collections.emptySortedMap(), reservedCpus, OptionalLong.empty());
    }
}
