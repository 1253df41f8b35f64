package io.numaledger.evaluation.fit;

import io.numaledger.evaluation.facts.PodFacts;
import io.numaledger.fastpath.CompiledPod;
import io.numaledger.fastpath.ResourceIndex;

import java.util.Collections;
import java.util.LinkedHashMap;
import java.util.Map;

/** Prepares pods for evaluation, and keeps what was prepared and found out for the most recently used shapes. Thread-safe. */
public final class SchedulingRequests {

    private static final int MAX_SHAPES = 128;

    private final ResourceIndex index;
    private final Map<PodShape, Prepared> shapes = Collections.synchronizedMap(new LinkedHashMap<>(16, 0.75f, true) {
        @Override
        protected boolean removeEldestEntry(Map.Entry<PodShape, Prepared> eldest) {
            return size() > MAX_SHAPES;
        }
    });

    private record Prepared(PodShape shape, CompiledPod compiled, ShapeResults results) {}

    /** @param index the numbers of resource names that the nodes use, too */
    public SchedulingRequests(ResourceIndex index) {
        this.index = index;
    }

    /** @throws IllegalArgumentException as a sentence, for an invalid maximum NUMA spread */
    public SchedulingRequest of(PodFacts pod) {
        Prepared prepared = shapes.computeIfAbsent(
                PodShape.of(pod),
                shape -> new Prepared(shape, CompiledPod.of(pod.request(), index), new ShapeResults()));
        return new SchedulingRequest(pod, prepared.shape(), prepared.compiled(), prepared.results());
    }
}
