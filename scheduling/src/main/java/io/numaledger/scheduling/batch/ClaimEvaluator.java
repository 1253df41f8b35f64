package io.numaledger.scheduling.batch;

import io.numaledger.evaluation.alignment.AlignmentCheck;
import io.numaledger.evaluation.alignment.AlignmentDemand;
import io.numaledger.evaluation.alignment.ClaimNeeds;
import io.numaledger.evaluation.budget.EvaluationBudget;
import io.numaledger.evaluation.claim.DeviceId;
import io.numaledger.evaluation.claim.NodeDevices;
import io.numaledger.evaluation.claim.ResourceClaim;
import io.numaledger.evaluation.facts.PodFacts;
import io.numaledger.evaluation.fit.Evaluation;
import io.numaledger.evaluation.fit.Evaluation.Fits;
import io.numaledger.evaluation.fit.Evaluation.Refused;
import io.numaledger.evaluation.fit.FullModel;
import io.numaledger.evaluation.fit.NodeEquivalenceClass;
import io.numaledger.evaluation.fit.PredictedPlacement;
import io.numaledger.evaluation.fit.RefusalReason;
import io.numaledger.evaluation.holder.Sentence;
import io.numaledger.evaluation.score.Ranking;
import io.numaledger.evaluation.snapshot.NodeSnapshot;
import io.numaledger.kubelet.NodeState;
import io.numaledger.placement.Placement;
import io.numaledger.scheduling.dra.ClusterClaims;
import io.numaledger.scheduling.dra.ExtendedResourceNeeds;
import io.numaledger.scheduling.dra.MisalignedBinds;
import io.numaledger.scheduling.state.PossibleSnapshots;
import io.numaledger.scheduling.state.PossibleSnapshots.ClassifiedSnapshot;

import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;

/**
 * Adds to the evaluation of a pod on a node what the pod demands of the devices of its claims. Nothing is kept for the next call: other pods
 * take devices without any change of zones. Thread-safe.
 */
public final class ClaimEvaluator {

    private static final String SUMMARY =
            "devices of the pod's claims would not lie on the zones of its CPUs and memory";

    private static final String TRIED =
            "when the pod was to be bound, kube-scheduler had allocated devices that do not lie near its CPUs; the node is "
                    + "tried again when other devices or CPUs are free, or after a few minutes";

    private static final Refused UNSEEN = Refused.of(
            RefusalReason.CLAIMS_NOT_ALIGNED,
            "the pod demands that the devices of its claims lie on the zones of its CPUs, and the bridge has not seen all of its "
                    + "ResourceClaims yet",
            false);

    private static final String UNKNOWN =
            "the pod demands that the devices of its claims lie on the zones of its CPUs, and this node's zones are unknown";

    private final ClusterClaims claims;
    private final PodFacts pod;
    private final AlignmentDemand demand;
    private final ClaimNeeds needs;
    private final ExtendedResourceNeeds extended;
    private final Map<NodeEquivalenceClass, Optional<Placement>> placements = new ConcurrentHashMap<>();

    private ClaimEvaluator(
            ClusterClaims claims,
            PodFacts pod,
            AlignmentDemand demand,
            List<ResourceClaim> known,
            EvaluationBudget budget) {
        this.claims = claims;
        this.pod = pod;
        this.demand = demand;
        this.needs = claims.needs(pod, known, budget.of(pod));
        this.extended = new ExtendedResourceNeeds(claims, pod, known);
    }

    /**
     * The evaluator for a pod; absent for a pod that demands nothing, or has no claims.
     *
     * @param budget of the call
     * @throws IllegalArgumentException as a sentence, for an invalid demand
     */
    public static Optional<ClaimEvaluator> of(ClusterClaims claims, PodFacts pod, EvaluationBudget budget) {
        return of(claims, pod, claims.claimsOf(pod), budget);
    }

    private static Optional<ClaimEvaluator> of(
            ClusterClaims claims, PodFacts pod, List<ResourceClaim> known, EvaluationBudget budget) {
        if (!claims.concern(pod) && !claims.misaligned().concern(pod)) {
            return Optional.empty();
        }
        return AlignmentDemand.of(pod).map(demand -> new ClaimEvaluator(claims, pod, demand, known, budget));
    }

    /**
     * The evaluator for a pod that is to be bound and requires alignment.
     *
     * @param allocated its claims, which the watch may not show like this yet
     */
    public static ClaimEvaluator required(
            ClusterClaims claims, PodFacts pod, List<ResourceClaim> allocated, EvaluationBudget budget) {
        return new ClaimEvaluator(claims, pod, AlignmentDemand.REQUIRED, allocated, budget);
    }

    /**
     * The evaluation of a pod on a node with what it demands of its claims; for an invalid demand a refusal. A pod whose claims are not made
     * yet may be one that is not in the cluster.
     *
     * @param known its claims
     */
    public static Evaluation evaluate(
            ClusterClaims claims,
            PodFacts pod,
            List<ResourceClaim> known,
            PossibleSnapshots node,
            Evaluation evaluation,
            EvaluationBudget budget) {
        try {
            Optional<ClaimEvaluator> evaluator = of(claims, pod, known, budget);
            Optional<Refused> unseen = evaluator
                    .filter(any -> evaluation.admits() && !pod.claims().areMissing())
                    .flatMap(ClaimEvaluator::unseen);
            return unseen.isPresent()
                    ? unseen.get()
                    : evaluator.map(each -> each.evaluate(node, evaluation)).orElse(evaluation);
        } catch (IllegalArgumentException invalid) {
            return Refused.of(RefusalReason.CLAIM_ALIGNMENT_INVALID, String.valueOf(invalid.getMessage()), true);
        }
    }

