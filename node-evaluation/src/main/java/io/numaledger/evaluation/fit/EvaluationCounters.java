package io.numaledger.evaluation.fit;

import java.util.EnumMap;
import java.util.Map;
import java.util.concurrent.atomic.LongAdder;

import static java.util.Objects.requireNonNull;

/** Counts evaluations by the method that produced them. */
public final class EvaluationCounters {

    /** How a result was found. */
    public enum Method {
        /** Known for this node, or for an equal one. */
        CACHE,
        /** Computed by the fast path. */
        FAST_PATH,
        /** Computed by the full kubelet model. */
        FULL_MODEL,
        /** None: nothing is known of the node's zones. */
        UNKNOWN
    }

    private final Map<Method, LongAdder> byMethod = new EnumMap<>(Method.class);

    public EvaluationCounters() {
        for (Method method : Method.values()) {
            byMethod.put(method, new LongAdder());
        }
    }

    public void add(Method method, int evaluations) {
        requireNonNull(byMethod.get(method)).add(evaluations);
    }

    public long count(Method method) {
        return requireNonNull(byMethod.get(method)).sum();
    }
}
