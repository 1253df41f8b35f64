package io.numaledger.scheduling.state;

import io.numaledger.evaluation.facts.PodFacts;
import io.numaledger.evaluation.fit.Evaluation;
import io.numaledger.evaluation.fit.Evaluation.Fits;
import io.numaledger.evaluation.fit.Evaluation.Refused;
import io.numaledger.evaluation.fit.FullModel;
import io.numaledger.evaluation.fit.NodeEquivalenceClass;
import io.numaledger.evaluation.fit.PredictedPlacement;
import io.numaledger.evaluation.fit.RefusalReason;
import io.numaledger.evaluation.fit.SchedulingRequest;
import io.numaledger.evaluation.snapshot.Confidence;
import io.numaledger.evaluation.snapshot.NodeSnapshot;
import io.numaledger.evaluation.snapshot.Releases;
import io.numaledger.nrt.NodeTopology;

import java.time.Instant;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.function.Function;
import java.util.function.Supplier;
import java.util.stream.Stream;

/**
 * The snapshots of one node at one instant: one, or several while it is open where the kubelet placed pods in flight, and when it learns of
 * the ends of terminating pods.
 *
 * @param likeliest the snapshot in which pods in flight are placed as predicted
 * @param others where the kubelet has placed pods in flight otherwise
 * @param releases each of these after all terminating pods have ended; absent ones have none
 * @param incomplete there are more possible states than these: no pod that needs alignment is bound until some are excluded
 * @param rejected requests of pods that the kubelet has rejected and whose equals are not to be tried again yet
 * @param validUntil when to build them anew although nothing changes; absent: they stay valid until something changes
 */
public record PossibleSnapshots(
        ClassifiedSnapshot likeliest,
        List<ClassifiedSnapshot> others,
        List<ClassifiedSnapshot> releases,
        boolean incomplete,
        Map<SchedulingRequest, Refused> rejected,
        Optional<Instant> validUntil) {

    /** The most states after some releases in which a pod is evaluated. */
    private static final int MAX_RELEASES = 64;

    /** The end of a sentence about a node in another state than the likeliest. */
    static final String PLACED_OTHERWISE = ", if the kubelet placed pods in flight otherwise than predicted";

    static final String AFTER_RELEASES = ", when terminating pods have ended";

    private static final Refused INCOMPLETE =
            Refused.of(RefusalReason.PODS_IN_FLIGHT, "waits until the pods in flight to this node are observed", false);

    public PossibleSnapshots {
        others = List.copyOf(others);
        releases = List.copyOf(releases);
        rejected = Map.copyOf(rejected);
    }

    /**
     * One possible state of the node, with its class.
     *
     * @param nodeClass absent where nothing is known of the node's zones
     */
    public record ClassifiedSnapshot(NodeSnapshot snapshot, Optional<NodeEquivalenceClass> nodeClass) {}

    /** All possible states, the likeliest first. */
    public Stream<NodeSnapshot> snapshots() {
        return states().map(ClassifiedSnapshot::snapshot);
    }

    /** The states in which no terminating pod has ended that counts as holding something, the likeliest first. */
    Stream<NodeSnapshot> beforeReleases() {
        return Stream.concat(Stream.of(likeliest), others.stream()).map(ClassifiedSnapshot::snapshot);
    }

    /** All possible states with their classes. */
    public Stream<ClassifiedSnapshot> states() {
        return Stream.of(List.of(likeliest), others, releases).flatMap(List::stream);
    }

    /** How certain the placement of a pod is that fits every state: exact only if the pod gets the same in each of them, whatever the kubelet draws. */
    public Confidence confidence(PodFacts pod, PredictedPlacement placement) {
        Confidence ofNode = likeliest.snapshot().confidence();
        if (ofNode != Confidence.EXACT) {
            return ofNode;
        }
        boolean certain = !incomplete
                && !placement.undetermined()
                && beforeReleases().allMatch(snapshot -> Releases.of(snapshot).complete())
                && Stream.concat(snapshots().skip(1), someReleases())
                        .allMatch(snapshot -> FullModel.evaluate(snapshot, pod) instanceof Fits fits
                                && fits.placement().filter(placement::isAs).isPresent());
        return certain ? Confidence.EXACT : Confidence.PREDICTED;
    }

    private Stream<NodeSnapshot> someReleases() {
        return beforeReleases()
                .flatMap(snapshot -> Releases.of(snapshot).ended().stream().map(snapshot::released))
                .limit(MAX_RELEASES);
    }

    /** Why the node refuses a pod, if some of its terminating pods have ended and others have not. {@link #evaluate} asks before all ends and after all. */
    Optional<Refused> afterSomeReleases(PodFacts pod) {
        return isReleasing()
                ? someReleases()
                        .flatMap(snapshot -> FullModel.evaluate(snapshot, pod).refused().stream())
                        .map(refused -> refused.explained(AFTER_RELEASES))
                        .findFirst()
                : Optional.empty();
    }

    /** Whether some of its pods are terminating: what they hold becomes free. */
    public boolean isReleasing() {
        return beforeReleases().anyMatch(snapshot -> !snapshot.releasing().isEmpty());
    }

    /**
     * Evaluates a pod in every state that the node may be in.
     *
     * @param request of the pod; called only if it decides
     * @param evaluate in one state
     * @return the result in the likeliest state, or the refusal in another one
     */
    public Evaluation evaluate(
            PodFacts pod, Supplier<SchedulingRequest> request, Function<ClassifiedSnapshot, Evaluation> evaluate) {
        return evaluate.apply(likeliest)
                .unless(() -> states().skip(1)
                        .flatMap(other -> evaluate.apply(other).refused().stream()
                                .map(refused -> refused.explained(condition(other))))
                        .findFirst())
                .unless(() -> incomplete || !rejected.isEmpty() ? waits(pod, request.get()) : Optional.empty());
    }

    /** Under which condition one of the {@link #states} is the node's; empty for the likeliest. */
    @SuppressWarnings("ReferenceEquality") // equal states differ in how likely they are
    public String condition(ClassifiedSnapshot state) {
        if (state == likeliest) {
            return "";
        }
        return others.stream().anyMatch(other -> other == state) ? PLACED_OTHERWISE : AFTER_RELEASES;
    }

    /** Why a pod has to wait although it fits every possible state. */
    public Optional<Refused> waits(PodFacts pod, SchedulingRequest request) {
        return incomplete && pod.needsAlignment()
                ? Optional.of(INCOMPLETE)
                : Optional.ofNullable(rejected.get(request));
    }

    /** These states with other available amounts, on which no possible state depends. */
    PossibleSnapshots withTopology(NodeTopology published) {
        return new PossibleSnapshots(
                new ClassifiedSnapshot(likeliest.snapshot().withTopology(published), likeliest.nodeClass()),
                others,
                releases,
                incomplete,
                rejected,
                validUntil);
    }

    /** Whether the likeliest one alone decides on every pod. */
    boolean isDecidedByLikeliest() {
        return others.isEmpty() && releases.isEmpty() && !incomplete && rejected.isEmpty();
    }

    boolean isValidAt(Instant now) {
        return validUntil.isEmpty() || validUntil.get().isAfter(now);
    }
}
