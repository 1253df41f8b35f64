package io.numaledger.bridge.group;

import io.numaledger.bridge.evaluation.PodShape;
import io.numaledger.bridge.evaluation.RefusalReason;
import io.numaledger.bridge.group.EvictionSearch.Eviction;
import io.numaledger.bridge.group.EvictionSearch.Proposal;
import io.numaledger.bridge.group.GroupListener.Group;
import io.numaledger.bridge.group.GroupListener.Outcome;
import io.numaledger.bridge.objects.PodFacts;
import io.numaledger.bridge.objects.PodGroup;
import io.numaledger.bridge.objects.PodGroupName;
import io.numaledger.bridge.objects.PodPhase;
import io.numaledger.bridge.state.ClusterState;
import io.numaledger.bridge.state.NodeIndex;
import io.numaledger.bridge.state.NodeUse;
import io.numaledger.bridge.topology.DomainTree;
import io.numaledger.bridge.topology.Topologies;
import io.numaledger.bridge.topology.TopologyRequest;
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
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalInt;
import java.util.Set;
import java.util.SortedMap;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import java.util.stream.Stream;

/**
 * Groups whose pods have a scheduling gate: the bridge plans them, and schedulers try their pods only then. Runs on the replica that
 * binds. Not thread-safe.
 *
 * <p>A group is planned as soon as enough of its pods are there. If it fits, its nodes are kept for it, and each pod is tied to its node
 * and loses its gate in one write. Nothing is stored beside that: what a process before this one has left half done is seen in the pods,
 * and goes on from there. Each check does what is missing:
 *
 * <table>
 * <caption>what is done for a group</caption>
 * <tr><th>running or tied to a node</th><th>with a gate</th><th></th></tr>
 * <tr><td>none</td><td>less than needed</td><td>wait for more pods</td></tr>
 * <tr><td>none</td><td>enough</td><td>plan all; if they do not fit, wait, and after some time keep the nodes on which some fit</td></tr>
 * <tr><td>less than needed</td><td>enough</td><td>plan the missing ones, such as those of a lost node</td></tr>
 * <tr><td>less than needed for too long</td><td></td><td>evict those that run: the group comes again as a whole</td></tr>
 * <tr><td>enough</td><td>some</td><td>plan as many of them as fit</td></tr>
 * </table>
 */
public final class GatedGroups {

    private static final Logger log = LoggerFactory.getLogger(GatedGroups.class);

    private static final int MAX_STEPS = 3_000;

    /** How long a node is not used for a group again after one of its pods was refused there or could not be scheduled. */
    static final Duration BARRED = Duration.ofMinutes(5);

    /** How long victims may take to end before others are chosen. */
    static final Duration LONGEST_EVICTION = Duration.ofMinutes(2);

    private final ClusterState cluster;
    private final PodGroups groups;
    private final KeptNodes kept;
    private final GroupWriter writer;
    private final GroupListener listener;
    private final InstantSource clock;
    private final Settings settings;
    private final Optional<GroupPreemption> preemption;
    private final GroupPlanner planner = new GroupPlanner(MAX_STEPS);
    private final Map<PodGroupName, Progress> known = new HashMap<>();
    private Optional<PodGroupName> holding = Optional.empty();

    /**
     * The limits.
     *
     * @param schedulers the names of the schedulers whose pods are planned
     * @param comeUp how long a group may be incomplete after its first pod was released; then its pods are evicted
     * @param unscheduled how long a scheduler may refuse a released pod; then it is evicted and its node is barred
     * @param holdAfter how long a group waits before nodes are kept for it although it does not fit yet
     */
    public record Settings(Set<String> schedulers, Duration comeUp, Duration unscheduled, Duration holdAfter) {

        /** @param schedulers the names of the schedulers whose pods are planned */
        public static Settings of(Set<String> schedulers) {
            return new Settings(schedulers, Duration.ofMinutes(2), Duration.ofSeconds(30), Duration.ofMinutes(1));
        }
    }

    /** What is known of a group beside its pods. */
    private static final class Progress {

        private Optional<Instant> incompleteSince = Optional.empty();
        private Optional<Instant> waitingSince = Optional.empty();
        private Optional<Held> held = Optional.empty();

        /** When pods of lower priority were evicted for it. */
        private Optional<Instant> evictedAt = Optional.empty();

        /** UID → since when a released pod has had no node. */
        private final Map<String, Instant> releasedSince = new HashMap<>();

        /** UID → since when its scheduler refuses a released pod. */
        private final Map<String, Instant> refusedSince = new HashMap<>();

