package io.numaledger.bridge.ledger;

import io.numaledger.bridge.cluster.PodFacts;
import io.numaledger.placement.Placement;
import io.numaledger.placement.PodAllocation;

import java.time.Instant;

/**
 * What is held for a pod between the bind decision and the agent's observation.
 *
 * @param pod with its node set
 * @param allocation to the id
 * @param made when it was decided
 */
public record Reservation(PodFacts pod, PodAllocation allocation, Placement placement, Instant made) {}
