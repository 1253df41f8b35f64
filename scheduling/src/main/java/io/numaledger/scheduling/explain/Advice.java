package io.numaledger.scheduling.explain;

import io.numaledger.evaluation.facts.PodFacts;
import io.numaledger.evaluation.fit.Evaluation;
import io.numaledger.evaluation.fit.Evaluation.Refused;
import io.numaledger.evaluation.holder.Holder;
import io.numaledger.evaluation.holder.Sentence;
import io.numaledger.evaluation.snapshot.NodeSnapshot;
import io.numaledger.evaluation.snapshot.PodHolding;
import io.numaledger.scheduling.preemption.Departures;
import io.numaledger.scheduling.preemption.SearchLimit;
import io.numaledger.scheduling.state.Feasibility;
import io.numaledger.scheduling.state.NodeUse;

import java.util.Comparator;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.stream.Collectors;

/**
 * Finds a small change with which a node would take a pod: by its zones, by what pods request of it and everything else that is modelled.
 * Whoever does what the advice says has nothing more to change.
 */
final class Advice {

    /** Bounds the time of one explanation: pairs of pods that are tried. */
    private static final int MAX_PAIRS = 300;

    private final NodeUse use;
    private final PodFacts pod;
    private final Evaluation evaluation;
    private final List<PodFacts> others;
    private final Feasibility now;

    private Advice(NodeUse use, PodFacts pod, Evaluation evaluation) {
        this.use = use;
        this.pod = pod;
        this.evaluation = evaluation;
        this.others = use.pods().stream()
                .filter(other -> !other.key().equals(pod.key()))
                .sorted(Comparator.comparing(PodFacts::key))
                .toList();
        // It may be bound here already.
        this.now = Feasibility.of(use)
                .without(use.pods().stream()
                        .filter(other -> other.key().equals(pod.key()))
                        .toList());
    }

    /**
     * One sentence: uncordon the node, wait for terminating pods, end one pod, end two, or request less. Absent where nothing is confirmed.
     *
     * @param evaluation of the node's zones as they are now
     */
    static Optional<Sentence> of(NodeUse use, PodFacts pod, Evaluation evaluation) {
        return new Advice(use, pod, evaluation).advice();
    }

    private Optional<Sentence> advice() {
        if (evaluation.admits() && now.hasRoom(pod)) {
            return isKeptAwayByACordon()
                    ? Optional.of(Sentence.of("uncordon the node: the pod would fit then"))
                    : Optional.empty();
        }
        return isBeyondHelp() ? Optional.empty() : sentence();
    }

    /** Whether a cordon alone keeps the pod away, and no taint or label. */
    private boolean isKeptAwayByACordon() {
        return !now.takes(pod) && now.uncordoned().takes(pod);
    }

    private boolean isBeyondHelp() {
        NodeSnapshot node = use.snapshots().likeliest().snapshot();
        boolean isInvalid = evaluation instanceof Refused refused
                && (refused.reason().isAboutRequest() || refused.reason().isAboutClaims());
        return isInvalid
                || node.unknowns().about(pod.request()).isPresent()
                || (!evaluation.admits() && node.now().isEmpty())
                || !pod.constraints()
                        .conflicts(node.name(), node.node().constraints())
                        .isEmpty();
    }

    private Optional<Sentence> sentence() {
        if (now.afterReleases().takes(pod)) {
            return Optional.of(Sentence.of("wait: the pod fits as soon as the terminating pods have ended"));
        }
        if (use.empty().admits(pod)) {
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
        return SmallerRequest.of(pod, wanting, now::takes)
                .map(amount -> "; it would fit with " + amount)
                .or(() -> SmallerRequest.of(pod, wanting, use.empty()::admits)
                        .map(amount -> "; without them, it would fit with " + amount));
    }

    private Optional<Sentence> ended() {
        Set<String> holders = use.snapshots().likeliest().snapshot().pods().stream()
                .map(PodHolding::key)
                .collect(Collectors.toSet());
        List<PodFacts> holding =
                others.stream().filter(other -> holders.contains(other.key())).toList();
        if (fitsWithout(holding)) {
            return ended(holding);
        }
        return fitsWithout(others) ? ended(others) : Optional.empty();
    }

    /** @param pods those to try: without all of them, the pod fits */
    private Optional<Sentence> ended(List<PodFacts> pods) {
        SearchLimit limit = new SearchLimit(pods.size() + MAX_PAIRS);
        Optional<Sentence> found =
                new Departures<>(2, pods, limit::take).first(this::fitsWithout).map(Advice::without);
        return found.isPresent() || limit.isReached()
                ? found
                : Optional.of(Sentence.of("more than two other pods would have to end"));
    }

    private boolean fitsWithout(List<PodFacts> ended) {
        return now.without(ended).takes(pod);
    }

    private static Sentence without(List<PodFacts> ended) {
        Sentence sentence = Sentence.of("the pod would fit without ").plus(pod(ended.get(0)));
        for (PodFacts other : ended.subList(1, ended.size())) {
            sentence = sentence.plus(" and ").plus(pod(other));
        }
        return sentence;
    }

    private static List<Holder> pod(PodFacts pod) {
        return List.of(Holder.of(pod.key()));
    }
}
