package io.numaledger.scheduling.batch;

import io.numaledger.evaluation.budget.EvaluationBudget;
import io.numaledger.evaluation.facts.PodFacts;
import io.numaledger.evaluation.fit.Evaluation;
import io.numaledger.evaluation.fit.Evaluation.Refused;
import io.numaledger.evaluation.fit.EvaluationCounters;
import io.numaledger.evaluation.fit.FullModel;
import io.numaledger.evaluation.fit.PreparedPod;
import io.numaledger.evaluation.fit.PreparedPods;
import io.numaledger.evaluation.score.Ranking;
import io.numaledger.scheduling.state.ClusterState;
import io.numaledger.scheduling.state.NodeNames;
import io.numaledger.scheduling.state.PossibleSnapshots;

import java.util.Arrays;
import java.util.Collection;
import java.util.List;
import java.util.Optional;
import java.util.stream.IntStream;

/** Evaluates pods on many nodes. Thread-safe. */
public final class BatchEvaluator {

    /** Fewer nodes than this without cached results are not worth another thread. */
    private static final int MIN_NODES_PER_TASK = 500;

    /** The alignment of claims is evaluated with the full model. */
    private static final int MIN_ALIGNED_PER_TASK = 100;

    private final ClusterState cluster;
    private final PreparedPods prepared;
    private final Ranking ranking;
    private final EvaluationCounters counters = new EvaluationCounters();

    /** @param ranking computes how good a node is for a pod, once for both filter and prioritize */
    public BatchEvaluator(ClusterState cluster, PreparedPods prepared, Ranking ranking) {
        this.cluster = cluster;
        this.prepared = prepared;
        this.ranking = ranking;
    }

    /**
     * Evaluates a pod on these nodes, in their order.
     *
     * @param budget of the call
     * @return a list whose elements may be replaced
     * @throws IllegalArgumentException as a sentence, for an invalid annotation
     */
    public List<Evaluation> evaluate(NodeNames names, PodFacts pod, EvaluationBudget budget) {
        List<Evaluation> evaluations = evaluateZones(names, pod);
        ClaimEvaluator.of(cluster.claims(), pod, budget)
                .ifPresent(claims -> claims.unseen()
                        .ifPresentOrElse(
                                refused -> evaluations.replaceAll(each -> each.admits() ? refused : each),
                                () -> align(claims, names, evaluations)));
        return evaluations;
    }

    private void align(ClaimEvaluator claims, NodeNames names, List<Evaluation> evaluations) {
        WorkSplitter.run((evaluations.size() + MIN_ALIGNED_PER_TASK - 1) / MIN_ALIGNED_PER_TASK, task -> {
            int end = Math.min(evaluations.size(), (task + 1) * MIN_ALIGNED_PER_TASK);
            for (int place = task * MIN_ALIGNED_PER_TASK; place < end; place++) {
                Evaluation evaluation = evaluations.get(place);
                if (evaluation.admits()) {
                    evaluations.set(
                            place,
                            cluster.snapshots(names.get(place))
                                    .map(node -> ClaimEvaluator.shared(claims.evaluate(node, evaluation)))
                                    .orElse(evaluation));
                }
            }
        });
    }

    private List<Evaluation> evaluateZones(NodeNames names, PodFacts pod) {
        PreparedPod one = prepared.of(pod);
        Evaluation[] results = new Evaluation[names.size()];
        int perTask = one.results().isEmpty() ? MIN_NODES_PER_TASK : Math.max(1, results.length);
        int tasks = (results.length + perTask - 1) / perTask;
        WorkSplitter.run(tasks, task -> {
            NodeEvaluator evaluator = new NodeEvaluator(cluster, one, ranking, counters);
            int end = Math.min(results.length, (task + 1) * perTask);
            for (int place = task * perTask; place < end; place++) {
                results[place] = evaluator.evaluate(names, place);
            }
            evaluator.finish();
        });
        return Arrays.asList(results);
    }

    /** Why a node refuses a pod, with its free amounts; absent if it does not, or nothing is known of its zones. */
    public Optional<Refused> refusal(String node, PodFacts pod) {
        return cluster.snapshots(node)
                .map(PossibleSnapshots::likeliest)
                .flatMap(now -> now.nodeClass()
                        .map(nodes -> prepared.of(pod).request().links().isPresent()
                                        || !now.snapshot().isDecidedByModel(pod.request())
                                ? FullModel.evaluate(now.snapshot(), pod)
                                : FullModel.evaluate(
                                        nodes, now.snapshot().now().orElseThrow(), prepared.of(pod), ranking)))
                .map(zones -> ClaimEvaluator.of(cluster.claims(), pod, cluster.budget(pod, 1))
                        .flatMap(claims -> cluster.snapshots(node).map(now -> claims.evaluate(now, zones)))
                        .orElse(zones))
                .flatMap(Evaluation::refused);
    }

    /** The nodes among these that admit a pod now. */
    public List<String> admitting(Collection<String> nodes, PodFacts pod, EvaluationBudget budget) {
        NodeNames names = NodeNames.of(cluster.index(), nodes);
        List<Evaluation> evaluations = evaluate(names, pod, budget);
        return IntStream.range(0, names.size())
                .filter(place -> evaluations.get(place).admits())
                .mapToObj(names::get)
                .toList();
    }

    /**
     * Evaluates one pod on one node after another.
     *
     * @throws IllegalArgumentException as a sentence, for an invalid annotation
     */
    public NodeEvaluator nodes(PodFacts pod) {
        return new NodeEvaluator(cluster, prepared.of(pod), ranking, counters);
    }

    /** Whether the node will admit the pod when its terminating pods have ended, wherever the kubelet placed pods in flight. */
    public boolean fitsAfterReleases(String node, PodFacts pod, EvaluationBudget budget) {
        return cluster.use(node, budget)
                .filter(use -> use.afterReleases().admitsByZones(pod))
                .isPresent();
    }

    /** How results were found so far. */
    public EvaluationCounters counters() {
        return counters;
    }
}
