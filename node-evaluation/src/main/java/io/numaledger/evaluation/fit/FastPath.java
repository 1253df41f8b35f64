package io.numaledger.evaluation.fit;

import io.numaledger.evaluation.fit.Evaluation.Fits;
import io.numaledger.evaluation.fit.Evaluation.Refused;
import io.numaledger.evaluation.score.PlacementChange;
import io.numaledger.evaluation.score.Ranking;
import io.numaledger.fastpath.FastPathEvaluator;
import io.numaledger.fastpath.NodeCounts;
import io.numaledger.fastpath.Verdict;
import io.numaledger.kubelet.admission.ResourceFit;

import java.util.List;
import java.util.Optional;

/**
 * Evaluates pods from per-zone counts, where these decide. The rank of a pod over several zones uses an estimate of how much it
 * takes from each of them. Holds scratch space: use one per thread.
 */
public final class FastPath {

    private final FastPathEvaluator evaluator = new FastPathEvaluator();
    private final Ranking ranking;

    public FastPath(Ranking ranking) {
        this.ranking = ranking;
    }

    /** Evaluates by counts; absent where the full model has to decide. Equal results are one object; the message of a refusal is its summary. */
    public Optional<Evaluation> evaluate(NodeEquivalenceClass nodes, PreparedPod pod) {
        if (nodes.counts().isEmpty() || pod.request().maxSpread().isPresent()) {
            return Optional.empty();
        }
        NodeType.FastPath fastPath = nodes.type().fastPath().orElseThrow();
        NodeCounts counts = nodes.counts().get();
        Verdict verdict = fastPath.model().evaluate(evaluator, counts, pod.compiled());
        if (verdict == Verdict.UNDECIDED) {
            return Optional.empty();
        }
        if (verdict.isRefused()) {
            return Optional.of(refused(nodes.type(), fastPath, counts, pod, verdict));
        }
        long[] taken = new long[nodes.free().size()];
        evaluator.place(counts, pod.compiled(), taken);
        long rank = ranking.rank(new PlacementChange(nodes.free(), taken));
        return Optional.of(pod.results().distinct(new Fits(rank, Optional.empty())));
    }

    private Evaluation refused(
            NodeType type, NodeType.FastPath fastPath, NodeCounts counts, PreparedPod pod, Verdict verdict) {
        TypeRefusals refusals = pod.results().refusals(type, () -> refusalOfEmpty(type, fastPath, pod));
        int number = fastPath.model().refusalNumber(evaluator, counts, pod.compiled(), verdict);
        Optional<Evaluation> known = refusals.get(number);
        if (known.isPresent()) {
            return known.get();
        }
        Optional<String> ofEmpty = refusals.ofEmpty();
        String summary = ofEmpty.orElseGet(() -> summary(evaluator, fastPath, counts, pod, verdict));
        Evaluation refused = pod.results().distinct(Refused.of(reason(verdict), summary, ofEmpty.isPresent()));
        refusals.put(number, refused);
        return refused;
    }

    private static Optional<String> refusalOfEmpty(NodeType type, NodeType.FastPath fastPath, PreparedPod pod) {
        FastPathEvaluator evaluator =
                new FastPathEvaluator(); // the other one holds the result for the node with its pods
        Verdict verdict = fastPath.model().evaluate(evaluator, fastPath.empty(), pod.compiled());
        if (verdict == Verdict.UNDECIDED) {
            return FullModel.evaluateEmpty(type.kubelet(), pod.facts())
                    .refused()
                    .map(Refused::summary);
        }
        return verdict.isRefused()
                ? Optional.of(summary(evaluator, fastPath, fastPath.empty(), pod, verdict))
                : Optional.empty();
    }

    private static String summary(
            FastPathEvaluator evaluator,
            NodeType.FastPath fastPath,
            NodeCounts counts,
            PreparedPod pod,
            Verdict verdict) {
        List<ResourceFit> resources = fastPath.model().refusalDetails(evaluator, counts, pod.compiled(), verdict);
        return RefusalSummary.of(reason(verdict), RefusalMessages.decisive(resources));
    }

    private static RefusalReason reason(Verdict verdict) {
        return RefusalReason.of(verdict.reason().orElseThrow());
    }
}
