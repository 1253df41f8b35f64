package io.numaledger.evaluation.snapshot;

import io.numaledger.evaluation.holder.Sentence;
import io.numaledger.evaluation.snapshot.Assumption.Kind;
import io.numaledger.pod.PodRequest;
import io.numaledger.pod.RequestedAmount;
import io.numaledger.resource.ResourceKind;
import io.numaledger.topology.Sorted;

import java.time.Instant;
import java.util.Map;
import java.util.Optional;
import java.util.SortedSet;
import java.util.stream.Stream;

/**
 * Something that the kubelet model of a node cannot tell for now.
 *
 * @param assumption names it
 * @param resources pods to which the kubelet gives some of these are concerned
 * @param action what happens to these pods; never {@link UnknownNodeAction#ADMIT}
 * @param until when the action changes although nothing else does
 */
public record UnknownPart(
        Assumption assumption, SortedSet<String> resources, UnknownNodeAction action, Optional<Instant> until) {

    private static final long MILLIS_PER_CPU = 1000;

    public UnknownPart {
        resources = Sorted.sortedSet(resources);
        if (action == UnknownNodeAction.ADMIT) {
            throw new IllegalArgumentException(
                    "what is unknown decides on pods: about=%s action=%s; leave it out otherwise"
                            .formatted(assumption.about().orElse(""), action));
        }
    }

    /** The kubelet restarts. */
    public boolean isRestart() {
        return assumption.kind() == Kind.KUBELET_RESTARTING;
    }

    /** Whether the kubelet decides on a pod by some of the resources. */
    boolean concerns(PodRequest pod) {
        return requests(pod, resources);
    }

    /** Whether the kubelet's managers give some of these resources to a pod: CPUs and memory only to Guaranteed pods. */
    static boolean requests(PodRequest pod, SortedSet<String> resources) {
        return Stream.concat(
                        pod.podLevel().stream(),
                        pod.inAllocationOrder().stream().map(each -> each.resources()))
                .flatMap(each -> each.requests().entrySet().stream())
                .filter(each -> resources.contains(each.getKey()))
                .anyMatch(each -> isGiven(pod, each));
    }

    private static boolean isGiven(PodRequest pod, Map.Entry<String, RequestedAmount> request) {
        RequestedAmount amount = request.getValue();
        return switch (ResourceKind.of(request.getKey())) {
            case CPU ->
                pod.isGuaranteed() && amount.millis() >= MILLIS_PER_CPU && amount.millis() % MILLIS_PER_CPU == 0;
            case MEMORY -> pod.isGuaranteed() && !amount.isZero();
            case DEVICE -> amount.whole() > 0;
            case STORAGE -> false;
        };
    }

    /** A sentence for people. */
    public Sentence sentence() {
        return until.map(end -> assumption.sentence().plus("; until %s at the latest".formatted(end)))
                .orElseGet(assumption::sentence);
    }
}
