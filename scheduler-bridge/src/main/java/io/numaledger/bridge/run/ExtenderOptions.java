package io.numaledger.bridge.run;

import io.numaledger.bridge.extender.CandidateLimit;
import io.numaledger.bridge.extender.DecisionListener;
import io.numaledger.bridge.extender.FilterVerb;
import io.numaledger.bridge.extender.ZoneRefusals;
import io.numaledger.evaluation.facts.PodFacts;
import io.numaledger.evaluation.fit.PreparedPods;
import io.numaledger.evaluation.score.Ranking;
import io.numaledger.evaluation.score.ScoringCriterion;
import io.numaledger.evaluation.score.Strategy;
import io.numaledger.fastpath.ResourceIndex;
import io.numaledger.scheduling.batch.BatchEvaluator;
import io.numaledger.scheduling.gang.Gangs;
import io.numaledger.scheduling.queue.PendingPodQueue;
import io.numaledger.scheduling.state.ClusterState;
import picocli.CommandLine.Option;

import java.util.List;
import java.util.Set;

/** How the verbs of the extender answer. */
final class ExtenderOptions {

    @Option(
            names = "--scoring-criteria",
            split = ",",
            paramLabel = "CRITERION",
            description =
                    "what prioritize compares, the first one first: ${COMPLETION-CANDIDATES} (default: ${DEFAULT-VALUE})")
    private List<ScoringCriterion> criteria = ScoringCriterion.DEFAULT;

    @Option(
            names = "--scoring-strategy",
            paramLabel = "STRATEGY",
            description =
                    "how the criterion Strategy scores zones: ${COMPLETION-CANDIDATES} (default: ${DEFAULT-VALUE})")
    private Strategy strategy = Strategy.DEFAULT;

    @Option(
            names = "--max-candidates",
            paramLabel = "N",
            description =
                    "filter answers at most this many nodes, the best ones, and refused nodes only if no node fits; 0: all nodes (default: ${DEFAULT-VALUE})")
    private int maxCandidates = CandidateLimit.DEFAULT.nodes();

    @Option(
            names = "--zone-refusals",
            paramLabel = "KIND",
            description =
                    "result list for zone refusals: unresolvable (for kube-scheduler) or preemptable (default: ${DEFAULT-VALUE})")
    private ZoneRefusals zoneRefusals = ZoneRefusals.unresolvable;

    @Option(
            names = "--scheduler-names",
            split = ",",
            paramLabel = "NAME",
            description = "bind pods of these schedulers only (default: default-scheduler,numaledger)")
    private Set<String> schedulers = Set.of(PodFacts.DEFAULT_SCHEDULER, "numaledger");

    void check() {
        var unused = candidates();
    }

    private CandidateLimit candidates() {
        try {
            return new CandidateLimit(maxCandidates);
        } catch (IllegalArgumentException e) {
            throw new IllegalArgumentException("--max-candidates: " + e.getMessage(), e);
        }
    }

    Set<String> schedulers() {
        return schedulers;
    }

    /** @param index that of the cluster's nodes */
    BatchEvaluator evaluator(ClusterState cluster, ResourceIndex index) {
        return new BatchEvaluator(cluster, new PreparedPods(index), new Ranking(criteria, strategy));
    }

    FilterVerb filter(
            ClusterState cluster,
            BatchEvaluator evaluator,
            PendingPodQueue queue,
            Gangs gangs,
            DecisionListener listener) {
        return new FilterVerb(cluster, evaluator, queue, gangs, listener, zoneRefusals, candidates());
    }
}