        /** Node → until when it is not used for the group. */
        private final Map<String, Instant> barred = new HashMap<>();

        /** UIDs of pods whose end at a kubelet was noticed. */
        private final Set<String> refused = new HashSet<>();

        /** The version of the cluster's nodes, and the pods, with which it did not fit. */
        private Optional<Attempt> failed = Optional.empty();
    }

    private record Attempt(long version, boolean holdDue, List<String> pods) {

        Attempt after(long newVersion) {
            return new Attempt(newVersion, holdDue, pods);
        }
    }

    /** Nodes that are kept for a group that does not fit yet. */
    private record Held(long number, GroupPlan plan) {}

    /** @param preemption absent: no pods are evicted for groups of higher priority */
    public GatedGroups(
            ClusterState cluster,
            PodGroups groups,
            KeptNodes kept,
            GroupWriter writer,
            GroupListener listener,
            InstantSource clock,
            Settings settings,
            Optional<GroupPreemption> preemption) {
        this.preemption = preemption;
        this.cluster = cluster;
        this.groups = groups;
        this.kept = kept;
        this.writer = writer;
        this.listener = listener;
        this.clock = clock;
        this.settings = settings;
    }

    /**
     * The pods of a group.
     *
     * @param gated not released yet, the oldest first
     * @param released tied to a node by a plan, and without a node so far
     * @param succeeded how many have run already
     */
    private record Members(
            PodGroupName name,
            List<PodFacts> bound,
            List<PodFacts> released,
            List<PodFacts> gated,
            int succeeded,
            int least) {

        /** How many run, have run or are tied to a node. */
        int placed() {
            return bound.size() + released.size() + succeeded;
        }

        /** Some run without others that they need, and those are waiting. */
        boolean isIncomplete() {
            return !(bound.isEmpty() && released.isEmpty())
                    && placed() < least
                    && !(gated.isEmpty() && released.isEmpty());
        }

        /** Pods that have a node, or are tied to one → its name. */
        Map<PodFacts, String> nodes() {
            Map<PodFacts, String> nodes = new LinkedHashMap<>();
            bound.forEach(pod -> nodes.put(pod, pod.node().orElseThrow()));
            released.forEach(pod -> nodes.put(pod, plannedNode(pod).orElseThrow()));
            return nodes;
        }

        /** What the PodGroup says, or the first pod that says something. */
        Optional<TopologyRequest> topology(Optional<PodGroup> object, Topologies topologies) {
            return Stream.concat(
                            object.stream().map(PodGroup::topology),
                            Stream.of(gated, released, bound)
                                    .flatMap(List::stream)
                                    .map(PodFacts::annotations))
                    .map(annotations -> TopologyRequest.of(annotations, topologies))
                    .flatMap(Optional::stream)
                    .findFirst();
        }

        PodFacts first() {
            return List.of(gated, released, bound).stream()
                    .flatMap(List::stream)
                    .findFirst()
                    .orElseThrow();
        }
    }

    /** Does what is missing for every group. Call it about once a second. */
    public void check() {
        List<Members> all = cluster.gatedGroups().stream()
                .map(this::members)
                .flatMap(Optional::stream)
                .sorted(Comparator.comparingInt(
                                (Members each) -> -each.first().priority().value())
                        .thenComparing(Members::first, PodFacts.BY_AGE)
                        .thenComparing(Members::name))
                .toList();
        Set<PodGroupName> names = new HashSet<>();
        all.forEach(each -> names.add(each.name()));
        known.entrySet().removeIf(each -> {
            boolean gone = !names.contains(each.getKey());
            if (gone) {
                stopHolding(each.getKey(), each.getValue());
            }
            return gone;
        });
        all.forEach(this::checkAlone);
    }

    /** What is wrong with one group must not keep others from being planned. */
    private void checkAlone(Members members) {
        try {
            check(members);
        } catch (IllegalArgumentException invalid) {
            listener.invalid(group(members.name(), members.first()), String.valueOf(invalid.getMessage()));
        }
    }

