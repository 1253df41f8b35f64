package io.numaledger.evaluation.claim;

import java.util.Optional;

/**
 * How much the devices of a driver on a NUMA node have of a capacity that claims share, such as {@code dra.cpu/cpu}: in CPUs, bytes or counts.
 *
 * @param numaNode where they are attached; absent: unknown
 * @param claimed what claims hold of it
 */
public record DeviceCapacity(String driver, Optional<Integer> numaNode, String name, long all, long claimed) {}
