package io.numaledger.evaluation.fit;

import io.numaledger.evaluation.facts.PodFacts;
import io.numaledger.fastpath.CompiledPod;

/**
 * A pod to be scheduled, prepared once for all nodes.
 *
 * @param request the same object for equal pods, while it is cached
 * @param compiled its requests as the fast path evaluates them
 * @param results the cached results of equal pods
 */
public record PreparedPod(PodFacts facts, SchedulingRequest request, CompiledPod compiled, CachedResults results) {}