    /** Absent for groups that were never gated, or that belong to other schedulers. */
    private Optional<Members> members(PodGroupName name) {
        List<PodFacts> bound = new ArrayList<>();
        List<PodFacts> released = new ArrayList<>();
        List<PodFacts> gated = new ArrayList<>();
        for (PodFacts pod : cluster.groupMembers(name)) {
            if (settings.schedulers().contains(pod.scheduler())) {
                List<PodFacts> kind =
                        pod.node().isPresent() ? bound : pod.group().awaitsPlan() ? gated : released;
                kind.add(pod);
            }
        }
        List<PodFacts> own = new ArrayList<>(gated);
        own.addAll(released);
        own.addAll(bound);
        boolean isGated = name.kind() != PodGroupName.Kind.NATIVE
                && own.stream()
                        .anyMatch(pod ->
                                pod.group().awaitsPlan() || plannedNode(pod).isPresent());
        released.removeIf(pod -> plannedNode(pod).isEmpty());
        OptionalInt least = groups.get(name)
                .map(PodGroup::minMember)
                .filter(OptionalInt::isPresent)
                .orElseGet(() -> own.stream()
                        .map(pod -> pod.group().minMember())
                        .filter(OptionalInt::isPresent)
                        .findFirst()
                        .orElse(OptionalInt.empty()));
        if (isGated && least.isEmpty()) {
            listener.sizeUnknown(group(name, own.get(0)));
        }
        return isGated && least.isPresent()
                ? Optional.of(new Members(name, bound, released, gated, succeeded(name), least.getAsInt()))
                : Optional.empty();
    }

    private int succeeded(PodGroupName name) {
        return (int) cluster.endedMembers(name).stream()
                .filter(pod -> pod.phase() == PodPhase.SUCCEEDED)
                .count();
    }

    private static Optional<String> plannedNode(PodFacts pod) {
        return pod.annotation(PodFacts.PLANNED_NODE);
    }

    private Group group(PodGroupName name, PodFacts first) {
        return new Group(name, groups.get(name), first);
    }

    private void check(Members members) {
        Progress progress = known.computeIfAbsent(members.name(), any -> new Progress());
        Instant now = clock.instant();
        progress.barred.values().removeIf(until -> !until.isAfter(now));
        members.released().forEach(PodShape::of); // a pod with invalid annotations must not be planned: it fits no node
        barRefused(members, progress, now);
        keepReleased(members, progress, now);
        evictUnscheduled(members, progress, now);
        if (!members.isIncomplete()) {
            progress.incompleteSince = Optional.empty();
        } else if (progress.incompleteSince.isEmpty()) {
            progress.incompleteSince = Optional.of(now);
        } else if (isOver(progress.incompleteSince.get(), settings.comeUp(), now)) {
            giveUp(members, progress);
            return;
        }
        if (members.gated().isEmpty() || members.placed() + members.gated().size() < members.least()) {
            stopHolding(members.name(), progress);
            progress.waitingSince = Optional.empty();
            return;
        }
        plan(members, progress, now);
    }

    private static boolean isOver(Instant since, Duration time, Instant now) {
        return !since.plus(time).isAfter(now);
    }

    /** A kubelet that has refused one of them is not asked again at once. */
    private void barRefused(Members members, Progress progress, Instant now) {
        cluster.endedMembers(members.name()).stream()
                .filter(pod -> pod.node().isPresent()
                        && pod.reason().filter(RefusalReason::isByKubelet).isPresent())
                .filter(pod -> progress.refused.add(pod.uid().orElse("")))
                .forEach(pod -> {
                    String node = pod.node().get();
                    progress.barred.put(node, now.plus(BARRED));
                    log.info(
                            "event=group.node_barred group={} pod={} node={} reason={}",
                            members.name(),
                            pod.key(),
                            node,
                            pod.reason().get());
                });
    }

    /**
     * Also after a change of the leader: nothing but the pods says where they are to run. Not for ever, because everybody who can write a pod
     * can write that.
     */
    private void keepReleased(Members members, Progress progress, Instant now) {
        Map<String, List<PodFacts>> missing = new HashMap<>();
        progress.releasedSince
                .keySet()
                .retainAll(members.released().stream()
                        .flatMap(pod -> pod.uid().stream())
                        .toList());
        for (PodFacts pod : members.released()) {
            String node = plannedNode(pod).orElseThrow();
            Instant since = progress.releasedSince.computeIfAbsent(pod.uid().orElse(""), any -> now);
            boolean isKept =
                    cluster.planned(node).stream().anyMatch(each -> each.pod().isSameAs(pod));
            if (isOver(since, settings.comeUp(), now)) {
                cluster.removePlanned(node, pod);
            } else if (!isKept) {
                missing.computeIfAbsent(node, any -> new ArrayList<>()).add(pod);
            }
        }
        missing.forEach((node, pods) -> cluster.use(node).ifPresent(use -> cluster.plan(use, kept.next(), pods)));
    }

