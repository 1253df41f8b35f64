package io.numaledger.bridge.node;

import io.numaledger.placement.Placement;

/**
 * One pod that holds something on a node.
 *
 * @param key {@code namespace/name}; {@code *} for what nobody recorded
 * @param terminating charged now, free after releases
 */
public record HeldPod(String key, RecordSource source, boolean terminating, Placement placement) {}
