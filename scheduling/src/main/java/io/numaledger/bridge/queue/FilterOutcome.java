package io.numaledger.bridge.queue;

import io.numaledger.bridge.objects.PodFacts;
import io.numaledger.bridge.state.NodeNames;

import java.util.Map;

/**
 * What the queue needs to know of a filter call.
 *
 * @param names all nodes of the call
 * @param reserved those that admit the pod and are reserved for an older one
 * @param admitted whether a node is left for the pod
 * @param version the last version of any node's state before the pod was evaluated
 */
public record FilterOutcome(
        PodFacts pod, NodeNames names, Map<String, PendingPod> reserved, boolean admitted, long version) {}
