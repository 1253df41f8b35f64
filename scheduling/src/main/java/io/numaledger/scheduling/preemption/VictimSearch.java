package io.numaledger.scheduling.preemption;

import io.numaledger.evaluation.facts.PodFacts;
import io.numaledger.scheduling.state.Feasibility;
import io.numaledger.scheduling.state.NodeUse;

import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.function.Predicate;
import java.util.stream.Stream;

/**
 * Finds the smallest set of pods on one node whose end lets a pod of higher priority run there, as a whole and by zones. Of several sets it
 * takes, in this order: the one with the fewest violations of disruption budgets, with the victims of lowest priority, with the fewest
 * victims, with the youngest ones (the order of pickOneNodeForPreemption, preemption.go).
 *
 * <p>A victim frees the zones that its record names. A victim without a record frees none: only what it requests of the node.
 */
public final class VictimSearch {

    /** Sets of up to so many pods are all tried, within the limit of the call. */
    private static final int MAX_TRIED_SIZE = 3;

    private final NodeUse use;
    private final Feasibility node;
    private final PodFacts pod;
    private final DisruptionBudgets budgets;
    private final SearchLimit limit;

    /**
     * A search.
     *
     * @param limit shared by the searches of one call
     */
    public VictimSearch(NodeUse use, PodFacts pod, DisruptionBudgets budgets, SearchLimit limit) {
        this.use = use;
        this.node = Feasibility.of(use).afterReleases();
        this.pod = pod;
        this.budgets = budgets;
        this.limit = limit;
    }

    /**
     * Returns the victims; empty if the pod could not run there even without all pods of lower priority, or that is too costly to evaluate.
     *
     * @param kept UIDs of victims that have to end in any case
     */
    public Optional<Victims> find(Set<String> kept) {
        Optional<Victims> found = search(kept);
        return node.isNotEvaluated(pod) ? Optional.empty() : found;
    }

    private Optional<Victims> search(Set<String> kept) {
        List<PodFacts> possible = leastImportantFirst(
                use.pods(),
                each -> !each.terminating()
                        && each.priority().value() < pod.priority().value());
        if (!fitsWithout(possible)) {
            return Optional.empty();
        }
        List<PodFacts> certain = leastImportantFirst(
                possible, each -> each.uid().filter(kept::contains).isPresent());
        if (fitsWithout(certain)) {
            return Optional.of(Victims.of(certain, budgets));
        }
        List<PodFacts> unprotected = unprotected(possible, certain);
        List<PodFacts> allowed = leastImportant(fitsWithout(unprotected) ? unprotected : possible, certain);
        return Optional.of(Victims.of(smallest(allowed, certain), budgets));
    }

    private static List<PodFacts> leastImportantFirst(List<PodFacts> pods, Predicate<PodFacts> which) {
        return pods.stream().filter(which).sorted(Victims.LEAST_IMPORTANT_FIRST).toList();
    }

    /** Pods that could be evicted together without a violation. */
    private List<PodFacts> unprotected(List<PodFacts> possible, List<PodFacts> certain) {
        List<PodFacts> taken = new ArrayList<>(certain);
        int before = budgets.violations(taken);
        for (PodFacts each : possible) {
            if (!taken.contains(each)) {
                taken.add(each);
                if (budgets.violations(taken) > before) {
                    taken.remove(taken.size() - 1);
                }
            }
        }
        return taken;
    }

    /** The pods up to the lowest priority at which the pod fits without them, and the certain ones. */
    private List<PodFacts> leastImportant(List<PodFacts> allowed, List<PodFacts> certain) {
        return allowed.stream()
                .map(each -> each.priority().value())
                .distinct()
                .sorted()
                .map(priority -> leastImportantFirst(
                        allowed, each -> each.priority().value() <= priority || certain.contains(each)))
                .filter(this::fitsWithout)
                .findFirst()
                .orElse(allowed);
    }

    private List<PodFacts> smallest(List<PodFacts> allowed, List<PodFacts> certain) {
        List<PodFacts> others =
                allowed.stream().filter(each -> !certain.contains(each)).toList();
        return new Departures<>(MAX_TRIED_SIZE, others, limit::take)
                .first(set -> fitsWithout(both(certain, set)))
                .map(set -> both(certain, set))
                .orElseGet(() -> irreducible(allowed, certain));
    }

    private static List<PodFacts> both(List<PodFacts> some, List<PodFacts> more) {
        return Stream.concat(some.stream(), more.stream()).toList();
    }

    /** Spares the most important pods first, as long as the pod fits. No victim of the result is needless. */
    private List<PodFacts> irreducible(List<PodFacts> allowed, List<PodFacts> certain) {
        List<PodFacts> left = new ArrayList<>(allowed);
        left.sort(Victims.LEAST_IMPORTANT_FIRST.reversed());
        for (PodFacts each : List.copyOf(left)) {
            if (!certain.contains(each)) {
                left.remove(each);
                if (!fitsWithout(left)) {
                    left.add(each);
                }
            }
        }
        return left;
    }

    /** Whether the pod fits in every possible state, and beside the reserved pods: it leaves room for them, and they leave room for it. */
    private boolean fitsWithout(List<PodFacts> victims) {
        return node.without(victims).takesBesideReserved(pod);
    }
}
