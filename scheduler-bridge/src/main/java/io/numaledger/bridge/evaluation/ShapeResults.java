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

    /** Everything that decides a refusal's message. */
    private record RefusalKey(RefusalReason reason, List<ResourceFit> decisive, Optional<String> ofEmpty) {

        Evaluation refused() {
            return new Refused(
                            reason,
                            RefusalSummary.of(reason, decisive),
                            RefusalMessages.sentence(reason, decisive),
                            List.of(),
                            false)
                    .orOnEmpty(ofEmpty);
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
     * A refusal. Its message is written once for all nodes that it fits.
     *
     * @param ofEmpty why the node refuses the pod without other pods, too
     */
    Evaluation refused(RefusalReason reason, List<ResourceFit> decisive, Optional<String> ofEmpty) {
        RefusalKey key = new RefusalKey(reason, decisive, ofEmpty);
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
