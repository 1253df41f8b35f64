package io.numaledger.bridge.preemption;

import io.numaledger.bridge.evaluation.FullModel;
import io.numaledger.bridge.evaluation.NodeFit;
import io.numaledger.bridge.evaluation.ReservedRoom;
import io.numaledger.bridge.evaluation.TentativeNode;
import io.numaledger.bridge.evaluation.TentativeNode.State;
import io.numaledger.bridge.objects.PodFacts;
import io.numaledger.bridge.snapshot.NodeSnapshot;
import io.numaledger.bridge.state.CandidateSnapshots;
import io.numaledger.kubelet.NodeState;

import java.util.ArrayList;
import java.util.Collection;
import java.util.Comparator;
import java.util.HashSet;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.stream.Stream;

/**
 * Finds the smallest set of pods on one node whose end lets a more important pod run there, as a whole and by zones. Of several sets it
 * takes, in this order: the one with the fewest violations of disruption budgets, with the least important victims, with the fewest
 * victims, with the youngest ones (the order of pickOneNodeForPreemption, preemption.go).
 *
 * <p>A victim frees the zones that its record names. A victim without a record frees none: only the node's sums.
 */
public final class VictimSearch {

    /** Sets of up to so many pods are all tried, within the limit of the call. */
    private static final int MAX_TRIED_SIZE = 3;

    private static final Comparator<PodFacts> LEAST_IMPORTANT_FIRST =
            Comparator.<PodFacts>comparingInt(pod -> pod.priority().value()).thenComparing(PodFacts.BY_AGE.reversed());

    private final CandidateSnapshots node;
    private final Collection<PodFacts> pods;
    private final Collection<PodFacts> nominated;
    private final PodFacts pod;
    private final DisruptionBudgets budgets;
    private final SearchLimit limit;

    /**
     * A search.
     *
     * @param pods those bound to the node
     * @param nominated pods that are to run there as well, and whose place this one must not take
     * @param limit shared by the searches of one call
     */
    public VictimSearch(
            CandidateSnapshots node,
            Collection<PodFacts> pods,
            Collection<PodFacts> nominated,
            PodFacts pod,
            DisruptionBudgets budgets,
            SearchLimit limit) {
        this.node = node;
        this.pods = pods.stream().filter(each -> !each.ended()).toList();
        this.nominated = List.copyOf(nominated);
        this.pod = pod;
        this.budgets = budgets;
        this.limit = limit;
    }

    /** Whether a node of whose zones nothing is known takes the pod. */
    public static boolean admitsUnmodelled(NodeSnapshot node, PodFacts pod) {
        return FullModel.admits(node, Optional.empty(), pod);
    }

    /**
     * Returns the victims; empty if the pod could not run there even without all less important pods.
     *
     * @param kept UIDs of victims that have to end in any case
     */
    public Optional<Victims> find(Set<String> kept) {
        List<PodFacts> possible = pods.stream()
                .filter(each -> !each.terminating()
                        && each.priority().value() < pod.priority().value())
                .sorted(LEAST_IMPORTANT_FIRST)
                .toList();
        if (!fitsWithout(possible)) {
            return Optional.empty();
        }
        List<PodFacts> certain = possible.stream()
                .filter(each -> each.uid().filter(kept::contains).isPresent())
                .toList();
        if (fitsWithout(certain)) {
            return Optional.of(victims(certain));
        }
        List<PodFacts> unprotected = unprotected(possible, certain);
        List<PodFacts> allowed = leastImportant(fitsWithout(unprotected) ? unprotected : possible, certain);
        return Optional.of(victims(smallest(allowed, certain)));
    }

    private Victims victims(List<PodFacts> found) {
        List<PodFacts> sorted = found.stream().sorted(LEAST_IMPORTANT_FIRST).toList();
        return new Victims(
                sorted,
                budgets.violations(
                        found.stream().sorted(LEAST_IMPORTANT_FIRST.reversed()).toList()));
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

    /** Those up to the lowest priority with which the pod fits, and the certain ones. */
    private List<PodFacts> leastImportant(List<PodFacts> allowed, List<PodFacts> certain) {
        List<Integer> priorities = allowed.stream()
                .map(each -> each.priority().value())
                .distinct()
                .sorted()
                .toList();
        for (int priority : priorities) {
            List<PodFacts> some = allowed.stream()
                    .filter(each -> each.priority().value() <= priority || certain.contains(each))
                    .sorted(LEAST_IMPORTANT_FIRST)
                    .toList();
            if (fitsWithout(some)) {
                return some;
            }
        }
        return allowed;
    }

    private List<PodFacts> smallest(List<PodFacts> allowed, List<PodFacts> certain) {
        List<PodFacts> others =
                allowed.stream().filter(each -> !certain.contains(each)).toList();
        for (int size = 1; size <= Math.min(MAX_TRIED_SIZE, others.size()); size++) {
            Optional<List<PodFacts>> found = ofSize(size, 0, others, certain);
            if (found.isPresent()) {
                return found.get();
            }
        }
        return irreducible(allowed, certain);
    }

    private Optional<List<PodFacts>> ofSize(int size, int from, List<PodFacts> others, List<PodFacts> taken) {
        if (size == 0) {
            return limit.take() && fitsWithout(taken) ? Optional.of(taken) : Optional.empty();
        }
        for (int i = from; i <= others.size() - size && limit.left(); i++) {
            List<PodFacts> more = new ArrayList<>(taken);
            more.add(others.get(i));
            Optional<List<PodFacts>> found = ofSize(size - 1, i + 1, others, more);
            if (found.isPresent()) {
                return found;
            }
        }
        return Optional.empty();
    }

    /** Spares the most important pods first, as long as the pod fits. No victim of the result is needless. */
    private List<PodFacts> irreducible(List<PodFacts> allowed, List<PodFacts> certain) {
        List<PodFacts> left = new ArrayList<>(allowed);
        left.sort(LEAST_IMPORTANT_FIRST.reversed());
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

    /** In every candidate state, and beside the nominated pods: it leaves room for them, and they leave room for it. */
    private boolean fitsWithout(List<PodFacts> victims) {
        Set<String> ended = new HashSet<>();
        victims.forEach(victim -> ended.add(victim.key()));
        List<PodFacts> staying = pods.stream()
                .filter(each -> !each.terminating() && !ended.contains(each.key()))
                .toList();
        NodeSnapshot likeliest = node.likeliest().snapshot();
        return NodeFit.reasons(
                                likeliest.node(),
                                pod,
                                Stream.concat(staying.stream(), nominated.stream())
                                        .toList())
                        .isEmpty()
                && node.snapshots().allMatch(snapshot -> FullModel.admits(snapshot, without(snapshot, ended), pod))
                && (nominated.isEmpty() || fitsBesideNominated(staying, ended));
    }

    private boolean fitsBesideNominated(List<PodFacts> staying, Set<String> ended) {
        TentativeNode start = new TentativeNode(
                node.likeliest().snapshot().node(),
                node.snapshots()
                        .map(snapshot -> new State(snapshot, without(snapshot, ended)))
                        .toList(),
                NodeFit.requested(staying));
        return start.withFitting(nominated).with(pod).isPresent()
                && !ReservedRoom.isTaken(start, start.with(pod), nominated);
    }

    /** The state after the terminating pods and these have ended. */
    private static Optional<NodeState> without(NodeSnapshot snapshot, Set<String> ended) {
        return snapshot.afterReleases().map(state -> snapshot.ended(state, ended));
    }
}
