package io.numaledger.bridge.group;

import io.numaledger.bridge.evaluation.Evaluation.Refused;
import io.numaledger.bridge.evaluation.RefusalReason;
import io.numaledger.bridge.group.GroupListener.Group;
import io.numaledger.bridge.group.GroupListener.Outcome;
import io.numaledger.bridge.objects.PodFacts;
import io.numaledger.bridge.objects.PodGroup;
import io.numaledger.bridge.objects.PodGroupName;
import io.numaledger.bridge.objects.PodGroupName.Kind;
import io.numaledger.bridge.state.ClusterState;
import io.numaledger.bridge.state.NodeNames;
import io.numaledger.bridge.state.NodeUse;
import io.numaledger.bridge.state.NodeUse.PlannedPod;

import java.time.Duration;
import java.util.ArrayList;
import java.util.BitSet;
import java.util.Comparator;
import java.util.HashMap;
import java.util.HashSet;
import java.util.Iterator;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.function.Function;
import java.util.function.LongSupplier;
import java.util.function.Predicate;

/**
 * Groups that kube-scheduler itself plans: PodGroups of {@code scheduling.k8s.io} with a gang policy. Thread-safe.
 *
 * <p>kube-scheduler asks {@code filter} for one pod after the other and tells no extender where it has put those before. So the group is
 * planned whole when its first pod is asked about, and every pod is answered with its planned node. kube-scheduler asks about the whole
 * group again for other nodes, such as those of another topology domain: each set of nodes has its own plan, until a bind shows which
 * one was taken. No call says that a group was given up: a plan ends when it is not used for some time.
 *
 * <p>Before it evicts pods for a group, kube-scheduler asks as if all pods of lower priority were gone, and the request does not say so.
 * A group that does not fit by the sums of the nodes is therefore judged without them. Such a plan keeps no nodes. If its pods are bound
 * all the same, it is checked once more as a whole.
 */
public final class Gangs {

    /** kube-scheduler asks about all pods of a group, and then binds them at once. */
    static final Duration PLAN_LIMIT = Duration.ofSeconds(5);

    /** How long the watch may need to show a group that kube-scheduler knows already. */
    private static final Duration LONGEST_WATCH_DELAY = Duration.ofMillis(500);

    /** How long a pod is not bound because others are to be bound to its node before it. */
    private static final Duration LONGEST_TURN = Duration.ofSeconds(3);

    private static final int POLL_MS = 5;
    private static final int MAX_ATTEMPTS = 3;
    private static final int MAX_STEPS = 3_000;

    private static final Refused DOES_NOT_FIT = Refused.of(
            RefusalReason.GROUP_DOES_NOT_FIT,
            "the pod's group does not fit as a whole on the nodes in question",
            false);
    private static final Refused LEFT_OUT =
            Refused.of(RefusalReason.GROUP_DOES_NOT_FIT, "no room is left beside the other pods of its group", false);
    private static final Refused PLANNED_ELSEWHERE = Refused.of(
            RefusalReason.PLANNED_FOR_ANOTHER_NODE, "the pod's group fits if the pod runs on another node", false);
    private static final Refused INCOMPLETE =
            Refused.of(RefusalReason.GROUP_DOES_NOT_FIT, "waits for the other pods of its group", false);

    private final ClusterState cluster;
    private final PodGroups groups;
    private final KeptNodes kept;
    private final GroupListener listener;
    private final LongSupplier nanos;
    private final GroupPlanner planner = new GroupPlanner(MAX_STEPS);
    private final Map<PodGroupName, Gang> gangs = new ConcurrentHashMap<>();

    /** What is known of one group beside its objects; the lock of its own fields. */
    private static final class Gang {

        private final List<ActivePlan> plans = new ArrayList<>();

        /** UIDs of pods that were bound; the watch may not show that yet. */
        private final Set<String> bound = new HashSet<>();

        /** UID → nodes that other plugins refuse for this pod, as its last call shows. */
        private final Map<String, Set<String>> excluded = new HashMap<>();
    }

    /** What a filter call for a pod of a group gets. */
    public sealed interface Answer {
        /** Why the pod must not run on a node; absent: it may. */
        Optional<Refused> refusal(String node);

        /** This node, and no other. */
        record Planned(String node) implements Answer {