    /** A refusal by all nodes: the pod requires alignment, and the watch does not show all of its claims yet. */
    Optional<Refused> unseen() {
        return demand == AlignmentDemand.REQUIRED && !needs.complete() ? Optional.of(UNSEEN) : Optional.empty();
    }

    /**
     * Adds a rank by alignment to an evaluation, or refuses the pod.
     *
     * @param evaluation of the zones in every state in which the node may be
     */
    public Evaluation evaluate(PossibleSnapshots node, Evaluation evaluation) {
        if (!evaluation.admits()) {
            return evaluation;
        }
        NodeDevices devices = devices(node);
        int least = AlignmentCheck.MAX_SCORE;
        for (ClassifiedSnapshot state : node.states().toList()) {
            AlignmentCheck check = check(state.snapshot(), devices, placement(state));
            if (isViolatedBy(check)) {
                return refused(check.violation().get()).explained(node.condition(state));
            }
            least = Math.min(least, check.score());
        }
        if (wasRefusedAtBind(node, devices)) {
            return refused(TRIED);
        }
        return evaluation instanceof Fits fits
                ? new Fits(Ranking.firstByAlignment(least, fits.rank()), fits.placement())
                : evaluation;
    }

    /**
     * Evaluates the alignment right before the pod is bound, when kube-scheduler has allocated its claims. After a refusal the pod is not sent to the
     * node again for a while, see {@link MisalignedBinds}.
     */
    public Evaluation beforeBind(PossibleSnapshots node, Evaluation evaluation) {
        Evaluation checked = evaluate(node, evaluation);
        if (evaluation.admits() && !checked.admits()) {
            claims.misaligned().failed(pod, name(node), condition(node, devices(node)));
        }
        return checked;
    }

    /** Claims that are allocated decide by their devices. There is none yet for an extended resource. */
    private boolean wasRefusedAtBind(PossibleSnapshots node, NodeDevices devices) {
        boolean isOpen = !needs.claims().isEmpty() || needs.allocated().isEmpty();
        return demand == AlignmentDemand.REQUIRED
                && isOpen
                && claims.misaligned().refuses(pod, name(node), () -> condition(node, devices));
    }

    /**
     * A hash of where the pod's CPUs would come from, and of the devices that are free or its own: as long as it is the same, so is the result.
     * A device is its own if its claim has it, or the node shows that: an event of a claim may have reached one of them only.
     */
    private int condition(PossibleSnapshots node, NodeDevices devices) {
        Set<DeviceId> usable = new HashSet<>(needs.allocated());
        devices.released(this::isOwn).allocatable().forEach(device -> usable.add(device.id()));
        return Objects.hash(node.states().map(this::placement).toList(), usable);
    }

    private boolean isOwn(String claim) {
        return pod.claims().names().stream().anyMatch(name -> claim.equals(pod.namespace() + "/" + name));
    }

    /**
     * How the devices of a pod's claims would lie on a node, whatever the pod demands; absent for a pod without claims, and where it is not
     * known what the kubelet would give to the pod.
     */
    public static Optional<AlignmentCheck> check(
            ClusterClaims claims, ClaimNeeds needs, NodeSnapshot node, Evaluation byZones) {
        return needs.isEmpty()
                ? Optional.empty()
                : placement(byZones)
                        .map(predicted ->
                                AlignmentCheck.of(needs, claims.devices(node.name()), predicted, isOrdered(node)));
    }

    private NodeDevices devices(PossibleSnapshots node) {
        return claims.devices(name(node));
    }

    private static String name(PossibleSnapshots node) {
        return node.likeliest().snapshot().name();
    }

    private boolean isViolatedBy(AlignmentCheck check) {
        return demand == AlignmentDemand.REQUIRED && check.violation().isPresent();
    }

    private static Refused refused(String why) {
        return new Refused(RefusalReason.CLAIMS_NOT_ALIGNED, SUMMARY, Sentence.of(why), List.of(), false);
    }

    private AlignmentCheck check(NodeSnapshot node, NodeDevices devices, Optional<Placement> placement) {
        ClaimNeeds all = extended.after(needs, node.node());
        return all.isEmpty()
                ? AlignmentCheck.BY_KUBELET
                : placement
                        .map(predicted -> AlignmentCheck.of(all, devices, predicted, isOrdered(node)))
                        .orElseGet(() -> AlignmentCheck.violated(UNKNOWN));
    }

    private Optional<Placement> placement(ClassifiedSnapshot state) {
        NodeSnapshot node = state.snapshot();
        return state.nodeClass()
                .filter(any -> node.isDecidedByModel(pod.request()))
                .map(nodes -> placements.computeIfAbsent(nodes, any -> placement(node, node.now())))
                .orElseGet(() -> placement(node, node.now()));
    }

    /** What the kubelet would give to the pod; absent where that is not known. */
    private Optional<Placement> placement(NodeSnapshot node, Optional<NodeState> state) {
        return placement(FullModel.evaluate(node, state, pod));
    }

    private static Optional<Placement> placement(Evaluation byZones) {
        return byZones instanceof Fits fits ? fits.placement().map(PredictedPlacement::placement) : Optional.empty();
    }

    private static boolean isOrdered(NodeSnapshot node) {
        return node.model().allocatesInOrder();
    }

    /** One refusal for all nodes that refuse the pod for its claims. */
    static Evaluation shared(Evaluation evaluation) {
        return evaluation instanceof Refused refused && refused.reason().isAboutClaims()
                ? Refused.of(refused.reason(), refused.summary(), false)
                : evaluation;
    }
}
