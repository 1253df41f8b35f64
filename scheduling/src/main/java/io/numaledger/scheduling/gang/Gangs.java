package io.numaledger.scheduling.gang;

import io.numaledger.evaluation.facts.PodFacts;
import io.numaledger.evaluation.facts.PodGroup;
import io.numaledger.evaluation.facts.PodGroupName;
import io.numaledger.evaluation.facts.PodGroupName.Kind;
import io.numaledger.scheduling.gang.Gang.State;
import io.numaledger.scheduling.group.GroupListener;
import io.numaledger.scheduling.group.GroupListener.Group;
import io.numaledger.scheduling.group.GroupListener.Outcome;
import io.numaledger.scheduling.group.GroupPlan;
import io.numaledger.scheduling.group.GroupPlanner;
import io.numaledger.scheduling.group.PlanReservations;
import io.numaledger.scheduling.group.PlanningResult;
import io.numaledger.scheduling.group.PodGroups;
import io.numaledger.scheduling.state.ClusterState;
import io.numaledger.scheduling.state.NodeNames;

import java.time.Duration;
import java.util.Iterator;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.ConcurrentHashMap;
import java.util.function.BooleanSupplier;
import java.util.function.Consumer;
import java.util.function.Function;
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

    private static final int MAX_STEPS = 3_000;

    private final ClusterState cluster;
    private final PodGroups groups;
    private final PlanReservations reservations;
    private final GroupListener listener;
    private final LongSupplier nanos;
    private final GangFilterCall.Shared shared;
    private final LateMembers late;
    private final GangBinds binds;
    private final GangRetries retries;
    private final Map<PodGroupName, Gang> gangs = new ConcurrentHashMap<>();

    /** Waits for the cluster's state. */
    @FunctionalInterface
    public interface Waiting {

        /** Waits until a condition holds. Returns whether it does. */
        boolean await(BooleanSupplier condition, Duration timeout) throws InterruptedException;

        /** Waits as {@link #await} does, for a call of a scheduler, which fails if its thread is interrupted. */
        default boolean uninterrupted(BooleanSupplier condition, Duration timeout) {
            try {
                return await(condition, timeout);
            } catch (InterruptedException e) {
                Thread.currentThread().interrupt();
                throw new IllegalStateException(
                        "interrupted while a group is awaited; the scheduler will retry the pod", e);
            }
        }
    }

    /**
     * @param nanos a clock that does not jump
     * @param requeue asks kube-scheduler to retry a pod
     */
    public Gangs(
            ClusterState cluster,
            PodGroups groups,
            PlanReservations reservations,
            GroupListener listener,
            LongSupplier nanos,
            Waiting waiting,
            Consumer<PodFacts> requeue) {
        this.cluster = cluster;
        this.reservations = reservations;
        this.groups = groups;
        this.listener = listener;
        this.nanos = nanos;
        this.shared = new GangFilterCall.Shared(
                cluster, new GroupPlanner(cluster.claims(), MAX_STEPS), reservations, listener, nanos);
        this.late = new LateMembers(cluster, groups, waiting);
        this.binds = new GangBinds(cluster, reservations, nanos, waiting);
        this.retries = new GangRetries(shared, groups, requeue);
    }

    /** Knows no groups. */
    public static Gangs none(ClusterState cluster) {
        return new Gangs(
                cluster,
                new PodGroups(),
                new PlanReservations(cluster),
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
        late.await(name.get(), pod);
        Optional<PodGroup> group = groups.get(name.get());
        if (group.isEmpty()) {
            return Optional.of(GangAnswer.INCOMPLETE);
        }
        return locked(name.get(), gang -> {
            Gang.Members members = gang.members(cluster, name.get(), pod);
            int needed = members.needed(group.get());
            if (needed <= 0) {
                return Optional.empty();
            }
            GangFilterCall.Args args = new GangFilterCall.Args(pod, names, nominatedNode);
            return Optional.of(
                    members.unbound().size() < needed
                            ? GangAnswer.INCOMPLETE
                            : new GangFilterCall(shared, group.get(), gang, members, args).answer());
        });
    }

    /** Under the lock of a gang that is known: plans of one that has been removed meanwhile would never end. */
    private <T> T locked(PodGroupName name, Function<Gang, T> call) {
        while (true) {
            Gang gang = gangs.computeIfAbsent(name, any -> new Gang(reservations));
            synchronized (gang) {
                if (gangs.get(name) == gang) {
                    return call.apply(gang);
                }
            }
        }
    }

    /**
     * Prepares the bind of a pod: gives up the plans of its group that were not taken, and waits until the pods before it are bound.
     *
     * @return why it must not be bound; empty: nothing is against it
     */
    public Optional<String> beforeBind(PodFacts pod, String node) {
        Optional<String> obstacle = gang(pod).flatMap(gang -> binds.obstacle(gang, pod, node));
        if (obstacle.isEmpty()) {
            binds.awaitOrder(pod, node);
        }
        return obstacle;
    }

    Optional<Gang> gang(PodFacts pod) {
        return name(pod).map(gangs::get);
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
     * Requests a retry of refused gangs that fit by now. kube-scheduler may receive an event before the cluster state does, and does not
     * watch some changes. Call it about once a second.
     */
    public void checkRefused() {
        gangs.forEach((name, gang) -> {
            synchronized (gang) {
                retries.check(name, gang);
            }
        });
    }

    /** Ends plans that were not used for some time. Call it about once a second. */
    public void expire() {
        late.expire();
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
                        && cluster.pods().ofGroup(next.getKey()).isEmpty()) {
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
