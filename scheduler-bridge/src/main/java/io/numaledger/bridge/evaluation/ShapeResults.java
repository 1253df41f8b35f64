package io.numaledger.bridge.evaluation;

import io.numaledger.bridge.evaluation.Evaluation.Refused;
import io.numaledger.kubelet.admission.ResourceFit;

import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.ConcurrentHashMap;
import java.util.function.BooleanSupplier;

/**
 * The cached results of one pod shape: by node, by equivalence class, and whether it fits types of nodes without pods.
 * Thread-safe.
 */
public final class ShapeResults {

    private static final int MAX_RESULTS = 20_000;

    private final SlotCache<Evaluation> byNode = new SlotCache<>();
    private final Map<NodeEquivalenceClass, Evaluation> byClass = new ConcurrentHashMap<>();
    private final Map<NodeType, Boolean> fitsEmpty = new ConcurrentHashMap<>();
    private final Map<Evaluation, Evaluation> distinct = new ConcurrentHashMap<>();
    private final Map<RefusalKey, Evaluation> refusals = new ConcurrentHashMap<>();

    /** Everything that decides a refusal's message. */
    private record RefusalKey(RefusalReason reason, List<ResourceFit> decisive, boolean unresolvable) {

        Evaluation refused() {
            return new Refused(reason, RefusalMessages.sentence(reason, decisive), List.of(), unresolvable);
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

    /** A refusal. Its message is written once for all nodes that it fits. */
    Evaluation refused(RefusalReason reason, List<ResourceFit> decisive, boolean unresolvable) {
        RefusalKey key = new RefusalKey(reason, decisive, unresolvable);
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

    /** Whether the pod fits a node of this type without pods. Computed once. */
    boolean fitsEmpty(NodeType type, BooleanSupplier compute) {
        Boolean known = fitsEmpty.get(type);
        if (known != null) {
            return known;
        }
        boolean fits = compute.getAsBoolean();
        fitsEmpty.put(type, fits);
        return fits;
    }
}
