package io.numaledger.bridge.claim;

import java.util.Optional;

/**
 * How many devices of a driver lie on a NUMA node of a node.
 *
 * @param numaNode where they are attached; absent: unknown
 * @param claimed a claim holds them
 * @param free the others of pools from which kube-scheduler allocates
 */
public record DeviceCounts(String driver, Optional<Integer> numaNode, int claimed, int free) {}
