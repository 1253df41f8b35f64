package io.numaledger.bridge.run;

import io.fabric8.kubernetes.client.ConfigBuilder;
import io.fabric8.kubernetes.client.KubernetesClient;
import io.fabric8.kubernetes.client.KubernetesClientBuilder;
import io.numaledger.bridge.batch.BatchEvaluator;
import io.numaledger.bridge.evaluation.NodeClasses;
import io.numaledger.bridge.evaluation.SchedulingRequests;
import io.numaledger.bridge.extender.BindVerb;
import io.numaledger.bridge.extender.CandidateLimit;
import io.numaledger.bridge.extender.FilterVerb;
import io.numaledger.bridge.extender.PreemptVerb;
import io.numaledger.bridge.extender.PrioritizeVerb;
import io.numaledger.bridge.extender.ZoneRefusals;
import io.numaledger.bridge.gang.Gangs;
import io.numaledger.bridge.gated.GatedGroups;
import io.numaledger.bridge.group.GroupPreemption;
import io.numaledger.bridge.group.KeptNodes;
import io.numaledger.bridge.group.LostMembers;
import io.numaledger.bridge.group.PodGroups;
import io.numaledger.bridge.metrics.BridgeMetrics;
import io.numaledger.bridge.objects.PodFacts;
import io.numaledger.bridge.preemption.ZoneEviction;
import io.numaledger.bridge.queue.PendingPodQueue;
import io.numaledger.bridge.replica.InFlightPods;
import io.numaledger.bridge.replica.LeaderWrites;
import io.numaledger.bridge.replica.Leadership;
import io.numaledger.bridge.run.BridgeEndpoints.Endpoints;
import io.numaledger.bridge.run.BridgeEndpoints.Security;
import io.numaledger.bridge.scheduler.SchedulerCalls;
import io.numaledger.bridge.score.Ranking;
import io.numaledger.bridge.score.ScoringCriterion;
import io.numaledger.bridge.score.Strategy;
import io.numaledger.bridge.server.BridgeServer;
import io.numaledger.bridge.snapshot.SnapshotSettings;
import io.numaledger.bridge.state.ClusterState;
import io.numaledger.bridge.watch.ApiBinder;
import io.numaledger.bridge.watch.ApiEvictor;
import io.numaledger.bridge.watch.ApiGroupWriter;
import io.numaledger.bridge.watch.ClusterWatch;
import io.numaledger.bridge.watch.NamespaceWatch;
import io.numaledger.bridge.watch.PodEvents;
import io.numaledger.bridge.watch.PodRequeuer;
import io.numaledger.clock.SteadyClock;
import io.numaledger.fastpath.ResourceIndex;
import io.numaledger.task.SurvivingTask;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

import java.io.IOException;
import java.net.InetSocketAddress;
import java.time.Duration;
import java.time.InstantSource;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.Executor;
import java.util.concurrent.Executors;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.TimeUnit;
import java.util.function.Consumer;

/** A running bridge: builds all parts, and serves kube-scheduler and the bridge's own API. */
public final class Bridge implements AutoCloseable {

    private static final Logger log = LoggerFactory.getLogger(Bridge.class);

    /**
     * The configuration.
     *
     * @param candidates how many nodes {@code filter} answers
     * @param schedulers the names of the schedulers whose pods are bound
     * @param namespaceGpuLinks whether Namespaces have defaults for the links between GPUs
     */
    public record Settings(
            Endpoints endpoints,
            SnapshotSettings snapshots,
            List<ScoringCriterion> criteria,
            Strategy strategy,
            CandidateLimit candidates,
            Waiting waiting,
            Groups groups,
            Set<String> schedulers,
            boolean namespaceGpuLinks) {

        /** The cluster's own scheduler, and the one of the documentation. */
        public static final Set<String> SCHEDULERS = Set.of(PodFacts.DEFAULT_SCHEDULER, "numaledger");

        /** What {@code prioritize} compares if no flag says otherwise. */
        public static final List<ScoringCriterion> CRITERIA =
                List.of(ScoringCriterion.FewestZones, ScoringCriterion.LeastFragmentation, ScoringCriterion.Strategy);

        public static final Strategy STRATEGY = Strategy.LeastAllocated;

        /** Plain HTTP at this address, and the defaults of {@code bridge run}. */
        public static Settings plainHttp(InetSocketAddress listen) {
            Endpoints endpoints =
                    new Endpoints(listen, Optional.empty(), Optional.empty(), BridgeServer.Limits.DEFAULT);
            return new Settings(
                    endpoints,
                    SnapshotSettings.DEFAULT,
                    CRITERIA,
                    STRATEGY,
                    CandidateLimit.DEFAULT,
                    Waiting.DEFAULT,
                    Groups.OFF,
                    SCHEDULERS,
                    false);
        }

        /** The same with another strategy. */
        public Settings withStrategy(Strategy other) {
            return new Settings(
                    endpoints, snapshots, criteria, other, candidates, waiting, groups, schedulers, namespaceGpuLinks);
        }

        /** The same with another number of nodes that {@code filter} answers. */
        public Settings withCandidates(CandidateLimit other) {
            return new Settings(
                    endpoints, snapshots, criteria, strategy, other, waiting, groups, schedulers, namespaceGpuLinks);
        }

        /** The same with other rules for waiting pods. */
        public Settings withWaiting(Waiting other) {
            return new Settings(
                    endpoints, snapshots, criteria, strategy, candidates, other, groups, schedulers, namespaceGpuLinks);
        }

        /** The same with groups. */
        public Settings withGroups(Groups other) {
            return new Settings(
                    endpoints,
                    snapshots,
                    criteria,
                    strategy,
                    candidates,
                    waiting,
                    other,
                    schedulers,
                    namespaceGpuLinks);
        }

        /** The same with other rules for snapshots. */
        public Settings withSnapshots(SnapshotSettings other) {
            return new Settings(
                    endpoints, other, criteria, strategy, candidates, waiting, groups, schedulers, namespaceGpuLinks);
        }
    }

