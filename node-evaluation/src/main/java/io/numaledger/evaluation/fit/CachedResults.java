package io.numaledger.evaluation.fit;

import java.util.Map;
import java.util.Optional;
import java.util.concurrent.ConcurrentHashMap;
import java.util.function.Supplier;

/**
 * The cached results of equal pods: by node, by equivalence class, and for types of nodes without pods.
 * Thread-safe.
 */
public final class CachedResults {

    private static final int MAX_RESULTS = 20_000;

    /** The most classes. Where there are more, nearly every node has a class of its own, and the results by node say the same. */
    private static final int MAX_CLASSES = 4_000;

    private final SlotCache<Evaluation> byNode = new SlotCache<>();
    private final Map<NodeEquivalenceClass, Evaluation> byClass = new ConcurrentHashMap<>();
    private final Map<NodeType, TypeRefusals> byType = new ConcurrentHashMap<>();
    private final Map<Evaluation, Evaluation> distinct = new ConcurrentHashMap<>();

    CachedResults() {}

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

    /** The result for a class of nodes. */
    public Optional<Evaluation> of(NodeEquivalenceClass nodes) {
        return Optional.ofNullable(byClass.get(nodes));
    }

    public void put(NodeEquivalenceClass nodes, Evaluation evaluation) {
        if (byClass.size() >= MAX_CLASSES) {
            byClass.clear();
        }
        byClass.put(nodes, evaluation);
    }

    /**
     * The refusals by nodes of a type.
     *
     * @param ofEmpty computes the summary of the refusal by a node of this type without pods; absent: it fits there
     */
    TypeRefusals refusals(NodeType type, Supplier<Optional<String>> ofEmpty) {
        TypeRefusals known = byType.get(type);
        if (known != null) {
            return known;
        }
        TypeRefusals made = new TypeRefusals(ofEmpty.get());
        byType.put(type, made);
        return made;
    }
}