            @Override
            public Optional<Refused> refusal(String other) {
                return node.equals(other) ? Optional.empty() : Optional.of(PLANNED_ELSEWHERE);
            }
        }

        /** No node. */
        record None(Refused refused) implements Answer {

            @Override
            public Optional<Refused> refusal(String other) {
                return Optional.of(refused);
            }
        }
    }

    /** @param nanos a clock that does not jump */
    public Gangs(ClusterState cluster, PodGroups groups, KeptNodes kept, GroupListener listener, LongSupplier nanos) {
        this.cluster = cluster;
        this.kept = kept;
        this.groups = groups;
        this.listener = listener;
        this.nanos = nanos;
    }

    /** Knows no groups. */
    public static Gangs none(ClusterState cluster) {
        return new Gangs(cluster, new PodGroups(), new KeptNodes(cluster), new GroupListener() {}, System::nanoTime);
    }

    /** Whether a pod belongs to a group that kube-scheduler plans. Such pods have to be asked about on the replica that binds. */
    public boolean isMember(PodFacts pod) {
        return name(pod).isPresent();
    }

    private Optional<PodGroupName> name(PodFacts pod) {
        return pod.group().group().filter(group -> group.kind() == Kind.NATIVE && groups.isWatched(Kind.NATIVE));
    }

    /**
     * The answer of {@code filter} for a pod of a gang that is not running yet; absent for all other pods.
     *
     * @param nominatedNode where others were evicted for the pod
     * @throws IllegalArgumentException as a sentence, for a pod with invalid annotations
     */
    public Optional<Answer> filter(PodFacts pod, NodeNames names, Optional<String> nominatedNode) {
        Optional<PodGroupName> name = name(pod);
        if (name.isEmpty()) {
            return Optional.empty();
        }
        awaitMembers(name.get(), pod);
        Optional<PodGroup> group = groups.get(name.get());
        if (group.isEmpty()) {
            return Optional.of(new Answer.None(INCOMPLETE));
        }
        int least = group.get().minMember().orElse(0);
        Gang gang = gangs.computeIfAbsent(name.get(), any -> new Gang());
        synchronized (gang) {
            Members members = members(name.get(), gang, pod);
            if (members.bound() >= least) {
                return Optional.empty();
            }
            int needed = least - members.bound();
            if (members.unbound().size() < needed) {
                return Optional.of(new Answer.None(INCOMPLETE));
            }
            return Optional.of(new Call(group.get(), gang, members, needed, pod, names, nominatedNode).answer());
        }
    }

    /**
     * The pods of a group.
     *
     * @param unbound the pod that is asked about first, then the oldest first
     */
    private record Members(int bound, List<PodFacts> unbound) {}

    private Members members(PodGroupName name, Gang gang, PodFacts asked) {
        List<PodFacts> all = cluster.groupMembers(name);
        gang.bound.retainAll(all.stream().flatMap(pod -> pod.uid().stream()).toList());
        Predicate<PodFacts> isBound = pod ->
                pod.node().isPresent() || pod.uid().filter(gang.bound::contains).isPresent();
        List<PodFacts> unbound = new ArrayList<>(List.of(asked));
        all.stream().filter(isBound.negate().and(pod -> !pod.isSameAs(asked))).forEach(unbound::add);
        return new Members((int) all.stream().filter(isBound).count(), unbound);
    }

    /** kube-scheduler tries a group when it has enough pods; the bridge's own watch may be a moment behind. */
    private void awaitMembers(PodGroupName name, PodFacts pod) {
        long begun = nanos.getAsLong();
        while (!isComplete(name, pod) && nanos.getAsLong() - begun < LONGEST_WATCH_DELAY.toNanos()) {
            pause();
        }
    }

    private boolean isComplete(PodGroupName name, PodFacts pod) {
        return groups.get(name)
                .filter(group -> cluster.groupMembers(name).size() + (cluster.shows(pod) ? 0 : 1)
                        >= group.minMember().orElse(0))
                .isPresent();
    }

    private static void pause() {
        try {
            Thread.sleep(POLL_MS);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw new IllegalStateException(
                    "interrupted while a group is awaited; the scheduler will retry the pod", e);
        }
    }

    /** One filter call, under the lock of its gang. */
    private final class Call {

