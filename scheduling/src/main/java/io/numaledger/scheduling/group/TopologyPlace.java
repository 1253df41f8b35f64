package io.numaledger.scheduling.group;

/**
 * Where a pod of a group runs, among the others.
 *
 * @param domain the values of the labels of the topology's levels, joined by {@code .}
 * @param rank the number of the pod in the group, from 0 on
 */
public record TopologyPlace(String domain, int rank) {}