    /** What is done for groups of pods. */
    public enum Groups {
        OFF,
        /** Their pods run together or not at all. */
        PLANNED,
        /** The same, and pods of lower priority are evicted for gated groups. */
        PREEMPTING
    }

    /**
     * What happens for pods that every node refused.
     *
     * @param holdAfter how long a pod must be pending before nodes are reserved for it; zero: they never are
     * @param zoneRefusals whether the schedulers can preempt for zones
     * @param evictForZones whether less important pods are evicted for pods that wait for zones
     */
    public record Waiting(Duration holdAfter, ZoneRefusals zoneRefusals, boolean evictForZones) {

        public static final Waiting DEFAULT = new Waiting(Duration.ofSeconds(2), ZoneRefusals.unresolvable, false);

        /** The same with another time after which nodes are reserved. */
        public Waiting withHoldAfter(Duration after) {
            return new Waiting(after, zoneRefusals, evictForZones);
        }

        /** The same for schedulers that can, or cannot, preempt for zones. */
        public Waiting withZoneRefusals(ZoneRefusals refusals) {
            return new Waiting(holdAfter, refusals, evictForZones);
        }

        /** The same that evicts pods for zones. */
        public Waiting evictingForZones() {
            return new Waiting(holdAfter, zoneRefusals, true);
        }
    }

    private final ClusterState cluster;
    private final ClusterWatch watch;
    private final Optional<NamespaceWatch> namespaces;
    private final WarmUp warmUp;
    private final CompletableFuture<Void> sync = new CompletableFuture<>();
    private volatile boolean ready;
    private volatile boolean leaving;

    /** Repeats no request: kube-scheduler repeats failed binds. */
    private final KubernetesClient bindClient;

    private final BridgeEndpoints endpoints;
    private final Consumer<String> taskFailed;
    private final Consumer<PodFacts> restore;
    private final Optional<Leadership> leadership;
    private final ScheduledExecutorService writer = Executors.newSingleThreadScheduledExecutor(task -> {
        Thread thread = new Thread(task, "bridge-writer");
        thread.setDaemon(true);
        return thread;
    });

    private final ScheduledExecutorService planner = Executors.newSingleThreadScheduledExecutor(task -> {
        Thread thread = new Thread(task, "bridge-planner");
        thread.setDaemon(true);
        return thread;
    });

    private final ScheduledExecutorService evictor = Executors.newSingleThreadScheduledExecutor(task -> {
        Thread thread = new Thread(task, "bridge-evictor");
        thread.setDaemon(true);
        return thread;
    });

