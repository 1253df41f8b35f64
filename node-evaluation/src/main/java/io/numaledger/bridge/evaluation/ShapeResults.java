package io.numaledger.bridge.evaluation;

import io.numaledger.bridge.evaluation.Evaluation.Refused;
import io.numaledger.kubelet.admission.ResourceFit;

import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.ConcurrentHashMap;
import java.util.function.Supplier;

/**
 * The cached results of one pod shape: by node, by equivalence class, and for types of nodes without pods.
 * Thread-safe.
 */
public final class ShapeResults {

    private static final int MAX_RESULTS = 20_000;

    private final SlotCache<Evaluation> byNode = new SlotCache<>();
    private final Map<NodeEquivalenceClass, Evaluation> byClass = new ConcurrentHashMap<>();
    private final Map<NodeType, Optional<String>> refusalsOfEmpty = new ConcurrentHashMap<>();
    private final Map<Evaluation, Evaluation> distinct = new ConcurrentHashMap<>();
    private final Map<RefusalKey, Evaluation> refusals = new ConcurrentHashMap<>();

    /** Everything that decides a refusal's summary: not how much is free. */
    private record RefusalKey(RefusalReason reason, List<ResourceFit> decisive) {

        static RefusalKey of(RefusalReason reason, List<ResourceFit> decisive) {
            return new RefusalKey(
                    reason, decisive.stream().map(RefusalMessages::withoutZones).toList());
        }

        Evaluation refused() {
            return Refused.of(reason, RefusalSummary.of(reason, decisive), false);
        }
    }

    ShapeResults() {}

    /** Whether nothing is cached. */
    public boolean isEmpty() {
        return distinct.isEmpty();
    }

    /** Results by node. They must be {@link #distinct}. */
    public SlotCache<Evaluation> byNode() {
        return byNode;
    }

    /** Returns one object for all equal results. Many nodes share few different results. */
    public Evaluation distinct(Evaluation evaluation) {
        Evaluation known = distinct.get(evaluation);
        if (known != null) {
            return known;
        }
        if (distinct.size() >= MAX_RESULTS) {
            distinct.clear();
        }
        return distinct.computeIfAbsent(evaluation, any -> any);
    }

    /**
     * A refusal by nodes that would take the pod without other pods. Thousands of nodes share it, so its message is its summary: one of
     * its own for each node would fill the heap.
     */
    Evaluation refused(RefusalReason reason, List<ResourceFit> decisive) {
        RefusalKey key = RefusalKey.of(reason, decisive);
        Evaluation known = refusals.get(key);
        if (known != null) {
            return known;
        }
        if (refusals.size() >= MAX_RESULTS) {
            refusals.clear();
        }
        return refusals.computeIfAbsent(key, any -> distinct(any.refused()));
    }

    /** The result for a class of nodes. */
    public Optional<Evaluation> of(NodeEquivalenceClass nodes) {
        return Optional.ofNullable(byClass.get(nodes));
    }

    public void put(NodeEquivalenceClass nodes, Evaluation evaluation) {
        if (byClass.size() >= MAX_RESULTS) {
            byClass.clear();
        }
        byClass.put(nodes, evaluation);
    }

    /** The summary of the refusal by a node of this type without pods; absent: it fits there. Computed once. */
    Optional<String> refusalOfEmpty(NodeType type, Supplier<Optional<String>> compute) {
        Optional<String> known = refusalsOfEmpty.get(type);
        if (known != null) {
            return known;
        }
        Optional<String> refusal = compute.get();
        refusalsOfEmpty.put(type, refusal);
        return refusal;
    }
}
