package io.numaledger.evaluation.fit;

import io.numaledger.evaluation.facts.PodFacts;
import io.numaledger.fastpath.CompiledPod;
import io.numaledger.fastpath.ResourceIndex;

import java.util.Collections;
import java.util.LinkedHashMap;
import java.util.Map;

/** Prepares pods for evaluation, and keeps what was prepared and found out for the most recent requests. Thread-safe. */
public final class PreparedPods {

    private static final int MAX_REQUESTS = 128;

    private final ResourceIndex index;
    private final Map<SchedulingRequest, Prepared> byRequest =
            Collections.synchronizedMap(new LinkedHashMap<>(16, 0.75f, true) {
                @Override
                protected boolean removeEldestEntry(Map.Entry<SchedulingRequest, Prepared> eldest) {
                    return size() > MAX_REQUESTS;
                }
            });

    private record Prepared(SchedulingRequest request, CompiledPod compiled, CachedResults results) {}

    /** @param index the numbers of resource names that the nodes use, too */
    public PreparedPods(ResourceIndex index) {
        this.index = index;
    }

    /** @throws IllegalArgumentException as a sentence, for an invalid maximum NUMA spread */
    public PreparedPod of(PodFacts pod) {
        Prepared prepared = byRequest.computeIfAbsent(
                SchedulingRequest.of(pod),
                request -> new Prepared(request, CompiledPod.of(pod.request(), index), new CachedResults()));
        return new PreparedPod(pod, prepared.request(), prepared.compiled(), prepared.results());
    }
}
