package io.numaledger.bridge.extender;

import io.numaledger.evaluation.budget.EvaluationBudget;
import io.numaledger.evaluation.facts.PodFacts;
import io.numaledger.evaluation.fit.Evaluation;
import io.numaledger.evaluation.fit.Evaluation.Fits;
import io.numaledger.evaluation.fit.Evaluation.Refused;
import io.numaledger.evaluation.score.Ranking;
import io.numaledger.objects.ObjectReader;
import io.numaledger.scheduling.batch.BatchEvaluator;
import io.numaledger.scheduling.batch.ClusterSearch;
import io.numaledger.scheduling.gang.GangAnswer;
import io.numaledger.scheduling.gang.Gangs;
import io.numaledger.scheduling.queue.FilterOutcome;
import io.numaledger.scheduling.queue.PendingPod;
import io.numaledger.scheduling.queue.PendingPodQueue;
import io.numaledger.scheduling.state.ClusterState;
import io.numaledger.scheduling.state.Reservation.Reason;

import java.io.IOException;
import java.util.List;
import java.util.Map;
import java.util.Optional;

/**
 * {@code filter}: the nodes whose kubelet would admit the pod.
 *
 * <p>A call is decoded once, evaluates the pod on each node, refuses nodes that are reserved for other pods, and
 * encodes the answer. It changes only the queue, at its end. If kube-scheduler has offered a sample of the nodes and none of them is left,
 * the answer is about all nodes of the cluster, and the queue learns which others fit.
 */
public final class FilterVerb {

    private final ClusterState cluster;
    private final BatchEvaluator evaluator;
    private final ClusterSearch search;
    private final ObjectReader reader = new ObjectReader();
    private final PendingPodQueue queue;
    private final Gangs gangs;
    private final DecisionListener listener;
    private final ZoneRefusals zoneRefusals;
    private final CandidateLimit candidates;
    private final ShownClaims claims;

    /**
     * @param zoneRefusals whether the schedulers can preempt for zones
     * @param candidates how many nodes are answered for pods that need alignment
     */
    public FilterVerb(
            ClusterState cluster,
            BatchEvaluator evaluator,
            PendingPodQueue queue,
            Gangs gangs,
            DecisionListener listener,
            ZoneRefusals zoneRefusals,
            CandidateLimit candidates) {
        this.claims = new ShownClaims(cluster, ShownClaims.TIMEOUT);
        this.cluster = cluster;
        this.evaluator = evaluator;
        this.search = new ClusterSearch(cluster, evaluator);
        this.queue = queue;
        this.gangs = gangs;
        this.listener = listener;
        this.zoneRefusals = zoneRefusals;
        this.candidates = candidates;
    }

    /** A decoded request. */
    public final class Call {

        private final ExtenderArgs args;

        private Call(ExtenderArgs args) {
            this.args = args;
        }

        /** Whether only the replica that binds can answer: it plans the pod's group. */
        public boolean isOfGang() {
            return gangs.isMember(cluster.pods().known(args.pod()));
        }

        public byte[] answer() throws IOException {
            claims.await(args.pod());
            return FilterVerb.this.answer(args.shown(cluster), args.nominatedNode());
        }
    }

    /** @throws IllegalArgumentException for a malformed request */
    public Call decode(byte[] body) {
        return new Call(ExtenderArgs.read(body, cluster, reader));
    }

    /** @throws IllegalArgumentException for a malformed request */
    public byte[] answer(byte[] body) throws IOException {
        return decode(body).answer();
    }

