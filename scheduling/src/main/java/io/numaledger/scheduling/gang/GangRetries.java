package io.numaledger.scheduling.gang;

import io.numaledger.evaluation.facts.PodFacts;
import io.numaledger.evaluation.facts.PodGroup;
import io.numaledger.evaluation.facts.PodGroupName;
import io.numaledger.scheduling.group.PodGroups;
import io.numaledger.scheduling.state.ClusterState;

import java.time.Duration;
import java.util.Optional;
import java.util.function.Consumer;

/** Requests a retry of refused gangs that fit by now. */
final class GangRetries {

    /** How long a group could run before a retry is requested; mostly kube-scheduler tries it by itself. */
    static final Duration REQUEUE_AFTER = Duration.ofSeconds(1);

    private final GangFilterCall.Shared shared;
    private final ClusterState cluster;
    private final PodGroups groups;
    private final Consumer<PodFacts> requeue;

    GangRetries(GangFilterCall.Shared shared, PodGroups groups, Consumer<PodFacts> requeue) {
        this.shared = shared;
        this.cluster = shared.cluster();
        this.groups = groups;
        this.requeue = requeue;
    }

    /** Checks the refused attempts of a gang whose lock is held, if nodes have changed since. */
    void check(PodGroupName name, Gang gang) {
        long now = shared.nanos().getAsLong();
        for (Attempt attempt : gang.attempts()) {
            attempt.toRetry(now)
                    .filter(refusal -> now - refusal.at() >= REQUEUE_AFTER.toNanos()
                            && refusal.version() < cluster.versions().last())
                    .ifPresent(
                            refusal -> attempt.checked(check(name, gang, refusal, () -> attempt.retryRequested(now))));
        }
    }

    /** Returns what has to be checked again. */
    private Optional<Attempt.Refusal> check(PodGroupName name, Gang gang, Attempt.Refusal refusal, Runnable requested) {
        PodFacts pod = refusal.pod();
        Gang.Members members = gang.members(cluster, name, pod);
        Optional<PodGroup> group = groups.get(name);
        boolean waits = cluster.pods()
                .get(pod.key())
                .filter(shown -> shown.isSameAs(pod) && shown.node().isEmpty())
                .isPresent();
        if (!waits || group.isEmpty() || members.needed(group.get()) <= 0) {
            return Optional.empty();
        }
        long version = cluster.versions().last();
        GangFilterCall.Args args = new GangFilterCall.Args(pod, refusal.names(), Optional.empty());
        try {
            GangPlanner planner = new GangPlanner(shared, group.get(), gang, members, args);
            if (planner.plan(planner.basis()).plan().isPresent()) {
                requeue.accept(pod);
                requested.run();
                return Optional.of(refusal);
            }
        } catch (IllegalArgumentException invalid) {
            return Optional.empty(); // the next filter call says so
        }
        return Optional.of(new Attempt.Refusal(pod, refusal.names(), version, refusal.at()));
    }
}
