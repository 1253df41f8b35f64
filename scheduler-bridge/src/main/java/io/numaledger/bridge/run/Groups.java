package io.numaledger.bridge.run;

import io.numaledger.bridge.run.Workers.Worker;
import io.numaledger.evaluation.facts.PodFacts;
import io.numaledger.evaluation.facts.PodGroup;
import io.numaledger.scheduling.gang.Gangs;
import io.numaledger.scheduling.gated.GatedGroups;
import io.numaledger.scheduling.group.GroupListener;
import io.numaledger.scheduling.group.GroupPreemption;
import io.numaledger.scheduling.group.LostMembers;
import io.numaledger.scheduling.group.PlanReservations;
import io.numaledger.scheduling.group.PodGroups;
import io.numaledger.scheduling.preemption.DisruptionBudgets;
import io.numaledger.scheduling.state.ClusterState;
import picocli.CommandLine.Option;

import java.time.Duration;
import java.time.InstantSource;
import java.util.Optional;
import java.util.Set;
import java.util.function.Consumer;
import java.util.function.Supplier;

/** Groups of pods: kube-scheduler's own, and gated ones, which the bridge itself places. */
final class Groups {

    static final class Options {

        @Option(
                names = "--groups",
                description =
                        "plan the pods of a group together: they run all, or at least as many as the group needs, or not at all")
        private boolean planned;

        @Option(
                names = "--preempt-for-groups",
                description =
                        "evict pods of lower priority for a gated group that does not fit; respects disruption budgets; with --groups")
        private boolean preempting;

        void check() {
            if (preempting && !planned) {
                throw new IllegalArgumentException(
                        "--preempt-for-groups needs --groups: without it, the bridge plans no groups");
            }
        }
    }

    private final Options options;
    private final ClusterState cluster;
    private final GroupListener listener;
    private final InstantSource clock;
    private final PodGroups known;
    private final PlanReservations reservations;
    private final LostMembers lost;
    private final Gangs gangs;

    /**
     * @param clock of the cluster state
     * @param removed gets the PodGroups that are deleted
     * @param requeue asks a pod's scheduler to retry it
     */
    Groups(
            Options options,
            ClusterState cluster,
            GroupListener listener,
            InstantSource clock,
            Consumer<PodGroup> removed,
            Consumer<PodFacts> requeue) {
        this.options = options;
        this.cluster = cluster;
        this.listener = listener;
        this.clock = clock;
        this.known = new PodGroups(cluster.changes()::changed, removed);
        this.reservations = new PlanReservations(cluster);
        this.lost = new LostMembers(cluster, known, reservations, arePlanned(), clock);
        this.gangs =
                new Gangs(cluster, known, reservations, listener, System::nanoTime, cluster.changes()::await, requeue);
    }

    boolean arePlanned() {
        return options.planned;
    }

    Gangs gangs() {
        return gangs;
    }

    /** What the watch fills; absent: it needs no PodGroups. */
    Optional<PodGroups> watched() {
        return arePlanned() ? Optional.of(known) : Optional.empty();
    }

    void podChanged(PodFacts pod) {
        lost.changed(pod);
    }

    void podDeleted(PodFacts pod) {
        lost.deleted(pod);
    }

    void start(Workers workers, Replicas replicas, Supplier<DisruptionBudgets> budgets, Set<String> schedulers) {
        Duration second = Duration.ofSeconds(1);
        workers.every(second, Worker.GANGS, "gang-expire", gangs::expire);
        workers.every(second, Worker.GANGS, "gang-retry", gangs::checkRefused);
        workers.every(second, Worker.CLOCK, "lost-members", lost::check);
        if (arePlanned()) {
            GatedGroups gated = new GatedGroups(
                    cluster,
                    known,
                    reservations,
                    replicas.groupWriter(),
                    listener,
                    clock,
                    GatedGroups.Settings.of(schedulers),
                    options.preempting ? Optional.of(new GroupPreemption(cluster, budgets)) : Optional.empty());
            workers.every(second, Worker.PLANNER, "groups", () -> {
                if (replicas.leads()) {
                    gated.check();
                } else {
                    gated.stop();
                }
            });
        }
    }
}
