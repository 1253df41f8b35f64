package io.numaledger.bridge.gang;

import io.numaledger.bridge.gang.Gang.State;
import io.numaledger.bridge.group.GroupListener;
import io.numaledger.bridge.group.GroupListener.Group;
import io.numaledger.bridge.group.GroupListener.Outcome;
import io.numaledger.bridge.group.GroupPlan;
import io.numaledger.bridge.group.GroupPlanner;
import io.numaledger.bridge.group.KeptNodes;
import io.numaledger.bridge.group.PlanningResult;
import io.numaledger.bridge.group.PodGroups;
import io.numaledger.bridge.objects.PodFacts;
import io.numaledger.bridge.objects.PodGroup;
import io.numaledger.bridge.objects.PodGroupName;
import io.numaledger.bridge.objects.PodGroupName.Kind;
import io.numaledger.bridge.state.ClusterState;
import io.numaledger.bridge.state.NodeNames;
import io.numaledger.bridge.state.NodeUse;
import io.numaledger.bridge.state.Reservation;

import java.time.Duration;
import java.util.Iterator;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.ConcurrentHashMap;
import java.util.function.BooleanSupplier;
import java.util.function.Consumer;
import java.util.function.LongSupplier;

/**
 * Groups that kube-scheduler itself plans: PodGroups of {@code scheduling.k8s.io} with a gang policy. Thread-safe.
 *
 * <p>kube-scheduler calls {@code filter} for one pod after the other and tells no extender where it has put those before. So the group is
 * planned whole with the call for its first pod, and every pod is answered with its planned node. kube-scheduler calls for the whole
 * group again for each topology domain, if it needs one: each domain has its own plan, until a bind shows which one was taken. No call
 * says that a group was given up: a plan ends when it is not used for some time. {@link Gang} has the states.
 *
 * <p>Before it evicts pods for a group, kube-scheduler calls as if all pods of lower priority were gone, and the request does not say so.
 * A group that does not fit by node-level requests is therefore judged without them. Such a plan reserves no nodes. If its pods are bound
 * all the same, it is checked once more as a whole.
 */
public final class Gangs {

    /** kube-scheduler calls for all pods of a group, and then binds them at once. */
    static final Duration PLAN_TIMEOUT = Duration.ofSeconds(5);

    /** How long a node that other plugins refused for a pod is not planned for it: some attempts of kube-scheduler. */
    static final Duration EXCLUSION_TIMEOUT = Duration.ofMinutes(1);

    /** How long the watch may need to show a group that kube-scheduler knows already. */
    private static final Duration WATCH_TIMEOUT = Duration.ofMillis(500);

    /** How long a pod is not bound because others are to be bound to its node before it. */
    private static final Duration BIND_ORDER_TIMEOUT = Duration.ofSeconds(3);

    /** How long a group could run before a retry is requested; mostly kube-scheduler tries it by itself. */
    static final Duration REQUEUE_AFTER = Duration.ofSeconds(1);

    private static final int MAX_STEPS = 3_000;

    private final ClusterState cluster;
    private final PodGroups groups;
    private final KeptNodes kept;
    private final GroupListener listener;
    private final LongSupplier nanos;
    private final Waiting waiting;
    private final Consumer<PodFacts> requeue;
    private final GangFilterCall.Shared shared;
    private final Map<PodGroupName, Gang> gangs = new ConcurrentHashMap<>();

    /** How many pods of a group were known when the others were awaited in vain. */
    private final Map<PodGroupName, Integer> awaitedWith = new ConcurrentHashMap<>();

    /** Waits for the cluster's state. */
    @FunctionalInterface
    public interface Waiting {

        /** Waits until a condition holds. Returns whether it does. */
        boolean await(BooleanSupplier condition, Duration timeout) throws InterruptedException;
    }

    /**
     * @param nanos a clock that does not jump
     * @param requeue asks kube-scheduler to retry a pod
     */
    public Gangs(
            ClusterState cluster,
            PodGroups groups,
            KeptNodes kept,
            GroupListener listener,
            LongSupplier nanos,
            Waiting waiting,
            Consumer<PodFacts> requeue) {
        this.cluster = cluster;
        this.kept = kept;
        this.groups = groups;
        this.listener = listener;
        this.nanos = nanos;
        this.waiting = waiting;
        this.requeue = requeue;
        this.shared = new GangFilterCall.Shared(cluster, new GroupPlanner(MAX_STEPS), kept, listener, nanos);
    }

    /** Knows no groups. */
    public static Gangs none(ClusterState cluster) {
        return new Gangs(
                cluster,
                new PodGroups(),
                new KeptNodes(cluster),
                new GroupListener() {},
                System::nanoTime,
                cluster.changes()::await,
                any -> {});
    }

