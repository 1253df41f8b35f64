package io.numaledger.nrt;

/** Names of the zone attributes that the numaledger profile writes; {@code docs/reference/published.md} has them all. */
public final class ZoneAttributes {

    /** The zone's online CPUs as a kernel list, reserved ones included; empty text: none. */
    public static final String CPUS = "cpus";

    /** All memory of the zone in bytes, hugepages included. */
    public static final String MEMORY_BYTES = "memoryBytes";

    private ZoneAttributes() {}
}