    private void evictUnscheduled(Members members, Progress progress, Instant now) {
        List<PodFacts> refused =
                members.released().stream().filter(PodFacts::unschedulable).toList();
        progress.refusedSince
                .keySet()
                .retainAll(refused.stream().flatMap(pod -> pod.uid().stream()).toList());
        for (PodFacts pod : refused) {
            Instant since = progress.refusedSince.computeIfAbsent(pod.uid().orElse(""), any -> now);
            if (isOver(since, settings.unscheduled(), now)) {
                String node = plannedNode(pod).orElseThrow();
                progress.barred.put(node, now.plus(BARRED));
                progress.refusedSince.put(pod.uid().orElse(""), now);
                evict(members.name(), pod, "its scheduler does not bind it to node " + node);
            }
        }
    }

    private void giveUp(Members members, Progress progress) {
        listener.gaveUp(group(members.name(), members.first()), members.placed(), members.least());
        members.bound().forEach(pod -> evict(members.name(), pod, "its group did not come up in time"));
        members.released().forEach(pod -> evict(members.name(), pod, "its group did not come up in time"));
        progress.incompleteSince = Optional.empty();
    }

    private void evict(PodGroupName group, PodFacts pod, String why) {
        try {
            writer.evict(pod);
            log.warn("event=group.pod_evicted group={} pod={} reason=\"{}\"", group, pod.key(), why);
        } catch (IOException e) {
            log.warn("event=group.write_failed group={} pod={} error=\"{}\"", group, pod.key(), e.getMessage());
        }
    }

    private void plan(Members members, Progress progress, Instant now) {
        List<String> pods =
                members.gated().stream().map(pod -> pod.uid().orElse("")).toList();
        Attempt attempt = new Attempt(cluster.versions().last(), isHoldDue(progress, now), pods);
        if (progress.failed.equals(Optional.of(attempt))) {
            return;
        }
        int needed = Math.max(1, members.least() - members.placed());
        try {
            plan(members, progress, now, attempt, needed);
        } catch (IllegalArgumentException e) {
            listener.planned(
                    group(members.name(), members.first()),
                    Outcome.REFUSED,
                    needed,
                    new PlanningResult(Optional.empty(), 0, false, List.of(String.valueOf(e.getMessage()))));
            progress.failed = Optional.of(attempt);
        }
    }

    /** @throws IllegalArgumentException as a sentence, for pods with invalid annotations */
    private void plan(Members members, Progress progress, Instant now, Attempt attempt, int needed) {
        List<NodeUse> uses = uses();
        PlanningResult result = search(members, progress, uses, needed);
        if (result.plan().isPresent() && progress.held.isPresent()) {
            stopHolding(members.name(), progress);
            uses = uses();
            result = search(members, progress, uses, needed);
        }
        Group group = group(members.name(), members.first());
        if (result.plan().isPresent()) {
            if (kept.keep(kept.next(), result.plan().get(), uses)) {
                progress.waitingSince = Optional.empty();
                progress.evictedAt = Optional.empty();
                progress.failed = Optional.empty();
                listener.planned(group, Outcome.PLANNED, needed, result);
                release(members.name(), result.plan().get());
            }
            return;
        }
        listener.planned(group, Outcome.REFUSED, needed, result);
        boolean awaitsVictims = progress.evictedAt
                .filter(at -> !isOver(at, LONGEST_EVICTION, now))
                .isPresent();
        if (awaitsVictims || preempts(members, progress, uses, needed, now)) {
            progress.failed = Optional.of(attempt.after(cluster.versions().last()));
            return;
        }
        progress.waitingSince = progress.waitingSince.or(() -> Optional.of(now));
        if (attempt.holdDue() && (holding.isEmpty() || holding.equals(Optional.of(members.name())))) {
            hold(members, progress, uses);
        }
        progress.failed = Optional.of(attempt.after(cluster.versions().last()));
    }