    public Bridge(Settings settings, KubernetesClient client) throws IOException {
        BridgeMetrics metrics = new BridgeMetrics();
        this.taskFailed = metrics::taskFailed;
        Executor writes = write -> writer.execute(surviving("write", write));
        PodEvents events = new PodEvents(client, writes, InstantSource.system());
        SteadyClock steady = new SteadyClock();
        SchedulerCalls calls = new SchedulerCalls(settings.schedulers(), steady);
        DecisionReporter reporter = new DecisionReporter(metrics, events, calls);
        ResourceIndex index = new ResourceIndex();
        this.cluster = new ClusterState(settings.snapshots(), new NodeClasses(index), reporter, steady);
        this.namespaces = settings.namespaceGpuLinks()
                ? Optional.of(new NamespaceWatch(client, cluster.linkDefaults()))
                : Optional.empty();
        this.warmUp = new WarmUp(cluster, index, settings, System::nanoTime);
        BatchEvaluator evaluator = new BatchEvaluator(
                cluster, new SchedulingRequests(index), new Ranking(settings.criteria(), settings.strategy()));
        PodRequeuer requeuer = new PodRequeuer(client, writes, InstantSource.system());
        Consumer<PodFacts> requeue = pod -> {
            metrics.requeued();
            requeuer.requeue(pod);
        };
        PendingPodQueue queue =
                new PendingPodQueue(cluster, evaluator, settings.waiting().holdAfter(), System::nanoTime, requeue);
        LinkReporter links = new LinkReporter(cluster, metrics, events);
        PodGroups groups = new PodGroups(cluster.changes()::changed, events::forget);
        KeptNodes kept = new KeptNodes(cluster);
        LostMembers lost = new LostMembers(cluster, groups, kept, settings.groups() != Groups.OFF, steady);
        Gangs gangs = new Gangs(cluster, groups, kept, reporter, System::nanoTime, cluster.changes()::await, requeue);
        this.watch = new ClusterWatch(
                client,
                cluster,
                steady,
                settings.groups() == Groups.OFF ? Optional.empty() : Optional.of(groups),
                pod -> {
                    reporter.podChanged(pod);
                    lost.changed(pod);
                    if (leads()) {
                        cluster.pod(pod.key()).ifPresent(links::podChanged);
                    }
                    pod.node().ifPresent(node -> queue.remove(pod));
                },
                pod -> {
                    reporter.podDeleted(pod);
                    lost.deleted(pod);
                    links.podDeleted(pod);
                    queue.remove(pod);
                });
        this.restore = pod -> {
            if (pod.refusedForZones() && settings.schedulers().contains(pod.scheduler())) {
                queue.restore(pod);
            }
        };
        metrics.register(cluster, evaluator.counters(), queue);
        calls.names().forEach(name -> metrics.lastFilterCall(name, () -> calls.lastFilter(name)));
        ModelReporter models = new ModelReporter(metrics, InstantSource.system());
        CpuConflictReporter conflicts = new CpuConflictReporter(events);
        this.bindClient = new KubernetesClientBuilder()
                .withConfig(new ConfigBuilder(client.getConfiguration())
                        .withRequestTimeout((int) Leadership.LONGEST_WRITE.toMillis())
                        .withRequestRetryBackoffLimit(0)
                        .build())
                .build();
        LeaderWrites leaderWrites = new LeaderWrites(this::mayWrite);
        BindVerb bind = new BindVerb(
                cluster,
                gangs,
                leaderWrites.binder(new ApiBinder(bindClient)),
                reporter,
                System::nanoTime,
                settings.schedulers());
        List.of(
                        surviving("expire", cluster::expire),
                        surviving("gang-expire", gangs::expire),
                        surviving("gang-retry", gangs::checkRefused),
                        surviving("lost-members", lost::check),
                        surviving("bind-look-up", bind::lookUp),
                        surviving("pending-pods", queue::checkPending),
                        surviving("models", () -> report(models)))
                .forEach(task -> every(1, TimeUnit.SECONDS, writer, task));
        InFlightPods inFlight = new InFlightPods(client, cluster);
        Leadership.CatchUp catchUp = () -> {
            inFlight.await();
            restorePending();
        };
        this.leadership = settings.endpoints()
                .security()
                .flatMap(Security::replicas)
                .map(replica ->
                        new Leadership(bindClient, replica.lease(), replica.name(), replica.address(), catchUp));
        metrics.replica(() -> ready && !leaving, this::leads);
        this.endpoints = new BridgeEndpoints(
                settings.endpoints(),
                client,
                new BridgeEndpoints.Verbs(
                        new FilterVerb(
                                cluster,
                                evaluator,
                                queue,
                                gangs,
                                reporter,
                                settings.waiting().zoneRefusals(),
                                settings.candidates())::decode,
                        new PrioritizeVerb(cluster, evaluator),
                        new PreemptVerb(cluster, watch::disruptionBudgets, reporter, System::nanoTime),
                        bind,
                        settings.groups() != Groups.OFF),
                cluster,
                calls,
                metrics,
                new BridgeEndpoints.Readiness(() -> ready, () -> ready && !leaving),
                leadership);
        every(10, TimeUnit.SECONDS, writer, surviving("pod-models", () -> reportPods(models)));
        every(10, TimeUnit.SECONDS, writer, surviving("cpu-conflicts", () -> report(conflicts)));
        every(10, TimeUnit.SECONDS, writer, surviving("schedulers", () -> report(metrics, calls)));
        every(1, TimeUnit.MINUTES, writer, surviving("certificates", endpoints::refresh));
        if (settings.waiting().evictForZones()) {
            ZoneEviction eviction = new ZoneEviction(
                    cluster, watch::disruptionBudgets, leaderWrites.evictor(new ApiEvictor(client)), steady);
            every(1, TimeUnit.SECONDS, evictor, surviving("zone-eviction", () -> evict(eviction, queue)));
        }
        if (settings.groups() != Groups.OFF) {
            Optional<GroupPreemption> preemption = settings.groups() == Groups.PREEMPTING
                    ? Optional.of(new GroupPreemption(cluster, watch::disruptionBudgets))
                    : Optional.empty();
            GatedGroups gated = new GatedGroups(
                    cluster,
                    groups,
                    kept,
                    leaderWrites.groups(new ApiGroupWriter(client)),
                    reporter,
                    steady,
                    GatedGroups.Settings.of(settings.schedulers()),
                    preemption);
            every(1, TimeUnit.SECONDS, planner, surviving("groups", () -> plan(gated)));
        }
        every(1, TimeUnit.MINUTES, writer, surviving("watch-refresh", watch::refresh));
    }