        private final PodGroup group;
        private final Gang gang;
        private final Members members;
        private final int needed;
        private final PodFacts pod;
        private final NodeNames names;
        private final Optional<String> nominatedNode;

        Call(
                PodGroup group,
                Gang gang,
                Members members,
                int needed,
                PodFacts pod,
                NodeNames names,
                Optional<String> nominatedNode) {
            this.group = group;
            this.gang = gang;
            this.members = members;
            this.needed = needed;
            this.pod = pod;
            this.names = names;
            this.nominatedNode = nominatedNode.filter(
                    node -> names.size() == 1 && names.get(0).equals(node));
        }

        Answer answer() {
            Optional<ActivePlan> meant = plan();
            if (meant.isPresent()) {
                Optional<String> node = meant.get().node(pod);
                if (!meant.get().hasAnswered(pod)
                        && node.filter(names::contains).isPresent()) {
                    meant.get().answered(pod, nanos.getAsLong());
                    return new Answer.Planned(node.get());
                }
                if (!meant.get().hasAnswered(pod) && node.isEmpty()) {
                    return new Answer.None(LEFT_OUT);
                }
                return replaced(meant.get());
            }
            return planned(Map.of(), names);
        }

        /** The plan with the fewest nodes that may be meant. */
        private Optional<ActivePlan> plan() {
            BitSet nodes = names.slots();
            return gang.plans.stream()
                    .filter(plan -> plan.isAbout(nodes))
                    .min(Comparator.comparingInt(plan -> plan.domain.cardinality()));
        }

        /**
         * A new plan in the place of one. If the pod was asked about before, kube-scheduler has begun anew. Else other plugins refuse its
         * planned node, and the pods that were answered before stay where they are.
         */
        private Answer replaced(ActivePlan before) {
            removePlan(gang, before);
            if (before.hasAnswered(pod)) {
                return planned(Map.of(), names);
            }
            NodeNames domain = NodeNames.of(names.index(), names.index().names(before.domain));
            Set<String> refused = new HashSet<>(domain);
            names.forEach(refused::remove);
            pod.uid().ifPresent(uid -> gang.excluded.put(uid, refused));
            Map<String, List<PodFacts>> answered = new HashMap<>();
            before.plan
                    .byNode()
                    .forEach((node, pods) -> answered.put(
                            node, pods.stream().filter(before::hasAnswered).toList()));
            Answer answer = planned(answered, domain);
            gang.plans.forEach(plan -> answered.values().stream()
                    .flatMap(List::stream)
                    .forEach(each -> plan.answered(each, nanos.getAsLong())));
            return answer;
        }

        /** @param answered node → pods of the group that are planned there already */
        private Answer planned(Map<String, List<PodFacts>> answered, NodeNames domain) {
            for (int attempt = 0; attempt < MAX_ATTEMPTS; attempt++) {
                List<NodeUse> uses = uses(domain);
                Predicate<PlannedPod> ofOthers = planned ->
                        !planned.pod().group().group().equals(pod.group().group());
                boolean released = nominatedNode.isPresent();
                PlanningResult result = search(
                        answered,
                        uses,
                        use -> released
                                ? CandidateNode.without(use, any -> false, ofOthers)
                                : CandidateNode.now(use, ofOthers));
                if (result.plan().isPresent()) {
                    if (keep(result.plan().get(), uses, domain)) {
                        listener.planned(
                                new Group(group.name(), Optional.of(group), pod), Outcome.PLANNED, needed, result);
                        return planned(result.plan().get());
                    }
                    continue;
                }
                Optional<GroupPlan> later = lacksSums(uses)
                        ? search(answered, uses, use -> CandidateNode.without(use, this::isLessImportant, ofOthers))
                                .plan()
                        : Optional.empty();
                if (later.isPresent()) {
                    add(kept.next(), later.get(), domain, true);
                    listener.planned(
                            new Group(group.name(), Optional.of(group), pod),
                            Outcome.PLANNED_WITHOUT_LOWER_PRIORITY,
                            needed,
                            result);
                    return planned(later.get());
                }
                listener.planned(new Group(group.name(), Optional.of(group), pod), Outcome.REFUSED, needed, result);
                return new Answer.None(DOES_NOT_FIT);
            }
            return new Answer.None(DOES_NOT_FIT);
        }

