package io.numaledger.bridge.gang;

import io.numaledger.bridge.group.GroupPlan;
import io.numaledger.bridge.group.KeptNodes;
import io.numaledger.bridge.objects.PodFacts;
import io.numaledger.bridge.objects.PodGroupName;
import io.numaledger.bridge.state.ClusterState;
import io.numaledger.bridge.state.NodeNames;

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

/** What is known of one gang beside its objects. Its own lock guards it: callers hold it. */
final class Gang {

    private final KeptNodes kept;

    /** Topology domain → the attempt in it. One of their plans is taken. */
    private final Map<String, Attempt> attempts = new HashMap<>();

    /** UIDs of pods that were bound; the watch may not show that yet. */
    private final Set<String> bound = new HashSet<>();

    /** Nodes that other plugins refused for a pod a moment ago. */
    private final Map<PodInDomain, Excluded> excluded = new HashMap<>();

    /** When its pods were to be bound although it lacks room, in nanoseconds. */
    Optional<Long> refusedAt = Optional.empty();

    /**
     * The group did not fit.
     *
     * @param pod about which kube-scheduler asked
     * @param names with these nodes
     * @param version of the cluster's nodes at that time
     * @param at in nanoseconds
     */
    record Refusal(PodFacts pod, NodeNames names, long version, long at) {}

    /** One attempt of kube-scheduler to find a node for each pod of the group. It asks about each pod once. */
    static final class Attempt {

        private final Set<String> asked = new HashSet<>();
        Optional<ActivePlan> plan = Optional.empty();
        Optional<Refusal> refusal = Optional.empty();

        boolean hasAsked(PodFacts pod) {
            return pod.uid().filter(asked::contains).isPresent();
        }

        void asked(PodFacts pod) {
            pod.uid().ifPresent(asked::add);
        }
    }

    private record PodInDomain(String uid, String domain) {}

    /**
     * @param at in nanoseconds
     * @param dryRun in an attempt of kube-scheduler without some pods of lower priority; the next one may be without others
     */
    private record Excluded(Set<String> nodes, long at, boolean dryRun) {}

    Gang(KeptNodes kept) {
        this.kept = kept;
    }

    /**
     * The pods of a gang, without those that have scheduling gates.
     *
     * @param unbound the pod that is asked about first, then the oldest first
     */
    record Members(int bound, List<PodFacts> unbound) {}

    Members members(ClusterState cluster, PodGroupName name, PodFacts asked) {
        List<PodFacts> all = cluster.groupMembers(name);
        bound.retainAll(all.stream().flatMap(pod -> pod.uid().stream()).toList());
        Predicate<PodFacts> isBound = pod -> pod.node().isPresent() || wasBound(pod);
        List<PodFacts> unbound = new ArrayList<>(List.of(asked));
        all.stream()
                .filter(isBound.negate().and(pod -> !pod.isSameAs(asked) && !isGated(pod)))
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
                .flatMap(attempt -> attempt.plan.stream())
                .toList();
    }

    /** The plan by which a pod is bound to a node. */
    Optional<ActivePlan> plan(PodFacts pod, String node) {
        return plans().stream()
                .filter(plan -> plan.node(pod).equals(Optional.of(node)))
                .max(Comparator.comparingLong(plan -> plan.usedAt));
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
        attempt(domain).plan.ifPresent(this::remove);
        excluded.values().removeIf(Excluded::dryRun);
        Attempt attempt = new Attempt();
        attempts.put(domain, attempt);
        return attempt;
    }

    void remove(ActivePlan plan) {
        attempts.values().stream()
                .filter(attempt -> attempt.plan.equals(Optional.of(plan)))
                .forEach(attempt -> attempt.plan = Optional.empty());
        kept.release(plan.number, plan.plan);
    }

    void removeAllBut(ActivePlan taken) {
        plans().stream().filter(plan -> plan.number != taken.number).forEach(this::remove);
    }
}
