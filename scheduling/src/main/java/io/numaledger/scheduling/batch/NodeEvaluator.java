package io.numaledger.scheduling.batch;

import io.numaledger.evaluation.fit.Evaluation;
import io.numaledger.evaluation.fit.Evaluation.Fits;
import io.numaledger.evaluation.fit.Evaluation.Unknown;
import io.numaledger.evaluation.fit.EvaluationCounters;
import io.numaledger.evaluation.fit.EvaluationCounters.Method;
import io.numaledger.evaluation.fit.FastPath;
import io.numaledger.evaluation.fit.FullModel;
import io.numaledger.evaluation.fit.NodeEquivalenceClass;
import io.numaledger.evaluation.fit.SchedulingRequest;
import io.numaledger.evaluation.fit.SlotCache;
import io.numaledger.evaluation.holder.Sentence;
import io.numaledger.evaluation.score.Ranking;
import io.numaledger.evaluation.snapshot.NodeSnapshot;
import io.numaledger.scheduling.state.ClusterNode;
import io.numaledger.scheduling.state.ClusterState;
import io.numaledger.scheduling.state.NodeNames;
import io.numaledger.scheduling.state.PossibleSnapshots;
import io.numaledger.scheduling.state.PossibleSnapshots.ClassifiedSnapshot;

import java.util.Optional;

/**
 * Evaluates one request on one node after another. This is the only place that chooses between the cached result, the fast path
 * and the full model. For one thread; {@link #finish} stores what it found out.
 */
public final class NodeEvaluator {

    private static final Evaluation NOT_IN_THE_API = new Unknown(Sentence.of("the API server does not show this node"));

    private final ClusterState cluster;
    private final SchedulingRequest request;
    private final Ranking ranking;
    private final EvaluationCounters counters;
    private final FastPath fastPath;
    private final SlotCache.Batch<Evaluation> found;
    private final long second;
    private int cached;

    NodeEvaluator(ClusterState cluster, SchedulingRequest request, Ranking ranking, EvaluationCounters counters) {
        this.cluster = cluster;
        this.request = request;
        this.ranking = ranking;
        this.counters = counters;
        this.fastPath = new FastPath(ranking);
        this.found = new SlotCache.Batch<>(cluster.versions().slots());
        this.second = cluster.versions().second();
    }

    /** Evaluates the node that is named at a place. */
    public Evaluation evaluate(NodeNames names, int place) {
        if (!names.isKnown(place)) {
            return NOT_IN_THE_API;
        }
        int slot = names.index().slot(names.at(place));
        long version = cluster.versions().get(slot);
        if (!cluster.versions().isValidAt(second, slot)) {
            return evaluateStates(names.index().node(names.at(place)), slot, version);
        }
        Optional<Evaluation> known = request.results().byNode().get(slot, version);
        if (known.isPresent()) {
            cached++;
            return known.get();
        }
        Optional<Evaluation> fast = request.shape().asksForLinks()
                ? Optional.empty()
                : cluster.classBySlot().get(slot, version).flatMap(nodes -> fastPath.evaluate(nodes, request));
        if (fast.isPresent()) {
            found.add(slot, version, fast.get());
            return fast.get();
        }
        return evaluateStates(names.index().node(names.at(place)), slot, version);
    }

    /**
     * The pod must fit every possible state. A node with several ranks behind nodes with one: each pod in flight that needs alignment may add
     * possible states, until pods have to wait.
     */
    private Evaluation evaluateStates(ClusterNode node, int slot, long version) {
        Optional<PossibleSnapshots> snapshots = node.snapshots();
        if (snapshots.isEmpty()) {
            return NOT_IN_THE_API;
        }
        PossibleSnapshots now = snapshots.get();
        Evaluation evaluation = now.evaluate(request.pod(), request::shape, this::evaluate);
        Evaluation ranked =
                now.others().isEmpty() || !request.pod().needsAlignment() ? evaluation : behindOthers(evaluation);
        request.results().byNode().put(slot, version, request.results().distinct(ranked));
        return ranked;
    }

    private static Evaluation behindOthers(Evaluation evaluation) {
        return evaluation instanceof Fits fits
                ? new Fits(Ranking.behindOthers(fits.rank()), fits.placement())
                : evaluation;
    }

    private Evaluation evaluate(ClassifiedSnapshot state) {
        Evaluation evaluation = evaluateWithoutLinks(state);
        if (!request.shape().asksForLinks() || !(evaluation instanceof Fits fits)) {
            return evaluation;
        }
        // Nodes of one class differ in which of their GPUs are free.
        counters.add(Method.FULL_MODEL, 1);
        NodeSnapshot node = state.snapshot();
        Evaluation linked =
                request.shape().links().isPresent() ? FullModel.evaluate(node, node.now(), request.pod()) : fits;
        return linked.admits()
                ? new Fits(Ranking.firstBy(FullModel.linkScore(node, request.pod()), fits.rank()), fits.placement())
                : linked;
    }

    private Evaluation evaluateWithoutLinks(ClassifiedSnapshot state) {
        if (state.nodeClass().isEmpty()
                || !state.snapshot().isDecidedByModel(request.pod().request())) {
            counters.add(Method.UNKNOWN, 1);
            Evaluation evaluation = FullModel.evaluate(state.snapshot(), request.pod());
            return evaluation instanceof Fits fits ? new Fits(fits.rank(), Optional.empty()) : evaluation;
        }
        NodeEquivalenceClass nodes = state.nodeClass().get();
        Optional<Evaluation> fast = fastPath.evaluate(nodes, request);
        if (fast.isPresent()) {
            counters.add(Method.FAST_PATH, 1);
            return fast.get();
        }
        Optional<Evaluation> known = request.results().of(nodes);
        if (known.isPresent()) {
            counters.add(Method.CACHE, 1);
            return known.get();
        }
        counters.add(Method.FULL_MODEL, 1);
        Evaluation evaluation = FullModel.evaluate(nodes, state.snapshot().now().orElseThrow(), request, ranking);
        request.results().put(nodes, evaluation);
        return evaluation;
    }

    /** Stores and counts the results of the fast path. */
    public void finish() {
        counters.add(Method.CACHE, cached);
        counters.add(Method.FAST_PATH, found.size());
        request.results().byNode().put(found);
    }
}
