package io.numaledger.bridge.snapshot;

import io.numaledger.placement.Placement;

/**
 * What one pod holds on a node.
 *
 * @param key {@code namespace/name}; {@code *} for what is held by unknown pods
 * @param terminating it holds the resources now, and not after releases
 */
public record PodHolding(String key, PlacementSource source, boolean terminating, Placement placement) {}