    /** Whether a pod belongs to a group that kube-scheduler plans. Only the replica that binds can answer filter calls for it. */
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
    public Optional<GangAnswer> filter(PodFacts pod, NodeNames names, Optional<String> nominatedNode) {
        Optional<PodGroupName> name = name(pod);
        if (name.isEmpty()) {
            return Optional.empty();
        }
        awaitMembers(name.get(), pod);
        Optional<PodGroup> group = groups.get(name.get());
        if (group.isEmpty()) {
            return Optional.of(GangAnswer.INCOMPLETE);
        }
        Gang gang = gangs.computeIfAbsent(name.get(), any -> new Gang(kept));
        synchronized (gang) {
            gangs.putIfAbsent(name.get(), gang); // it may have been removed meanwhile, and its plans have to end
            Gang.Members members = gang.members(cluster, name.get(), pod);
            int needed = minMember(group.get()) - members.bound();
            if (needed <= 0) {
                return Optional.empty();
            }
            GangFilterCall.Args args = new GangFilterCall.Args(pod, names, nominatedNode);
            return Optional.of(
                    members.unbound().size() < needed
                            ? GangAnswer.INCOMPLETE
                            : new GangFilterCall(shared, group.get(), gang, members, needed, args).answer());
        }
    }

    /**
     * kube-scheduler tries a group when it has enough pods; the bridge's own watch may be a moment behind. Not again before that has shown
     * more of them: kube-scheduler tries no other pod meanwhile.
     */
    private void awaitMembers(PodGroupName name, PodFacts pod) {
        if (!isComplete(name, pod)
                && !Integer.valueOf(ready(name, pod)).equals(awaitedWith.get(name))
                && !await(() -> isComplete(name, pod), WATCH_TIMEOUT)) {
            awaitedWith.put(name, ready(name, pod));
        }
    }

    private boolean isComplete(PodGroupName name, PodFacts pod) {
        return groups.get(name)
                .filter(group -> ready(name, pod) >= group.minMember().orElse(0))
                .isPresent();
    }

    /** How many pods kube-scheduler has bound, or may try. */
    private int ready(PodGroupName name, PodFacts called) {
        long others = cluster.groupMembers(name).stream()
                .filter(member -> !member.isSameAs(called) && !Gang.isGated(member))
                .count();
        return (int) others + 1;
    }

    private boolean await(BooleanSupplier condition, Duration timeout) {
        try {
            return waiting.await(condition, timeout);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw new IllegalStateException(
                    "interrupted while a group is awaited; the scheduler will retry the pod", e);
        }
    }

    /**
     * Prepares the bind of a pod: gives up the plans of its group that were not taken, and waits until the pods before it are bound.
     *
     * @return why it must not be bound; empty: nothing is against it
     */
    public Optional<String> beforeBind(PodFacts pod, String node) {
        Optional<String> obstacle = gang(pod).flatMap(gang -> taken(gang, pod, node));
        if (obstacle.isEmpty()) {
            await(() -> !isBehindOthers(pod, node), BIND_ORDER_TIMEOUT);
        }
        return obstacle;
    }

    Optional<Gang> gang(PodFacts pod) {
        return name(pod).map(gangs::get);
    }

    private Optional<String> taken(Gang gang, PodFacts pod, String node) {
        synchronized (gang) {
            Optional<ActivePlan> plan = gang.plan(pod, node);
            plan.ifPresent(each -> bindCalled(gang, each));
            return plan.map(ActivePlan::state).flatMap(state -> switch (state) {
                case AWAITS_EVICTIONS ->
                    Optional.of("the pod's group does not fit yet: pods of lower priority have to end first");
                case DISPLACED -> Optional.of("the pod's group does not fit any more: other pods have taken its place");
                case OPEN, REFUSED, RESERVED, BINDING -> Optional.<String>empty();
            });
        }
    }

    private void bindCalled(Gang gang, ActivePlan plan) {
        plan.bindCalled(nanos.getAsLong());
        if (plan.state() == State.AWAITS_EVICTIONS) {
            if (confirm(plan)) {
                plan.reserved();
            } else {
                gang.bindRefused(nanos.getAsLong());
            }
        }
        if (plan.state() == State.RESERVED) {
            if (isDisplaced(plan)) {
                plan.displaced();
            } else {
                plan.binding();
                plan.plan().byNode().keySet().forEach(node -> cluster.reserved().planTaken(node, plan.number()));
            }
        }
        if (plan.state() == State.BINDING) {
            gang.removeAllBut(plan);
        }
    }

    /** A pod of higher priority may have been bound since the plan was made: then none of the group is. */
    private boolean isDisplaced(ActivePlan plan) {
        return !plan.plan().byNode().entrySet().stream()
                .allMatch(node -> cluster.use(node.getKey())
                        .flatMap(use -> use.without(any -> false).withAll(node.getValue()))
                        .isPresent());
    }

