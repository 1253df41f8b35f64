package io.numaledger.scheduling.batch;

import io.numaledger.evaluation.fit.Evaluation;
import io.numaledger.evaluation.fit.Evaluation.Fits;
import io.numaledger.evaluation.fit.Evaluation.Unknown;
import io.numaledger.evaluation.fit.EvaluationCounters;
import io.numaledger.evaluation.fit.EvaluationCounters.Method;
import io.numaledger.evaluation.fit.FastPath;
import io.numaledger.evaluation.fit.FullModel;
import io.numaledger.evaluation.fit.NodeEquivalenceClass;
import io.numaledger.evaluation.fit.PreparedPod;
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
 * Evaluates one pod on one node after another. This is the only place that chooses between the cached result, the fast path
 * and the full model. For one thread; {@link #finish} stores what it found out.
 */
public final class NodeEvaluator {

    private static final Evaluation NOT_IN_THE_API = new Unknown(Sentence.of("the API server does not show this node"));

    private final ClusterState cluster;
    private final PreparedPod pod;
    private final Ranking ranking;
    private final EvaluationCounters counters;
    private final FastPath fastPath;
    private final SlotCache.Batch<Evaluation> found;
    private final long second;
    private int cached;

    NodeEvaluator(ClusterState cluster, PreparedPod pod, Ranking ranking, EvaluationCounters counters) {
        this.cluster = cluster;
        this.pod = pod;
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
        Optional<Evaluation> known = pod.results().byNode().get(slot, version);
        if (known.isPresent()) {
            cached++;
            return known.get();
        }
        Optional<Evaluation> fast = pod.request().asksForLinks()
                ? Optional.empty()
                : cluster.classBySlot().get(slot, version).flatMap(nodes -> fastPath.evaluate(nodes, pod));
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
        Evaluation evaluation = now.evaluate(pod.facts(), pod::request, this::evaluate);
        Evaluation ranked =
                now.others().isEmpty() || !pod.facts().needsAlignment() ? evaluation : behindOthers(evaluation);
        pod.results().byNode().put(slot, version, pod.results().distinct(ranked));
        return ranked;
    }

    private static Evaluation behindOthers(Evaluation evaluation) {
        return evaluation instanceof Fits fits
                ? new Fits(Ranking.behindOthers(fits.rank()), fits.placement())
                : evaluation;
    }

    private Evaluation evaluate(ClassifiedSnapshot state) {
        Evaluation evaluation = evaluateWithoutLinks(state);
        if (!pod.request().asksForLinks() || !(evaluation instanceof Fits fits)) {
            return evaluation;
        }
        // Nodes of one class differ in which of their GPUs are free.
        counters.add(Method.FULL_MODEL, 1);
        NodeSnapshot node = state.snapshot();
        Evaluation linked =
                pod.request().links().isPresent() ? FullModel.evaluate(node, node.now(), pod.facts()) : fits;
        return linked.admits()
                ? new Fits(Ranking.firstBy(FullModel.linkScore(node, pod.facts()), fits.rank()), fits.placement())
                : linked;
    }

    private Evaluation evaluateWithoutLinks(ClassifiedSnapshot state) {
        if (state.nodeClass().isEmpty()
                || !state.snapshot().isDecidedByModel(pod.facts().request())) {
            counters.add(Method.UNKNOWN, 1);
            Evaluation evaluation = FullModel.evaluate(state.snapshot(), pod.facts());
            return evaluation instanceof Fits fits ? new Fits(fits.rank(), Optional.empty()) : evaluation;
        }
        NodeEquivalenceClass nodes = state.nodeClass().get();
        Optional<Evaluation> fast = fastPath.evaluate(nodes, pod);
        if (fast.isPresent()) {
            counters.add(Method.FAST_PATH, 1);
            return fast.get();
        }
        Optional<Evaluation> known = pod.results().of(nodes);
        if (known.isPresent()) {
            counters.add(Method.CACHE, 1);
            return known.get();
        }
        counters.add(Method.FULL_MODEL, 1);
        Evaluation evaluation = FullModel.evaluate(nodes, state.snapshot().now().orElseThrow(), pod, ranking);
        pod.results().put(nodes, evaluation);
        return evaluation;
    }

    /** Stores and counts the results of the fast path. */
    public void finish() {
        counters.add(Method.CACHE, cached);
        counters.add(Method.FAST_PATH, found.size());
        pod.results().byNode().put(found);
    }
}
