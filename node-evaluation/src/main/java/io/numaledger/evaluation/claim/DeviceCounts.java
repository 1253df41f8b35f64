package io.numaledger.evaluation.claim;

import java.util.Optional;

/**
 * How many devices of a driver lie on a NUMA node of a node.
 *
 * @param numaNode where they are attached; absent: unknown
 * @param claimed a claim holds them
 * @param free one more claim could get them: {@link NodeDevices#free}
 */
public record DeviceCounts(String driver, Optional<Integer> numaNode, int claimed, int free) {}
