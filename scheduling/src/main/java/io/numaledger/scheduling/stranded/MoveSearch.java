package io.numaledger.scheduling.stranded;

import io.numaledger.evaluation.budget.EvaluationBudget;
import io.numaledger.evaluation.facts.PodFacts;
import io.numaledger.evaluation.fit.NodeFit;
import io.numaledger.evaluation.fit.TentativeNode;
import io.numaledger.scheduling.preemption.Departures;
import io.numaledger.scheduling.preemption.DisruptionBudgets;
import io.numaledger.scheduling.preemption.ProvenNodes;
import io.numaledger.scheduling.preemption.SearchLimit;
import io.numaledger.scheduling.state.ClusterState;
import io.numaledger.scheduling.state.Feasibility;
import io.numaledger.scheduling.state.NodeUse;
import io.numaledger.scheduling.stranded.StrandedReport.NodeRow;

import java.util.ArrayList;
import java.util.Comparator;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.function.Function;
import java.util.function.Supplier;

/**
 * Finds few pods that would make room for pods of a reference size if they ran on other nodes. Nobody is moved: these are proposals. For each,
 * the pods are taken from their node, placed on another one, and the room on both is counted again. Not thread-safe; a search is used once.
 */
public final class MoveSearch {

    private static final int MAX_NODES = 40;
    private static final int MAX_TOGETHER = 2;
    private static final int MAX_SETS_PER_NODE = 100;
    private static final int MAX_PROPOSALS = 5;

    /** The most pods that are looked up. */
    private static final int MAX_CONFIRMED = 50;

    /** How often room is counted at most: about a second of a processor. */
    private static final int MAX_COUNTS = 6_000;

    /** Far more than these counts cost, unless claims of pods are costly. */
    private static final long WORK = 10_000_000;

    private final ClusterState cluster;
    private final StrandedCapacity capacity;
    private final Function<PodFacts, Optional<PodFacts>> constrained;
    private final DisruptionBudgets budgets;

    /** Nodes as they are after the proposals. */
    private final Map<String, TentativeNode> states = new HashMap<>();

    private final Map<ReferencePod, ReferenceCounter> counters = new HashMap<>();
    private final List<PodFacts> moved = new ArrayList<>();
    private final EvaluationBudget budget = new EvaluationBudget(WORK);
    private int countsLeft = MAX_COUNTS;
    private int confirmationsLeft = MAX_CONFIRMED;

    /** Where a pod runs, and where it would fit. */
    public record Move(PodFacts pod, String node, String target) {}

    /**
     * Pods of one node that move together.
     *
     * @param frees how many more pods of the reference size run then, on all nodes together
     */
    public record Proposal(List<Move> moves, int frees) {

        public Proposal {
            moves = List.copyOf(moves);
        }
    }

    /** @param gain how many more pods of the reference size the node takes without these pods */
    private record Gain(NodeUse use, ReferencePod reference, List<PodFacts> pods, int gain) {

        private static final Comparator<Gain> BEST_FIRST = Comparator.comparingDouble(
                        (Gain each) -> -(double) each.gain() / each.pods().size())
                .thenComparing(each -> each.pods().size())
                .thenComparing(each -> each.use().node().name())
                .thenComparing(each -> each.pods().get(0).key());
    }

    /** Where a pod goes. */
    private record Target(NodeUse use, TentativeNode with, int loss) {}

    /** Finds proposals for one request. */
    @FunctionalInterface
    public interface Finder {

        /** @param reference the name of a reference pod */
        List<Proposal> find(String reference);
    }

    private MoveSearch(
            ClusterState cluster,
            StrandedCapacity capacity,
            Function<PodFacts, Optional<PodFacts>> constrained,
            DisruptionBudgets budgets) {
        this.cluster = cluster;
        this.capacity = capacity;
        this.constrained = constrained;
        this.budgets = budgets;
    }

    /**
     * Searches of a cluster.
     *
     * @param constrained the pod with what it demands of its node, which is not kept of running pods; absent: it is gone, or not to be read
     */
    public static Finder finder(
            ClusterState cluster,
            StrandedCapacity capacity,
            Function<PodFacts, Optional<PodFacts>> constrained,
            Supplier<DisruptionBudgets> budgets) {
        return reference -> new MoveSearch(cluster, capacity, constrained, budgets.get()).find(reference);
    }