    /** Keeps the nodes of the plan that is possible without the victims, and evicts them. Returns whether it does. */
    private boolean preempts(Members members, Progress progress, List<NodeUse> uses, int needed, Instant now) {
        Optional<Proposal> proposal = preemption
                .filter(any -> members.first().priority().preempts())
                .flatMap(search -> domainsToPreempt(members, uses).stream()
                        .map(nodes -> search.find(
                                planner,
                                uses.stream()
                                        .filter(use -> nodes.contains(use.node().name())
                                                && !progress.barred.containsKey(
                                                        use.node().name()))
                                        .toList(),
                                members.gated(),
                                needed))
                        .flatMap(Optional::stream)
                        .min(Comparator.comparingInt(found -> found.evictions().size())));
        if (proposal.isEmpty()) {
            return false;
        }
        stopHolding(members.name(), progress);
        long number = kept.next();
        if (!kept.keep(number, proposal.get().plan(), uses)) {
            return false;
        }
        progress.held = Optional.of(new Held(number, proposal.get().plan()));
        progress.evictedAt = Optional.of(now);
        listener.preempting(
                group(members.name(), members.first()),
                proposal.get().evictions().stream().map(Eviction::pod).toList());
        proposal.get().evictions().forEach(eviction -> {
            try {
                writer.preempt(eviction.pod());
            } catch (IOException e) {
                log.warn(
                        "event=group.write_failed group={} pod={} error=\"{}\"",
                        members.name(),
                        eviction.pod().key(),
                        e.getMessage());
            }
        });
        return true;
    }

    /** Sets of nodes, one of which has to take the group. */
    private List<Set<String>> domainsToPreempt(Members members, List<NodeUse> uses) {
        return domains(members, uses)
                .map(TopologyPlanner::domainsToPreempt)
                .orElseGet(() ->
                        List.of(uses.stream().map(use -> use.node().name()).collect(Collectors.toSet())));
    }

    private boolean isHoldDue(Progress progress, Instant now) {
        return progress.waitingSince
                .filter(since -> isOver(since, settings.holdAfter(), now))
                .isPresent();
    }

    private List<NodeUse> uses() {
        NodeIndex nodes = cluster.index();
        return IntStream.range(0, nodes.size())
                .mapToObj(nodes::name)
                .sorted()
                .map(cluster::use)
                .flatMap(Optional::stream)
                .toList();
    }

    private PlanningResult search(Members members, Progress progress, List<NodeUse> uses, int needed) {
        Optional<PodGroupName> own = Optional.of(members.name());
        Set<String> released = new HashSet<>();
        members.released().forEach(pod -> released.add(pod.key()));
        List<CandidateNode> nodes = uses.stream()
                .filter(use -> !progress.barred.containsKey(use.node().name()))
                .map(use -> CandidateNode.now(
                        use,
                        planned -> !planned.pod().group().group().equals(own)
                                || released.contains(planned.pod().key())))
                .toList();
        Optional<TopologyPlanner> domains = domains(members, uses);
        return domains.isPresent()
                ? domains.get().plan(members.gated(), needed, nodes)
                : planner.plan(members.gated(), needed, nodes, any -> Set.of());
    }

    /** Absent for a group without topology levels. */
    private Optional<TopologyPlanner> domains(Members members, List<NodeUse> uses) {
        return members.topology(groups.get(members.name()), groups.topologies()).map(request -> {
            Map<String, SortedMap<String, String>> labels = new HashMap<>();
            uses.forEach(use ->
                    labels.put(use.node().name(), use.node().constraints().labels()));
            return new TopologyPlanner(planner, request, DomainTree.of(request.levels(), labels), members.nodes());
        });
    }

    /** A group that has waited for long keeps what is free for it, so that smaller groups cannot pass it for ever. */
    private void hold(Members members, Progress progress, List<NodeUse> now) {
        Optional<GroupPlan> before = progress.held.map(Held::plan);
        if (search(members, progress, now, 1).plan().equals(before)) {
            return;
        }
        stopHolding(members.name(), progress);
        List<NodeUse> uses = before.isPresent() ? uses() : now;
        search(members, progress, uses, 1).plan().ifPresent(plan -> {
            long number = kept.next();
            if (kept.keep(number, plan, uses)) {
                progress.held = Optional.of(new Held(number, plan));
                holding = Optional.of(members.name());
            }
        });
    }

    private void stopHolding(PodGroupName name, Progress progress) {
        progress.held.ifPresent(held -> kept.release(held.number(), held.plan()));
        progress.held = Optional.empty();
        if (holding.equals(Optional.of(name))) {
            holding = Optional.empty();
        }
    }

    /** A pod that cannot be written is planned again with the next check. */
    private void release(PodGroupName name, GroupPlan plan) {
        plan.byNode()
                .forEach((node, pods) -> pods.forEach(pod -> {
                    try {
                        writer.release(pod, node, plan.place(pod));
                    } catch (IOException e) {
                        cluster.removePlanned(node, pod);
                        log.warn(
                                "event=group.write_failed group={} pod={} error=\"{}\"",
                                name,
                                pod.key(),
                                e.getMessage());
                    }
                }));
    }
}