        private Answer planned(GroupPlan plan) {
            return plan.byNode().entrySet().stream()
                    .filter(node -> node.getValue().stream().anyMatch(pod::isSameAs))
                    .map(node -> names.contains(node.getKey())
                            ? (Answer) new Answer.Planned(node.getKey())
                            : new Answer.None(DOES_NOT_FIT))
                    .findFirst()
                    .orElse(new Answer.None(LEFT_OUT));
        }

        /** After evictions, kube-scheduler asks about the nominated node of each pod first. */
        private List<NodeUse> uses(NodeNames domain) {
            Set<String> nodes = new HashSet<>(domain);
            if (nominatedNode.isPresent()) {
                members.unbound()
                        .forEach(member -> cluster.nominatedNode(member).ifPresent(nodes::add));
            }
            return nodes.stream()
                    .sorted()
                    .map(cluster::use)
                    .flatMap(Optional::stream)
                    .toList();
        }

        private PlanningResult search(
                Map<String, List<PodFacts>> answered, List<NodeUse> uses, Function<NodeUse, CandidateNode> candidate) {
            Set<String> placed = new HashSet<>();
            Map<String, List<PodFacts>> fixed = new HashMap<>();
            List<CandidateNode> nodes = new ArrayList<>();
            for (NodeUse use : uses) {
                List<PodFacts> here = answered.getOrDefault(use.node().name(), List.of());
                Optional<CandidateNode> with = candidate.apply(use).with(here);
                with.ifPresent(nodes::add);
                if (with.isPresent() && !here.isEmpty()) {
                    fixed.put(use.node().name(), here);
                    here.forEach(each -> placed.add(each.key()));
                }
            }
            List<PodFacts> left = members.unbound().stream()
                    .filter(member -> !placed.contains(member.key()))
                    .toList();
            PlanningResult result = planner.plan(left, Math.max(1, needed - placed.size()), nodes, this::excluded);
            return new PlanningResult(
                    result.plan().map(new GroupPlan(fixed)::with), result.placeable() + placed.size(), result.cutOff());
        }

        private Set<String> excluded(PodFacts member) {
            Optional<String> nominated = nominatedNode.isPresent() ? cluster.nominatedNode(member) : Optional.empty();
            if (nominated.isPresent()) {
                Set<String> others = new HashSet<>(names.index().names(allSlots()));
                others.remove(nominated.get());
                return others;
            }
            return member.uid().map(gang.excluded::get).orElse(Set.of());
        }

        private BitSet allSlots() {
            BitSet slots = new BitSet();
            for (int at = 0; at < names.index().size(); at++) {
                slots.set(names.index().slot(at));
            }
            return slots;
        }

        /** By the sums of the nodes, the group does not fit: kube-scheduler would not ask, or it asks without less important pods. */
        private boolean lacksSums(List<NodeUse> uses) {
            return pod.priority().preempts()
                    && uses.stream().anyMatch(use -> use.pods().stream().anyMatch(this::isLessImportant))
                    && uses.stream()
                                    .mapToInt(use -> use.now().roomFor(pod, needed))
                                    .sum()
                            < needed;
        }

        private boolean isLessImportant(PodFacts other) {
            return other.priority().value() < pod.priority().value();
        }

        /** Returns whether the nodes have not changed since they were read. */
        private boolean keep(GroupPlan plan, List<NodeUse> uses, NodeNames domain) {
            long number = kept.next();
            boolean done = kept.keep(number, plan, uses);
            if (done) {
                add(number, plan, domain, false);
            }
            return done;
        }

        private void add(long number, GroupPlan plan, NodeNames domain, boolean awaitsEvictions) {
            BitSet slots = domain.slots();
            slots.or(NodeNames.of(names.index(), plan.byNode().keySet()).slots());
            ActivePlan active = new ActivePlan(number, plan, slots, awaitsEvictions, nanos.getAsLong());
            active.answered(pod, nanos.getAsLong());
            gang.plans.add(active);
        }
    }

    private void removePlan(Gang gang, ActivePlan plan) {
        gang.plans.remove(plan);
        kept.release(plan.number, plan.plan);
    }

