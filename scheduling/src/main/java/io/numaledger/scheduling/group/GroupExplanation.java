package io.numaledger.scheduling.group;

import io.numaledger.evaluation.budget.EvaluationBudget;
import io.numaledger.evaluation.facts.PodFacts;
import io.numaledger.evaluation.facts.PodGroupName;
import io.numaledger.evaluation.facts.UnmodelledConstraint;
import io.numaledger.scheduling.group.EvictionSearch.Evictable;
import io.numaledger.scheduling.group.EvictionSearch.Proposal;
import io.numaledger.scheduling.preemption.ProvenNodes;
import io.numaledger.scheduling.state.ClusterState;
import io.numaledger.scheduling.state.NodeUse;
import io.numaledger.scheduling.state.Precedence;

import java.util.ArrayList;
import java.util.Comparator;
import java.util.EnumSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalInt;
import java.util.Set;
import java.util.SortedMap;
import java.util.TreeMap;

/**
 * Whether a group of pods fits now, and which evictions would make room for it.
 *
 * @param needed how many pods have to run, beside those that have a node
 * @param waiting how many pods have no node
 * @param placeable how many of them would run together now
 * @param cutOff the search has reached its limit: more may fit
 * @param nodes node → the pods that would run there; empty if the group does not fit
 * @param evictions the fewest that make room; empty if the group fits, or none were found
 * @param unmodelled what its waiting pods have that plans do not consider: then there are no evictions
 */
public record GroupExplanation(
        PodGroupName group,
        int needed,
        int waiting,
        int placeable,
        boolean cutOff,
        SortedMap<String, List<String>> nodes,
        List<Move> evictions,
        Set<UnmodelledConstraint> unmodelled) {

    private static final int MAX_STEPS = 20_000;

    /**
     * A pod that would leave its place.
     *
     * @param target where it fits afterwards
     */
    public record Move(String pod, String node, String target) {}

    public boolean fits() {
        return placeable >= needed && placeable > 0;
    }

    /**
     * Explains a group.
     *
     * @param least how many of its pods have to run
     */
    public static GroupExplanation of(ClusterState cluster, PodGroupName name, int least) {
        List<PodFacts> members = cluster.pods().ofGroup(name);
        List<PodFacts> waiting =
                members.stream().filter(pod -> pod.node().isEmpty()).toList();
        int needed = Math.max(1, least - (members.size() - waiting.size()));
        EvaluationBudget budget = new EvaluationBudget(GroupPlanner.GROUP_WORK);
        List<NodeUse> uses = cluster.uses(budget).stream()
                .map(use -> use.withoutReserved(reservation -> waiting.stream().anyMatch(reservation.pod()::isSameAs)))
                .toList();
        GroupPlanner planner = new GroupPlanner(cluster.claims(), MAX_STEPS).within(budget);
        PlanningResult result = waiting.isEmpty()
                ? new PlanningResult(Optional.empty(), 0, false)
                : planner.plan(
                        waiting,
                        Math.min(needed, waiting.size()),
                        uses.stream()
                                .map(use -> GroupNode.now(use, Precedence.beforeGroup(waiting)))
                                .toList(),
                        any -> Set.of());
        boolean complete = waiting.size() >= needed;
        Set<UnmodelledConstraint> unmodelled = EnumSet.noneOf(UnmodelledConstraint.class);
        waiting.forEach(pod -> unmodelled.addAll(pod.constraints().unmodelled()));
        Optional<Proposal> proposal = result.plan().isPresent() || !complete
                ? Optional.empty()
                : proposal(planner, ProvenNodes.of(uses, waiting), waiting, needed);
        return new GroupExplanation(
                name,
                needed,
                waiting.size(),
                result.placeable(),
                result.cutOff(),
                nodes(result.plan().filter(any -> complete).or(() -> proposal.map(Proposal::plan))),
                proposal.map(found -> moves(found.moved())).orElse(List.of()),
                unmodelled);
    }

    /** How many pods of a group have to run, as its pods say. */
    public static OptionalInt least(ClusterState cluster, PodGroupName name) {
        return cluster.pods().ofGroup(name).stream()
                .map(pod -> pod.group().minMember())
                .filter(OptionalInt::isPresent)
                .findFirst()
                .orElse(OptionalInt.empty());
    }

    private static Optional<Proposal> proposal(
            GroupPlanner planner, List<NodeUse> proven, List<PodFacts> waiting, int needed) {
        return new EvictionSearch(planner, proven, waiting, needed, Evictable.movable(proven)).find();
    }

    private static List<Move> moves(GroupPlan moved) {
        return moved.byNode().entrySet().stream()
                .flatMap(target -> target.getValue().stream()
                        .map(pod -> new Move(pod.key(), pod.node().orElse(""), target.getKey())))
                .sorted(Comparator.comparing(Move::node).thenComparing(Move::pod))
                .toList();
    }

    private static SortedMap<String, List<String>> nodes(Optional<GroupPlan> plan) {
        SortedMap<String, List<String>> nodes = new TreeMap<>();
        plan.map(GroupPlan::byNode)
                .orElse(Map.of())
                .forEach((node, pods) -> nodes.put(
                        node,
                        new ArrayList<>(
                                pods.stream().map(PodFacts::key).sorted().toList())));
        return nodes;
    }
}