    private SurvivingTask surviving(String name, Runnable task) {
        return new SurvivingTask(name, task, taskFailed);
    }

    private static void every(int time, TimeUnit unit, ScheduledExecutorService thread, SurvivingTask task) {
        var unused = thread.scheduleWithFixedDelay(task, time, time, unit);
    }

    private void plan(GatedGroups gated) {
        if (leads()) {
            gated.check();
        } else {
            gated.stop();
        }
    }

    /** The process that led before this one may have refused pods. */
    private void restorePending() {
        cluster.unboundPods().forEach(restore);
    }

    private void report(ModelReporter models) {
        if (ready) {
            models.report(cluster.models());
        }
    }

    private void reportPods(ModelReporter models) {
        if (ready) {
            models.reportPods(cluster);
            models.reportSlowKubelets(cluster.models());
        }
    }

    private void report(CpuConflictReporter conflicts) {
        if (leads()) {
            conflicts.report(cluster);
        }
    }

    private void report(BridgeMetrics metrics, SchedulerCalls calls) {
        if (ready) {
            metrics.unaskedPods(calls.findings(cluster));
        }
    }

    private boolean leads() {
        return ready && leadership.map(Leadership::leads).orElse(true);
    }

    private boolean mayWrite() {
        return leadership.map(Leadership::mayWrite).orElse(true);
    }

    private void evict(ZoneEviction eviction, PendingPodQueue queue) {
        if (leads()) {
            eviction.check(queue.waiting());
        }
    }

    /** Starts to serve, and to read the cluster. */
    public void start() {
        endpoints.start();
        long begun = System.nanoTime();
        log.info("event=bridge.started address={}", endpoints.address());
        CompletableFuture<Void> defaults =
                namespaces.map(NamespaceWatch::start).orElse(CompletableFuture.completedFuture(null));
        var unused = defaults.thenCompose(known -> watch.start())
                .thenApplyAsync(done -> prepare())
                .whenComplete((nodes, failure) -> {
                    if (failure != null) {
                        sync.completeExceptionally(failure);
                        return;
                    }
                    ready = true;
                    if (leadership.isEmpty()) {
                        restorePending();
                    }
                    leadership.ifPresent(Leadership::start);
                    sync.complete(null);
                    log.info(
                            "event=bridge.ready nodes={} pods={} took_ms={}",
                            nodes,
                            cluster.podCount(),
                            (System.nanoTime() - begun) / 1_000_000);
                });
    }

    /** Returns the number of nodes. */
    private long prepare() {
        long nodes = cluster.warmUp();
        warmUp.run();
        return nodes;
    }

    /** Completes when the cluster is known; fails if it cannot be read, and then the bridge will never be ready. */
    public CompletableFuture<Void> sync() {
        return sync;
    }

    public boolean isReady() {
        return ready;
    }

    public InetSocketAddress address() {
        return endpoints.address();
    }

    public ClusterState cluster() {
        return cluster;
    }

    /** Lets another replica lead, passes binds on to it, and is no longer ready for new callers. */
    public void leave() {
        leaving = true;
        leadership.ifPresent(Leadership::close);
    }

    @Override
    public void close() {
        leave();
        endpoints.close();
        watch.close();
        namespaces.ifPresent(NamespaceWatch::close);
        writer.shutdownNow();
        evictor.shutdownNow();
        planner.shutdownNow();
        bindClient.close();
    }
}
