package io.numaledger.bridge.explain;

import io.numaledger.bridge.evaluation.Evaluation;
import io.numaledger.bridge.evaluation.Evaluation.Refused;
import io.numaledger.bridge.evaluation.RefusalReason;
import io.numaledger.bridge.holder.Holder;
import io.numaledger.bridge.holder.Sentence;
import io.numaledger.bridge.objects.PodFacts;
import io.numaledger.bridge.snapshot.PodHolding;

import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.stream.Stream;

/**
 * Finds a small change with which a node would take a pod: by its zones, its sums and everything else that is modelled. Whoever does what
 * the advice says has nothing more to change.
 */
final class Advice {

    /** Bounds the time of one explanation: pairs of pods that are tried. */
    private static final int MAX_PAIRS = 300;

    private final ExplainedNode node;
    private final PodFacts pod;
    private final Evaluation evaluation;

    private Advice(ExplainedNode node, PodFacts pod, Evaluation evaluation) {
        this.node = node;
        this.pod = pod;
        this.evaluation = evaluation;
    }

    /**
     * One sentence: wait for terminating pods, end one pod, end two, or request less. Absent where nothing is confirmed.
     *
     * @param evaluation of the node's zones as they are now
     */
    static Optional<Sentence> of(ExplainedNode node, PodFacts pod, Evaluation evaluation) {
        return (evaluation.admits() && node.hasRoom(pod)) || isBeyondHelp(node, pod, evaluation)
                ? Optional.empty()
                : new Advice(node, pod, evaluation).sentence();
    }

    private static boolean isBeyondHelp(ExplainedNode node, PodFacts pod, Evaluation evaluation) {
        boolean isInvalid = evaluation instanceof Refused refused
                && (refused.reason() == RefusalReason.NUMA_SPREAD_INVALID
                        || refused.reason() == RefusalReason.GPU_LINKS_INVALID);
        return isInvalid
                || node.snapshot().unknowns().about(pod.request()).isPresent()
                || (!evaluation.admits() && node.snapshot().now().isEmpty())
                || node.isExcluded(pod);
    }

    private Optional<Sentence> sentence() {
        if (node.takesAfterReleases(pod)) {
            return Optional.of(Sentence.of("wait: the pod fits as soon as the terminating pods have ended"));
        }
        if (node.takesEmpty(pod)) {
            return ended();
        }
        Optional<String> smaller = smaller();
        return evaluation.admits() && smaller.isEmpty()
                ? Optional.empty() // the node's own reason says it
                : Optional.of(
                        Sentence.of("the pod does not fit this node even without other pods" + smaller.orElse("")));
    }

    private Optional<String> smaller() {
        List<String> wanting = evaluation instanceof Refused refused
                ? refused.resources().stream().map(fit -> fit.resource()).toList()
                : List.of();
        return SmallerRequest.of(pod, wanting, request -> node.takes(request, Set.of()))
                .map(amount -> "; it would fit with " + amount)
                .or(() -> SmallerRequest.of(pod, wanting, node::takesEmpty)
                        .map(amount -> "; without them, it would fit with " + amount));
    }

    private Optional<Sentence> ended() {
        List<String> holders = keys(node.snapshot().pods().stream().map(PodHolding::key));
        if (fitsWithout(holders)) {
            return ended(holders);
        }
        List<String> all =
                keys(Stream.concat(holders.stream(), node.pods().stream().map(PodFacts::key)));
        return fitsWithout(all) ? ended(all) : Optional.empty();
    }

    private List<String> keys(Stream<String> keys) {
        return keys.filter(key -> !key.equals(Holder.UNKNOWN) && !key.equals(pod.key()))
                .distinct()
                .sorted()
                .toList();
    }

    /** @param keys the pods to try: without all of them, the pod fits */
    private Optional<Sentence> ended(List<String> keys) {
        for (String key : keys) {
            if (fitsWithout(List.of(key))) {
                return Optional.of(without(key));
            }
        }
        int pairs = 0;
        for (int i = 0; i < keys.size(); i++) {
            for (int j = i + 1; j < keys.size(); j++) {
                if (++pairs > MAX_PAIRS) {
                    return Optional.empty();
                }
                if (fitsWithout(List.of(keys.get(i), keys.get(j)))) {
                    return Optional.of(without(keys.get(i)).plus(" and ").plus(pod(keys.get(j))));
                }
            }
        }
        return Optional.of(Sentence.of("more than two other pods would have to end"));
    }

    private boolean fitsWithout(List<String> ended) {
        return node.takes(pod, Set.copyOf(ended));
    }

    private static Sentence without(String key) {
        return Sentence.of("the pod would fit without ").plus(pod(key));
    }

    private static List<Holder> pod(String key) {
        return List.of(Holder.of(key));
    }
}