    /**
     * Prepares the bind of a pod: gives up the plans of its group that were not taken, and waits until the pods before it are bound.
     *
     * @return why it must not be bound; empty: nothing is against it
     */
    public Optional<String> beforeBind(PodFacts pod, String node) {
        Optional<String> obstacle = name(pod).map(gangs::get).flatMap(gang -> taken(gang, pod, node));
        if (obstacle.isEmpty()) {
            awaitTurn(pod, node);
        }
        return obstacle;
    }

    private Optional<String> taken(Gang gang, PodFacts pod, String node) {
        synchronized (gang) {
            Optional<ActivePlan> taken = gang.plans.stream()
                    .filter(plan -> plan.node(pod).equals(Optional.of(node)))
                    .max(Comparator.comparingLong(plan -> plan.usedAt));
            if (taken.isEmpty()) {
                return Optional.empty();
            }
            taken.get().usedAt = nanos.getAsLong();
            if (taken.get().awaitsEvictions && !confirm(taken.get())) {
                return Optional.of("the pod's group does not fit yet: pods of lower priority have to end first");
            }
            List.copyOf(gang.plans).stream()
                    .filter(plan -> plan != taken.get())
                    .forEach(plan -> removePlan(gang, plan));
            return Optional.empty();
        }
    }

    /** Whether a group that was planned without pods of lower priority fits with them. */
    private boolean confirm(ActivePlan plan) {
        List<NodeUse> uses = plan.plan.byNode().keySet().stream()
                .map(cluster::use)
                .flatMap(Optional::stream)
                .toList();
        boolean fits = uses.stream()
                        .allMatch(use -> use.now()
                                .withAll(plan.plan.on(use.node().name()))
                                .isPresent())
                && kept.keep(plan.number, plan.plan, uses);
        plan.awaitsEvictions = !fits;
        return fits;
    }

    private void awaitTurn(PodFacts pod, String node) {
        long begun = nanos.getAsLong();
        while (isBehindOthers(pod, node) && nanos.getAsLong() - begun < LONGEST_TURN.toNanos()) {
            pause();
        }
    }

    private boolean isBehindOthers(PodFacts pod, String node) {
        List<PlannedPod> planned = cluster.planned(node);
        return !planned.isEmpty()
                && !planned.get(0).pod().isSameAs(pod)
                && planned.stream().anyMatch(each -> each.pod().isSameAs(pod));
    }

    /** A pod was bound. */
    public void bound(PodFacts pod) {
        name(pod).map(gangs::get).ifPresent(gang -> {
            synchronized (gang) {
                pod.uid().ifPresent(gang.bound::add);
            }
        });
    }

    /** A pod was not bound after all. */
    public void notBound(PodFacts pod, String node, String why) {
        name(pod).ifPresent(name -> {
            cluster.removePlanned(node, pod);
            listener.memberNotBound(new Group(name, groups.get(name), pod), node, why);
        });
    }

    /** Ends plans that were not used for some time. Call it about once a second. */
    public void expire() {
        for (Iterator<Map.Entry<PodGroupName, Gang>> all = gangs.entrySet().iterator(); all.hasNext(); ) {
            Map.Entry<PodGroupName, Gang> next = all.next();
            Gang gang = next.getValue();
            synchronized (gang) {
                for (ActivePlan plan : List.copyOf(gang.plans)) {
                    if (nanos.getAsLong() - plan.usedAt >= PLAN_LIMIT.toNanos()) {
                        removePlan(gang, plan);
                        expired(next.getKey(), gang, plan);
                    }
                }
                if (gang.plans.isEmpty() && cluster.groupMembers(next.getKey()).isEmpty()) {
                    all.remove();
                }
            }
        }
    }

    private void expired(PodGroupName name, Gang gang, ActivePlan plan) {
        boolean bound = plan.plan.byNode().values().stream()
                .flatMap(List::stream)
                .allMatch(pod -> pod.uid().filter(gang.bound::contains).isPresent());
        if (!bound && !plan.awaitsEvictions) {
            PodFacts first = plan.plan.byNode().values().iterator().next().get(0);
            listener.planned(
                    new Group(name, groups.get(name), first),
                    Outcome.EXPIRED,
                    plan.plan.size(),
                    new PlanningResult(Optional.of(plan.plan), plan.plan.size(), false));
        }
    }
}
