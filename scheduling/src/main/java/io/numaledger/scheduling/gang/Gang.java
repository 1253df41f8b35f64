package io.numaledger.scheduling.gang;

import io.numaledger.evaluation.facts.PodFacts;
import io.numaledger.evaluation.facts.PodGroup;
import io.numaledger.evaluation.facts.PodGroupName;
import io.numaledger.scheduling.group.GroupPlan;
import io.numaledger.scheduling.group.PlanReservations;
import io.numaledger.scheduling.state.ClusterState;

import java.time.Duration;
import java.util.ArrayList;
import java.util.Collection;
import java.util.Comparator;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.function.Predicate;

/**
 * State of one gang that the API objects do not hold. Its own lock guards it: callers hold it.
 *
 * <p>kube-scheduler tries a gang in attempts: in each it calls filter once for each pod, and binds the pods if all have a node. No call says
 * that an attempt begins, or that it was given up. Each topology domain has an attempt, and goes through these states:
 *
 * <table>
 * <caption>The attempt in a topology domain</caption>
 * <tr><th>state</th><th>event</th><th>next state</th><th>not before</th></tr>
 * <tr><td>OPEN</td><td>filter: the group fits</td><td>RESERVED</td><td></td></tr>
 * <tr><td>OPEN</td><td>filter: it fits without pods of lower priority</td><td>AWAITS_EVICTIONS</td><td></td></tr>
 * <tr><td>OPEN</td><td>filter: it does not fit</td><td>REFUSED</td><td></td></tr>
 * <tr><td>REFUSED</td><td>filter for another pod, and the group fits by now</td><td>REFUSED</td><td></td></tr>
 * <tr><td>REFUSED</td><td>filter for the same pod, and the group fits by now</td><td>RESERVED</td><td></td></tr>
 * <tr><td>REFUSED</td><td>filter for another pod later, and the group fits by now</td><td>RESERVED</td><td>ATTEMPT_TIMEOUT</td></tr>
 * <tr><td>REFUSED</td><td>the group fits by now: a retry is requested</td><td>OPEN</td><td>REQUEUE_AFTER</td></tr>
 * <tr><td>RESERVED</td><td>filter for another pod</td><td>RESERVED</td><td></td></tr>
 * <tr><td>RESERVED</td><td>filter for another pod without its planned node, and the group fits elsewhere</td><td>RESERVED</td><td></td></tr>
 * <tr><td>RESERVED</td><td>filter for the same pod, and the group does not fit any more</td><td>REFUSED</td><td></td></tr>
 * <tr><td>RESERVED</td><td>bind</td><td>BINDING</td><td></td></tr>
 * <tr><td>RESERVED</td><td>bind, and a pod of higher priority has taken a place</td><td>DISPLACED</td><td></td></tr>
 * <tr><td>RESERVED</td><td>bind by the plan of another domain</td><td>OPEN</td><td></td></tr>
 * <tr><td>RESERVED</td><td>no call</td><td>OPEN</td><td>PLAN_TIMEOUT</td></tr>
 * <tr><td>AWAITS_EVICTIONS</td><td>filter for another pod</td><td>AWAITS_EVICTIONS</td><td></td></tr>
 * <tr><td>AWAITS_EVICTIONS</td><td>bind, and the pods of lower priority still run</td><td>AWAITS_EVICTIONS</td><td></td></tr>
 * <tr><td>AWAITS_EVICTIONS</td><td>bind, and the pods of lower priority have ended</td><td>BINDING</td><td></td></tr>
 * <tr><td>AWAITS_EVICTIONS</td><td>no call</td><td>OPEN</td><td>PLAN_TIMEOUT</td></tr>
 * <tr><td>DISPLACED</td><td>bind</td><td>DISPLACED</td><td></td></tr>
 * <tr><td>DISPLACED</td><td>filter for the same pod, and the group does not fit any more</td><td>REFUSED</td><td></td></tr>
 * <tr><td>DISPLACED</td><td>no call</td><td>OPEN</td><td>PLAN_TIMEOUT</td></tr>
 * <tr><td>BINDING</td><td>filter for a pod that was left out</td><td>BINDING</td><td></td></tr>
 * <tr><td>BINDING</td><td>filter for the same pod</td><td>RESERVED</td><td></td></tr>
 * <tr><td>BINDING</td><td>no call</td><td>OPEN</td><td>PLAN_TIMEOUT</td></tr>
 * </table>
 *
 * <p>When enough pods are bound, the others are evaluated one by one, as pods without a group.
 */
final class Gang {

    /** A state of an attempt. */
    enum State {
        OPEN,
        REFUSED,
        /** It is planned without pods of lower priority, and reserves no nodes. */
        AWAITS_EVICTIONS,
        RESERVED,
        BINDING,
        DISPLACED
    }

