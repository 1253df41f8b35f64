package io.numaledger.topology;

import java.util.OptionalInt;

/**
 * The location of one online logical CPU.
 *
 * @param id logical CPU id
 * @param socket physical package id; absent if unknown
 * @param core the lowest logical CPU id of its core, unique over the machine, as the kubelet numbers cores
 *     (cm/cpumanager/topology/topology.go)
 * @param l3Cache a number shared by exactly the CPUs that share a last-level (L3 or higher) cache; absent when unknown
 */
public record LogicalCpu(int id, OptionalInt socket, int core, OptionalInt l3Cache) {}
