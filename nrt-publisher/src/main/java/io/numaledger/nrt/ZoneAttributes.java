package io.numaledger.nrt;

/** Names of the zone attributes that the numaledger profile writes; {@code docs/reference/published.md} has them all. */
public final class ZoneAttributes {

    /** The zone's online CPUs as a kernel list, reserved ones included; empty text: none. */
    public static final String CPUS = "cpus";

    /** All memory of the zone in bytes, hugepages included. */
    public static final String MEMORY_BYTES = "memoryBytes";

    /** The zone's CPUs that no container gets for itself, as a kernel list. */
    public static final String RESERVED_CPUS = "reservedSystemCPUs";

    /** {@link CpuGroups} of the zone's cores, named by their lowest CPU. */
    public static final String CORES = "cores";

    /** {@link CpuGroups} of the zone's parts of sockets, by physical package id. */
    public static final String SOCKETS = "sockets";

    /** {@link CpuGroups} of the zone's parts of L3 caches; missing where the kubelet takes the socket for the cache. */
    public static final String L3_CACHES = "l3Caches";

    private ZoneAttributes() {}
}