    /** @param nominated the node for which the scheduler knows the pod to be nominated */
    private byte[] answer(ExtenderArgs args, Optional<String> nominated) throws IOException {
        // Where zones decide nothing, kube-scheduler chooses among all nodes.
        CandidateLimit limit = args.pod().needsAlignment() ? candidates : CandidateLimit.NONE;
        long version = cluster.versions().last();
        FilterResult result;
        try {
            Optional<GangAnswer> group = gangs.filter(args.pod(), args.names(), args.nominatedNode());
            if (group.isPresent()) {
                result = new FilterResult(args, ofGroup(args, group.get()), Optional.empty(), evaluator);
                tell(args.pod(), result, () -> {});
                return result.encode(zoneRefusals, limit);
            }
            EvaluationBudget budget = cluster.budget(args.pod(), args.names().size());
            List<Evaluation> evaluations = evaluator.evaluate(args.names(), args.pod(), budget);
            refuseReserved(args, evaluations, budget);
            Map<String, PendingPod> older = refuseForOlder(args, evaluations, limit, budget);
            Optional<ClusterSearch.Result> others =
                    evaluations.stream().noneMatch(Evaluation::admits) && search.isSample(args.names())
                            ? Optional.of(search.others(args.pod(), args.names(), evaluations, budget))
                            : Optional.empty();
            result = new FilterResult(
                    others.map(all -> args.naming(all.names())).orElse(args),
                    others.map(ClusterSearch.Result::evaluations).orElse(evaluations),
                    Optional.empty(),
                    evaluator);
            record(
                    new FilterOutcome(
                            args.pod(),
                            others.map(ClusterSearch.Result::names).orElse(args.names()),
                            older,
                            result.admitting() > 0,
                            version,
                            nominated,
                            others.map(ClusterSearch.Result::fitting),
                            result.held()),
                    result);
        } catch (IllegalArgumentException invalid) {
            result = new FilterResult(args, List.of(), Optional.of(String.valueOf(invalid.getMessage())), evaluator);
            tell(args.pod(), result, () -> {});
        }
        return result.encode(zoneRefusals, limit);
    }

    private static List<Evaluation> ofGroup(ExtenderArgs args, GangAnswer answer) {
        return args.names().stream()
                .map(answer::refusal)
                .<Evaluation>map(
                        refusal -> refusal.isPresent() ? refusal.get() : new Fits(Ranking.LOWEST, Optional.empty()))
                .toList();
    }

    /**
     * A pod must not take the place of pods for which a node is reserved. A node on which others are evicted for the pod itself is kept: bind
     * waits until their zones are free. If it were refused, kube-scheduler would evict pods of another node, too. Not one that refuses the pod
     * for its claims: since Kubernetes 1.35, a nomination may also be that of an earlier bind, which was refused for them.
     */
    private void refuseReserved(ExtenderArgs args, List<Evaluation> evaluations, EvaluationBudget budget) {
        if (args.nominatedNode().isEmpty() && cluster.reserved().isEmpty()) {
            return;
        }
        for (int place = 0; place < evaluations.size(); place++) {
            String node = args.names().get(place);
            if (evaluations.get(place) instanceof Refused refused
                    && !refused.reason().isAboutClaims()
                    && args.nominatedNode().equals(Optional.of(node))
                    && evaluator.fitsAfterReleases(node, args.pod(), budget)) {
                evaluations.set(place, new Fits(Ranking.LOWEST, Optional.empty()));
            }
            if (evaluations.get(place).admits()) {
                Optional<Refused> refusal = cluster.reserved().refusal(node, args.pod(), budget);
                if (refusal.isPresent()) {
                    evaluations.set(place, refusal.get());
                }
            }
        }
    }

    /** Returns the nodes that are reserved for older pods. */
    private Map<String, PendingPod> refuseForOlder(
            ExtenderArgs args, List<Evaluation> evaluations, CandidateLimit limit, EvaluationBudget budget) {
        if (queue.size() == 0) {
            return Map.of();
        }
        Map<String, PendingPod> older = queue.reservedForOlder(
                args.pod(),
                args.names(),
                () -> CandidateLimit.bestFirst(evaluations, args.seed()),
                limit.enough(),
                budget);
        for (int place = 0; !older.isEmpty() && place < evaluations.size(); place++) {
            if (older.containsKey(args.names().get(place))) {
                evaluations.set(place, Reason.OLDER_POD.refusal());
            }
        }
        return older;
    }

    private void record(FilterOutcome outcome, FilterResult result) {
        queue.record(outcome);
        tell(outcome.pod(), result, () -> queue.record(outcome));
    }

    /** @param late what else to do for a refused pod that the watch does not show yet, once it does */
    private void tell(PodFacts pod, FilterResult result, Runnable late) {
        listener.filtered(pod, result);
        if (result.admitting() > 0) {
            return;
        }
        if (cluster.pods().shows(pod)) {
            listener.refused(pod, result);
            return;
        }
        queue.whenShown(pod, () -> {
            late.run();
            listener.refused(pod, result);
        });
    }
}
