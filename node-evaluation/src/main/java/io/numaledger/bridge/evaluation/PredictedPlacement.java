package io.numaledger.bridge.evaluation;

import io.numaledger.bridge.snapshot.PredictedAllocation;
import io.numaledger.placement.Placement;
import io.numaledger.topology.AffinityMask;

/**
 * Where the kubelet would place a pod.
 *
 * @param numaNodes the NUMA nodes that the kubelet aligns the pod to; none if it aligns nothing
 * @param placement amounts by NUMA node
 * @param allocation the same to the id of CPUs and devices
 * @param undetermined the kubelet chooses some devices at random: amounts of devices by NUMA node are one of several possible
 *     results
 */
public record PredictedPlacement(
        AffinityMask numaNodes, Placement placement, PredictedAllocation allocation, boolean undetermined) {}
