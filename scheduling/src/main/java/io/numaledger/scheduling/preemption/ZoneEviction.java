package io.numaledger.scheduling.preemption;

import io.numaledger.evaluation.budget.EvaluationBudget;
import io.numaledger.evaluation.facts.PodFacts;
import io.numaledger.evaluation.facts.UnmodelledConstraint;
import io.numaledger.scheduling.state.ClusterState;
import io.numaledger.scheduling.state.NodeUse;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

import java.io.IOException;
import java.time.Duration;
import java.time.Instant;
import java.time.InstantSource;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.function.Supplier;
import java.util.stream.Collectors;

/**
 * Evicts pods of lower priority for pods that wait for zones. kube-scheduler does not where the pod fits by node-level
 * requests: its preemption finds no victims there, because its own plugins refuse nothing.
 *
 * <p>One pod after the other gets a plan: a node, and the victims on it. While the victims terminate, no other node is chosen for it.
 * Disruption budgets are never violated. Nobody is evicted for a pod with constraints that are not modelled here. Not thread-safe.
 */
public final class ZoneEviction {

    private static final Logger log = LoggerFactory.getLogger(ZoneEviction.class);

    /** How long no other plan is made for a pod. After that, victims have not ended or kube-scheduler does not try the pod: another may be made. */
    static final Duration PLAN_TIMEOUT = Duration.ofMinutes(2);

    /** A pod for which no plan was found is examined again after this. */
    private static final Duration AGAIN_AFTER = Duration.ofSeconds(10);

    /** The most pods that are examined at once: each costs a search on every node. */
    private static final int MAX_PODS = 10;

    private static final Comparator<Plan> CHEAPEST = Comparator.comparingInt((Plan plan) ->
                    plan.victims().get(plan.victims().size() - 1).priority().value())
            .thenComparing(plan -> plan.victims().size())
            .thenComparing(Plan::node);

    private final ClusterState cluster;
    private final Supplier<DisruptionBudgets> budgets;
    private final Evictor evictor;
    private final InstantSource clock;

    /** UID of a pod → until when no other plan is made for it. */
    private final Map<Optional<String>, Instant> examined = new HashMap<>();

    private final LeftOutNamespaces namespaces = new LeftOutNamespaces();

    private record Plan(PodFacts pod, String node, List<PodFacts> victims) {}

    public ZoneEviction(
            ClusterState cluster, Supplier<DisruptionBudgets> budgets, Evictor evictor, InstantSource clock) {
        this.cluster = cluster;
        this.budgets = budgets;
        this.evictor = evictor;
        this.clock = clock;
    }

    /**
     * Makes and carries out a plan for at most one pod: of the namespaces for which nothing was left the longest, and of those for the most
     * important pod. Call it about once a second, on the replica that binds.
     *
     * @param waiting pods that every node refused, the oldest first
     */
    public void check(List<PodFacts> waiting) {
        Instant now = clock.instant();
        examined.values().removeIf(until -> !until.isAfter(now));
        List<PodFacts> open = waiting.stream()
                .map(pod -> cluster.pods().get(pod.key()).filter(pod::isSameAs).orElse(pod))
                .filter(pod -> pod.node().isEmpty()
                        && pod.priority().preempts()
                        && cluster.nominated().nodeOf(pod).isEmpty()
                        && !cluster.nominated().hasNamedVictims(pod)
                        && !examined.containsKey(pod.uid()))
                .sorted(Comparator.comparing((PodFacts pod) -> -namespaces.leftOut(pod.namespace()))
                        .thenComparing(pod -> -pod.priority().value()))
                .toList();
        Set<String> served = new HashSet<>();
        open.stream()
                .limit(MAX_PODS)
                .map(pod -> {
                    served.add(pod.namespace());
                    return plan(pod);
                })
                .flatMap(Optional::stream)
                .findFirst()
                .ifPresent(this::carryOut);
        namespaces.ended(open.stream().map(PodFacts::namespace).collect(Collectors.toSet()), served);
    }

    /** The cheapest plan; empty if there is none, or the pod can run without one. */
    private Optional<Plan> plan(PodFacts pod) {
        examined.put(pod.uid(), clock.instant().plus(AGAIN_AFTER));
        if (pod.constraints().tied()) {
            log.debug(
                    "event=preemption.unproven pod={} constraints=\"{}\"",
                    pod.key(),
                    UnmodelledConstraint.text(pod.constraints().unmodelled()));
            return Optional.empty();
        }
        List<NodeUse> uses = cluster.uses(EvaluationBudget.ofSearch(pod, cluster.costlyPods()));
        Set<String> proven = ProvenNodes.of(uses, List.of(pod)).stream()
                .map(use -> use.node().name())
                .collect(Collectors.toSet());
        SearchLimit limit = new SearchLimit();
        DisruptionBudgets now = budgets.get();
        List<Plan> possible = new ArrayList<>();
        for (NodeUse use : uses) {
            String node = use.node().name();
            Optional<Victims> found =
                    use.isModelled() ? new VictimSearch(use, pod, now, limit).find(Set.of()) : Optional.empty();
            if (found.filter(victims -> victims.pods().isEmpty()).isPresent()) {
                return Optional.empty();
            }
            found.filter(victims -> victims.violations() == 0 && proven.contains(node))
                    .ifPresent(victims -> possible.add(new Plan(pod, node, victims.pods())));
        }
        return possible.stream().min(CHEAPEST);
    }

    private void carryOut(Plan plan) {
        examined.put(plan.pod().uid(), clock.instant().plus(PLAN_TIMEOUT));
        String victims = plan.victims().stream().map(PodFacts::key).collect(Collectors.joining(","));
        cluster.nominated()
                .victimsNamed(plan.pod(), Map.of(plan.node(), plan.victims())); // before the nomination is seen
        try {
            evictor.nominate(plan.pod(), plan.node());
            for (PodFacts victim : plan.victims()) {
                evictor.evict(victim);
            }
            log.info(
                    "event=preemption.evicted pod={} node={} victims={}",
                    plan.pod().key(),
                    plan.node(),
                    victims);
        } catch (IOException e) {
            log.warn(
                    "event=preemption.failed pod={} node={} victims={} error=\"{}\"",
                    plan.pod().key(),
                    plan.node(),
                    victims,
                    e.getMessage());
        }
    }
}
