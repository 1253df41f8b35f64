package io.numaledger.evaluation.fit;

import io.numaledger.evaluation.facts.PodFacts;
import io.numaledger.fastpath.CompiledPod;

/**
 * A pod to be scheduled, prepared once for all nodes.
 *
 * @param shape the same object for pods of equal shape, while it is cached
 * @param compiled its requests as the fast path evaluates them
 * @param results the cached results of this shape
 */
public record SchedulingRequest(PodFacts pod, PodShape shape, CompiledPod compiled, ShapeResults results) {}