    /** Whether a group that was planned without pods of lower priority fits with them. */
    private boolean confirm(ActivePlan plan) {
        List<NodeUse> uses = plan.plan().byNode().keySet().stream()
                .map(cluster::use)
                .flatMap(Optional::stream)
                .toList();
        return uses.stream()
                        .allMatch(use -> use.now()
                                .withAll(plan.plan().on(use.node().name()))
                                .isPresent())
                && kept.keep(plan.number(), plan.plan(), uses);
    }

    /** Pods of other plans may be bound much later. */
    private boolean isBehindOthers(PodFacts pod, String node) {
        List<Reservation> planned = cluster.reserved().planned(node);
        return planned.stream()
                .filter(each -> each.pod().isSameAs(pod))
                .findFirst()
                .flatMap(own -> planned.stream()
                        .filter(each -> each.plan() == own.plan())
                        .findFirst())
                .filter(first -> !first.pod().isSameAs(pod))
                .isPresent();
    }

    /** A pod was bound. */
    public void bound(PodFacts pod) {
        gang(pod).ifPresent(gang -> {
            synchronized (gang) {
                gang.bound(pod);
            }
        });
    }

    /** A pod was not bound after all. */
    public void notBound(PodFacts pod, String node, String why) {
        name(pod).ifPresent(name -> {
            cluster.reserved().removePlanned(node, pod);
            listener.memberNotBound(new Group(name, groups.get(name), pod), node, why);
        });
    }

    /**
     * Asks kube-scheduler to retry groups that fit by now. It may receive an event before the cluster state does, and does not watch some
     * changes. Call it about once a second.
     */
    public void checkRefused() {
        gangs.forEach((name, gang) -> {
            synchronized (gang) {
                for (Gang.Attempt attempt : gang.attempts()) {
                    attempt.refusal()
                            .filter(refusal -> nanos.getAsLong() - refusal.at() >= REQUEUE_AFTER.toNanos()
                                    && refusal.version() < cluster.versions().last())
                            .ifPresent(refusal -> attempt.checked(check(name, gang, refusal)));
                }
            }
        });
    }

    /** Returns what has to be checked again. */
    private Optional<Gang.Refusal> check(PodGroupName name, Gang gang, Gang.Refusal refusal) {
        PodFacts pod = refusal.pod();
        Gang.Members members = gang.members(cluster, name, pod);
        Optional<PodGroup> group = groups.get(name);
        int needed = group.map(Gangs::minMember).orElse(0) - members.bound();
        boolean waits = cluster.pod(pod.key())
                .filter(shown -> shown.isSameAs(pod) && shown.node().isEmpty())
                .isPresent();
        if (!waits || needed <= 0) {
            return Optional.empty();
        }
        long version = cluster.versions().last();
        GangFilterCall.Args args = new GangFilterCall.Args(pod, refusal.names(), Optional.empty());
        try {
            if (new GangFilterCall(shared, group.orElseThrow(), gang, members, needed, args).fits()) {
                requeue.accept(pod);
                return Optional.empty();
            }
        } catch (IllegalArgumentException invalid) {
            return Optional.empty(); // the next filter call says so
        }
        return Optional.of(new Gang.Refusal(pod, refusal.names(), version, refusal.at()));
    }

    private static int minMember(PodGroup group) {
        return group.minMember().orElse(0);
    }

    /** Ends plans that were not used for some time. Call it about once a second. */
    public void expire() {
        awaitedWith.keySet().removeIf(name -> cluster.groupMembers(name).isEmpty());
        for (Iterator<Map.Entry<PodGroupName, Gang>> all = gangs.entrySet().iterator(); all.hasNext(); ) {
            Map.Entry<PodGroupName, Gang> next = all.next();
            Gang gang = next.getValue();
            synchronized (gang) {
                gang.removeExcludedBefore(nanos.getAsLong() - EXCLUSION_TIMEOUT.toNanos());
                for (ActivePlan plan : gang.plans()) {
                    if (nanos.getAsLong() - plan.usedAt() >= PLAN_TIMEOUT.toNanos()) {
                        gang.remove(plan);
                        expired(next.getKey(), gang, plan);
                    }
                }
                if (gang.plans().isEmpty()
                        && cluster.groupMembers(next.getKey()).isEmpty()) {
                    all.remove();
                }
            }
        }
    }

    private void expired(PodGroupName name, Gang gang, ActivePlan plan) {
        GroupPlan expired = plan.plan();
        if (plan.state() != State.AWAITS_EVICTIONS && !gang.allBound(expired)) {
            PodFacts first = expired.byNode().values().iterator().next().get(0);
            listener.planned(
                    new Group(name, groups.get(name), first),
                    Outcome.EXPIRED,
                    expired.size(),
                    new PlanningResult(Optional.of(expired), expired.size(), false));
        }
    }
}
