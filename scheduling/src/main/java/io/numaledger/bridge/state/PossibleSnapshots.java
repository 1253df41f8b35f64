package io.numaledger.bridge.state;

import io.numaledger.bridge.evaluation.Evaluation;
import io.numaledger.bridge.evaluation.Evaluation.Refused;
import io.numaledger.bridge.evaluation.NodeEquivalenceClass;
import io.numaledger.bridge.evaluation.PodShape;
import io.numaledger.bridge.evaluation.RefusalReason;
import io.numaledger.bridge.objects.PodFacts;
import io.numaledger.bridge.snapshot.NodeSnapshot;
import io.numaledger.nrt.NodeTopology;

import java.time.Instant;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.function.Function;
import java.util.function.Supplier;
import java.util.stream.Stream;

/**
 * The snapshots of one node at one instant: one, or several while it is open where the kubelet placed pods in flight.
 *
 * @param likeliest the snapshot in which pods in flight are placed as predicted
 * @param others the other possible states
 * @param incomplete there are more possible states than these: no pod that needs alignment is bound until some are excluded
 * @param rejected shapes of pods that the kubelet has rejected and that are not to be tried again yet
 * @param validUntil when to build them anew although nothing changes; absent: they stay valid until something changes
 */
public record PossibleSnapshots(
        ClassifiedSnapshot likeliest,
        List<ClassifiedSnapshot> others,
        boolean incomplete,
        Map<PodShape, Refused> rejected,
        Optional<Instant> validUntil) {

    private static final Refused INCOMPLETE =
            Refused.of(RefusalReason.PODS_IN_FLIGHT, "waits until the pods in flight to this node are observed", false);

    public PossibleSnapshots {
        others = List.copyOf(others);
        rejected = Map.copyOf(rejected);
    }

    /**
     * One possible state of the node, with its class.
     *
     * @param nodeClass absent where nothing is known of the node's zones
     */
    public record ClassifiedSnapshot(NodeSnapshot snapshot, Optional<NodeEquivalenceClass> nodeClass) {}

    /** All of them, the likeliest first. */
    public Stream<NodeSnapshot> snapshots() {
        return states().map(ClassifiedSnapshot::snapshot);
    }

    /** The same with their classes. */
    public Stream<ClassifiedSnapshot> states() {
        return Stream.concat(Stream.of(likeliest), others.stream());
    }

    /** Whether some of its pods are terminating: what they hold becomes free. */
    public boolean isReleasing() {
        return snapshots().anyMatch(snapshot -> !snapshot.releasing().isEmpty());
    }

    /**
     * Evaluates a pod in every state that the node may be in.
     *
     * @param shape of the pod; called only if it decides
     * @param evaluate in one state
     * @return the result in the likeliest state, or the refusal in another one
     */
    public Evaluation evaluate(
            PodFacts pod, Supplier<PodShape> shape, Function<ClassifiedSnapshot, Evaluation> evaluate) {
        Evaluation evaluation = evaluate.apply(likeliest);
        return evaluation.admits()
                ? obstacle(pod, shape, evaluate).<Evaluation>map(any -> any).orElse(evaluation)
                : evaluation;
    }

    /** Why the node refuses a pod that fits its likeliest state: as {@link #evaluate}. */
    public Optional<Refused> obstacle(
            PodFacts pod, Supplier<PodShape> shape, Function<ClassifiedSnapshot, Evaluation> evaluate) {
        for (ClassifiedSnapshot other : others) {
            if (evaluate.apply(other) instanceof Refused refused) {
                return Optional.of(
                        refused.explained(", if the kubelet placed pods in flight otherwise than predicted"));
            }
        }
        return incomplete || !rejected.isEmpty() ? waits(pod, shape.get()) : Optional.empty();
    }

    /** Why a pod has to wait although it fits every possible state. */
    public Optional<Refused> waits(PodFacts pod, PodShape shape) {
        return incomplete && pod.needsAlignment() ? Optional.of(INCOMPLETE) : Optional.ofNullable(rejected.get(shape));
    }

    /** The same with other available amounts, on which no possible state depends. */
    PossibleSnapshots withTopology(NodeTopology published) {
        return new PossibleSnapshots(
                new ClassifiedSnapshot(likeliest.snapshot().withTopology(published), likeliest.nodeClass()),
                others,
                incomplete,
                rejected,
                validUntil);
    }

    /** Whether the likeliest one alone decides on every pod. */
    boolean isDecidedByLikeliest() {
        return others.isEmpty() && !incomplete && rejected.isEmpty();
    }

    boolean isValidAt(Instant now) {
        return validUntil.isEmpty() || validUntil.get().isAfter(now);
    }
}
