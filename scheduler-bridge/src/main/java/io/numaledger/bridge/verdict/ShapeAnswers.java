package io.numaledger.bridge.verdict;

import io.numaledger.bridge.score.Ranking;
import io.numaledger.bridge.verdict.Verdict.Code;
import io.numaledger.kubelet.answer.Why;

import java.util.Map;
import java.util.Optional;
import java.util.concurrent.ConcurrentHashMap;
import java.util.function.BooleanSupplier;

/** What is known of one shape of pod: of each node, by condition for nodes that are alike, and of kinds of nodes without pods. */
public final class ShapeAnswers {

    private static final int MAX_CONDITIONS = 20_000;

    private final Map<NodeCondition, Outcome> byCondition = new ConcurrentHashMap<>();
    private final Map<NodeKind, Boolean> fitsEmpty = new ConcurrentHashMap<>();
    private final Map<Outcome, Outcome> same = new ConcurrentHashMap<>();
    private final Map<Refused, Outcome> refusals = new ConcurrentHashMap<>();
    private final Column<Outcome> byNode = new Column<>();

    /** All that the text of a refusal follows from. */
    private record Refused(Code code, Why why, boolean never) {

        Outcome outcome() {
            return new Outcome(Optional.of(code), Refusals.sentence(why, false), never, Ranking.UNRANKED);
        }
    }

    ShapeAnswers() {}

    /** Nothing is known of any node. */
    public boolean isEmpty() {
        return same.isEmpty();
    }

    /** Absent if none is known for this version of the node. */
    public Optional<Outcome> of(int slot, long version) {
        return byNode.of(slot, version);
    }

    /** Remembers an answer, unless one for a later version is known. */
    public void put(int slot, long version, Outcome outcome) {
        byNode.put(slot, version, one(outcome));
    }

    /** The same of several, each of them {@link #one}. */
    public void put(Column.Batch<Outcome> batch) {
        byNode.put(batch);
    }

    /** Equal answers are one object: there are few, for many nodes. */
    public Outcome one(Outcome outcome) {
        Outcome known = same.get(outcome);
        if (known != null) {
            return known;
        }
        if (same.size() >= MAX_CONDITIONS) {
            same.clear();
        }
        return same.computeIfAbsent(outcome, any -> any);
    }

    /** A refusal; its sentence is put together once for all nodes of which it says the same. */
    Outcome refused(Code code, Why why, boolean never) {
        Refused refused = new Refused(code, why, never);
        Outcome known = refusals.get(refused);
        if (known != null) {
            return known;
        }
        if (refusals.size() >= MAX_CONDITIONS) {
            refusals.clear();
        }
        return refusals.computeIfAbsent(refused, any -> one(any.outcome()));
    }

    Optional<Outcome> of(NodeCondition condition) {
        return Optional.ofNullable(byCondition.get(condition));
    }

    void put(NodeCondition condition, Outcome outcome) {
        if (byCondition.size() >= MAX_CONDITIONS) {
            byCondition.clear();
        }
        byCondition.put(condition, outcome);
    }

    /** Whether it fits nodes of a kind when they are without pods; worked out once. */
    boolean fitsEmpty(NodeKind kind, BooleanSupplier workedOut) {
        Boolean known = fitsEmpty.get(kind);
        if (known != null) {
            return known;
        }
        boolean fits = workedOut.getAsBoolean();
        fitsEmpty.put(kind, fits);
        return fits;
    }
}