    /** Between two calls of one attempt. kube-scheduler begins the next one a second later at the earliest, mostly. */
    static final Duration ATTEMPT_TIMEOUT = Duration.ofSeconds(1);

    private final PlanReservations reservations;

    /** Topology domain → the attempt in it. One of their plans is taken. */
    private final Map<String, Attempt> attempts = new HashMap<>();

    /** UIDs of pods that were bound; the watch may not show that yet. */
    private final Set<String> bound = new HashSet<>();

    /** Nodes that other plugins refused for a pod a moment ago. */
    private final Map<PodInDomain, Excluded> excluded = new HashMap<>();

    private Optional<Long> bindRefusedAt = Optional.empty();

    private record PodInDomain(String uid, String domain) {}

    /**
     * @param at in nanoseconds
     * @param dryRun in an attempt of kube-scheduler without some pods of lower priority; the next one may be without others
     */
    private record Excluded(Set<String> nodes, long at, boolean dryRun) {}

    Gang(PlanReservations reservations) {
        this.reservations = reservations;
    }

    /**
     * The pods of a gang, without those that have scheduling gates.
     *
     * @param unbound first the pod for which filter is called, then the oldest first
     */
    record Members(int bound, List<PodFacts> unbound) {

        /** How many of the unbound ones have to run. */
        int needed(PodGroup group) {
            return group.minMember().orElse(0) - bound;
        }
    }

    Members members(ClusterState cluster, PodGroupName name, PodFacts called) {
        List<PodFacts> all = cluster.pods().ofGroup(name);
        bound.retainAll(all.stream().flatMap(pod -> pod.uid().stream()).toList());
        Predicate<PodFacts> isBound = pod -> pod.node().isPresent() || wasBound(pod);
        List<PodFacts> unbound = new ArrayList<>(List.of(called));
        all.stream()
                .filter(isBound.negate().and(pod -> !pod.isSameAs(called) && !isGated(pod)))
                .forEach(unbound::add);
        return new Members((int) all.stream().filter(isBound).count(), unbound);
    }

    /** kube-scheduler does not try such a pod. */
    static boolean isGated(PodFacts pod) {
        return !pod.group().gates().isEmpty();
    }

    private boolean wasBound(PodFacts pod) {
        return pod.uid().filter(bound::contains).isPresent();
    }

    void bound(PodFacts pod) {
        pod.uid().ifPresent(bound::add);
    }

    /** A pod was to be bound although the group lacks room. */
    void bindRefused(long now) {
        bindRefusedAt = Optional.of(now);
    }

    /** Whether that was so after a time in nanoseconds. */
    boolean wasBindRefusedAfter(long time) {
        return bindRefusedAt.filter(at -> at - time > 0).isPresent();
    }

    boolean allBound(GroupPlan plan) {
        return plan.byNode().values().stream().flatMap(List::stream).allMatch(this::wasBound);
    }

    void exclude(PodFacts pod, String domain, Set<String> nodes, long now, boolean dryRun) {
        pod.uid().ifPresent(uid -> excluded.put(new PodInDomain(uid, domain), new Excluded(nodes, now, dryRun)));
    }

    Set<String> excluded(PodFacts pod, String domain) {
        return pod.uid()
                .map(uid -> excluded.get(new PodInDomain(uid, domain)))
                .map(Excluded::nodes)
                .orElse(Set.of());
    }

    /** What other plugins refuse changes with the pods on the nodes. */
    void removeExcludedBefore(long limit) {
        excluded.values().removeIf(each -> each.at() - limit < 0);
    }

    List<ActivePlan> plans() {
        return attempts.values().stream()
                .flatMap(attempt -> attempt.plan().stream())
                .toList();
    }

    /** The plan by which a pod is bound to a node. */
    Optional<ActivePlan> plan(PodFacts pod, String node) {
        return plans().stream()
                .filter(plan -> plan.node(pod).equals(Optional.of(node)))
                .max(Comparator.comparingLong(ActivePlan::usedAt));
    }

    Collection<Attempt> attempts() {
        return attempts.values();
    }

    /** The attempt in a topology domain that goes on. */
    Attempt attempt(String domain) {
        return attempts.computeIfAbsent(domain, any -> new Attempt());
    }

    /** A new attempt in the place of the one before. */
    Attempt newAttempt(String domain) {
        attempt(domain).plan().ifPresent(this::remove);
        excluded.values().removeIf(Excluded::dryRun);
        Attempt attempt = new Attempt();
        attempts.put(domain, attempt);
        return attempt;
    }

    void remove(ActivePlan plan) {
        attempts.values().forEach(attempt -> attempt.ended(plan));
        reservations.release(plan.number(), plan.plan());
    }

    void removeAllBut(ActivePlan taken) {
        plans().stream().filter(plan -> plan.number() != taken.number()).forEach(this::remove);
    }
}
