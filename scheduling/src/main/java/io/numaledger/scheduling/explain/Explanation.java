package io.numaledger.scheduling.explain;

import io.numaledger.evaluation.alignment.AlignmentCheck;
import io.numaledger.evaluation.alignment.ClaimNeeds;
import io.numaledger.evaluation.budget.EvaluationBudget;
import io.numaledger.evaluation.claim.ResourceClaim;
import io.numaledger.evaluation.facts.PodFacts;
import io.numaledger.evaluation.fit.Evaluation;
import io.numaledger.evaluation.fit.Evaluation.Fits;
import io.numaledger.evaluation.fit.Evaluation.Refused;
import io.numaledger.evaluation.holder.Sentence;
import io.numaledger.evaluation.snapshot.Confidence;
import io.numaledger.evaluation.snapshot.NodeSnapshot;
import io.numaledger.scheduling.batch.ClaimEvaluator;
import io.numaledger.scheduling.dra.ClusterClaims;
import io.numaledger.scheduling.state.ClusterState;
import io.numaledger.scheduling.state.Feasibility;
import io.numaledger.scheduling.state.NodeUse;
import io.numaledger.scheduling.state.PossibleSnapshots;
import io.numaledger.scheduling.state.Reservation.Reason;

import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.stream.Collectors;

/**
 * Why a pod fits a node or not.
 *
 * @param evaluation of the NUMA zones
 * @param nodeReasons why the node as a whole does not take the pod; empty if it does
 * @param advice the smallest change with which a refused pod would fit
 * @param notAligned why nothing of the pod is aligned on this node, or not all; empty where the node refuses it
 * @param confidence never exact about devices of claims, which the kubelet does not align
 * @param claims how the devices of its claims would lie; absent without claims, where its zones refuse the pod or are unknown, and as long as
 *     other pods are taken to have ended
 */
public record Explanation(
        NodeSnapshot node,
        Evaluation evaluation,
        List<Sentence> nodeReasons,
        Optional<Sentence> advice,
        List<NotAligned> notAligned,
        Confidence confidence,
        Optional<AlignmentCheck> claims) {

    /** The work for each node: advice tries many sets of pods. */
    private static final long WORK = 100_000;

    public Explanation {
        nodeReasons = List.copyOf(nodeReasons);
        notAligned = List.copyOf(notAligned);
    }

    /** Whether the node takes the pod, as a whole and by its zones. */
    public boolean schedulable() {
        return evaluation.admits() && nodeReasons.isEmpty();
    }

    /** This explanation where the node, which takes the pod, is reserved for an older one. */
    public Explanation reservedForOlder() {
        return new Explanation(
                node, Reason.OLDER_POD.refusal(), nodeReasons, Optional.empty(), List.of(), confidence, claims);
    }

    /** Explains every node as it is now. A pod that already holds resources on a node is taken to have ended there. */
    public static List<Explanation> ofAll(ClusterState cluster, PodFacts pod) {
        return ofAll(cluster, List.of(), pod);
    }

    /** Explains every node as it would be after other pods have ended. */
    public static List<Explanation> ofAll(ClusterState cluster, List<String> ended, PodFacts pod) {
        return ofAll(cluster, ended, pod, List.of());
    }

    /** @param described claims that would be made for the pod */
    public static List<Explanation> ofAll(
            ClusterState cluster, List<String> ended, PodFacts pod, List<ResourceClaim> described) {
        return cluster.uses(EvaluationBudget.NONE).stream()
                .map(use -> of(cluster.claims(), use, ended, pod, described))
                .toList();
    }

    /**
     * Explains one node. What the pod demands of its claims counts as long as nothing is taken to have ended.
     *
     * @param ended pods that are taken to have ended
     * @param described claims that would be made for the pod
     */
    static Explanation of(
            ClusterClaims claims, NodeUse known, List<String> ended, PodFacts pod, List<ResourceClaim> described) {
        EvaluationBudget budget = new EvaluationBudget(WORK);
        NodeUse use = known.within(budget);
        NodeSnapshot snapshot = use.snapshots().likeliest().snapshot();
        List<PodFacts> gone = use.pods().stream()
                .filter(other -> ended.contains(other.key()) || other.key().equals(pod.key()))
                .toList();
        Feasibility feasibility = Feasibility.of(use).without(gone);
        Evaluation byZones = feasibility.byZones(pod);
        List<ResourceClaim> ofPod = claims.claimsOf(pod, described);
        Evaluation evaluation = gone.isEmpty()
                ? ClaimEvaluator.evaluate(claims, pod, ofPod, use.snapshots(), byZones, budget)
                : byZones;
        List<Sentence> reasons = feasibility.nodeReasons(pod).stream()
                .map(Sentence::of)
                .collect(Collectors.toCollection(ArrayList::new));
        ClaimNeeds needs = claims.needs(pod, ofPod, use.node(), budget.of(pod));
        if (gone.isEmpty() && claims.devicesOfNoNode().devices().isEmpty()) {
            AlignmentCheck.shortage(needs, claims.devices(snapshot.name()))
                    .ifPresent(reason -> reasons.add(Sentence.of(reason)));
        }
        Optional<Refused> reserved = evaluation.admits() && gone.isEmpty() && reasons.isEmpty()
                ? feasibility.reserved(pod)
                : Optional.empty();
        List<NotAligned> notAligned = NotAligned.of(snapshot, evaluation, pod, !needs.isEmpty());
        return new Explanation(
                snapshot,
                reserved.map(Evaluation.class::cast).orElse(evaluation),
                reasons,
                gone.isEmpty() && reserved.isEmpty() ? Advice.of(use, pod, evaluation) : Optional.empty(),
                notAligned,
                confidence(use.snapshots(), evaluation, pod, notAligned),
                ended.isEmpty() ? ClaimEvaluator.check(claims, needs, snapshot, byZones) : Optional.empty());
    }

    private static Confidence confidence(
            PossibleSnapshots node, Evaluation evaluation, PodFacts pod, List<NotAligned> notAligned) {
        boolean isAboutClaims = evaluation instanceof Refused refused
                ? refused.reason().isAboutClaims()
                : notAligned.stream().anyMatch(each -> each.reason() == NotAligned.Reason.CLAIMED_DEVICES);
        Confidence ofZones = evaluation instanceof Fits fits && fits.placement().isPresent()
                ? node.confidence(pod, fits.placement().get())
                : node.likeliest().snapshot().confidence();
        return isAboutClaims && ofZones == Confidence.EXACT ? Confidence.PREDICTED : ofZones;
    }
}