    private List<Proposal> find(String reference) {
        List<Gain> gains = capacity.nodes(reference).stream()
                .limit(MAX_NODES)
                .flatMap(row -> gains(row).stream())
                .sorted(Gain.BEST_FIRST)
                .toList();
        List<NodeUse> uses = gains.isEmpty() ? List.of() : cluster.uses(budget);
        List<Proposal> proposals = new ArrayList<>();
        for (Gain gain : gains) {
            if (proposals.size() == MAX_PROPOSALS || countsLeft <= 0 || confirmationsLeft <= 0) {
                break;
            }
            String node = gain.use().node().name();
            if (!states.containsKey(node)) {
                confirmed(gain, reference, uses).ifPresent(proposals::add);
            }
        }
        return proposals;
    }

    private List<Gain> gains(NodeRow row) {
        Optional<NodeUse> use = cluster.use(row.node(), budget);
        if (use.isEmpty()) {
            return List.of();
        }
        ReferencePod reference = row.count().reference();
        TentativeNode state = state(use.get());
        int before = count(reference, use.get(), state);
        List<PodFacts> movable =
                use.get().pods().stream().filter(MoveSearch::isMovable).toList();
        SearchLimit limit = new SearchLimit(MAX_SETS_PER_NODE);
        return new Departures<>(MAX_TOGETHER, movable, () -> countsLeft > 0 && limit.take())
                .gains(pods -> count(reference, use.get(), state.without(pods)) - before).stream()
                        .map(found -> new Gain(use.get(), reference, found.leaving(), found.gain()))
                        .toList();
    }

    /** Whether a pod may be moved. Other pods hold nothing of the zones, belong together, or run where they are only. */
    private static boolean isMovable(PodFacts pod) {
        return pod.needsAlignment()
                && !pod.terminating()
                && !pod.isStatic()
                && pod.claims().isEmpty()
                && pod.group().group().isEmpty();
    }

    private TentativeNode state(NodeUse use) {
        TentativeNode known = states.get(use.node().name());
        return known == null ? StrandedCapacity.now(use).start() : known;
    }

    /** @param node any state of the node */
    private int count(ReferencePod reference, NodeUse use, TentativeNode node) {
        countsLeft--;
        return counters.computeIfAbsent(reference, ReferenceCounter::new)
                .byZones(node, use.snapshots().likeliest().nodeClass());
    }

    /** The pods fit on other nodes, and the gain is larger than what is lost there. */
    private Optional<Proposal> confirmed(Gain gain, String reference, List<NodeUse> uses) {
        List<PodFacts> all = new ArrayList<>(moved);
        all.addAll(gain.pods());
        if (budgets.violations(all) > 0) {
            return Optional.empty();
        }
        String node = gain.use().node().name();
        Map<String, TentativeNode> before = Map.copyOf(states);
        states.put(node, state(gain.use()).without(gain.pods()));
        List<Move> moves = new ArrayList<>();
        int frees = gain.gain();
        for (PodFacts pod : gain.pods()) {
            Optional<Target> target = target(pod, gain, reference, uses);
            if (target.isEmpty() || target.get().loss() >= frees) {
                states.clear();
                states.putAll(before);
                return Optional.empty();
            }
            String to = target.get().use().node().name();
            states.put(to, target.get().with());
            moves.add(new Move(pod, node, to));
            frees -= target.get().loss();
        }
        moved.addAll(gain.pods());
        return Optional.of(new Proposal(moves, frees));
    }

    /** The first node on which the pod takes no room of the reference size, or the least. */
    private Optional<Target> target(PodFacts pod, Gain gain, String reference, List<NodeUse> uses) {
        confirmationsLeft--;
        Optional<PodFacts> known = constrained.apply(pod).map(PodFacts::withoutRecords);
        if (known.isEmpty()) {
            return Optional.empty();
        }
        Optional<Target> best = Optional.empty();
        for (NodeUse use : ProvenNodes.of(uses, List.of(known.get()))) {
            if (countsLeft <= 0 || best.filter(target -> target.loss() == 0).isPresent()) {
                break;
            }
            if (!use.node().name().equals(gain.use().node().name()) && use.mayTake(known.get())) {
                int least = best.map(Target::loss).orElse(Integer.MAX_VALUE);
                Optional<Target> better = target(use, known.get(), reference).filter(found -> found.loss() < least);
                best = better.isPresent() ? better : best;
            }
        }
        return best;
    }

    private Optional<Target> target(NodeUse use, PodFacts pod, String reference) {
        if (use.roomFor(NodeFit.requested(pod.nodeLevel()), 1) == 0) {
            return Optional.empty();
        }
        TentativeNode state = state(use);
        Optional<ReferencePod> counted = capacity.reference(use.node().name(), reference);
        return state.with(pod)
                .filter(any -> Feasibility.of(use).reserved(pod).isEmpty())
                .map(with -> new Target(
                        use,
                        with,
                        counted.map(each -> count(each, use, state) - count(each, use, with))
                                .orElse(0)));
    }
}
