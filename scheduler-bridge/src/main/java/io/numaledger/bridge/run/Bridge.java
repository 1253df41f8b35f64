package io.numaledger.bridge.run;

import io.fabric8.kubernetes.client.KubernetesClient;
import io.numaledger.bridge.certificate.CertificateRenewal;
import io.numaledger.bridge.extender.BindVerb;
import io.numaledger.bridge.extender.PreemptVerb;
import io.numaledger.bridge.extender.PrioritizeVerb;
import io.numaledger.bridge.metrics.BridgeMetrics;
import io.numaledger.bridge.metrics.WriteMetrics.Kind;
import io.numaledger.bridge.metrics.WriteMetrics.Reason;
import io.numaledger.bridge.run.Workers.Worker;
import io.numaledger.bridge.watch.ApiPods;
import io.numaledger.bridge.watch.ClusterReader;
import io.numaledger.bridge.watch.ClusterWatch;
import io.numaledger.bridge.watch.NamespaceWatch;
import io.numaledger.bridge.watch.PodEvents;
import io.numaledger.bridge.watch.PodRequeuer;
import io.numaledger.bridge.watch.SchedulerLeaseReader;
import io.numaledger.bridge.watch.WriteQueue;
import io.numaledger.cli.ProgramVersion;
import io.numaledger.clock.SteadyClock;
import io.numaledger.evaluation.facts.PodFacts;
import io.numaledger.evaluation.fit.NodeClasses;
import io.numaledger.evaluation.snapshot.NodeSnapshot;
import io.numaledger.fastpath.ResourceIndex;
import io.numaledger.scheduling.audit.PredictionAudit;
import io.numaledger.scheduling.batch.BatchEvaluator;
import io.numaledger.scheduling.queue.Requeuer;
import io.numaledger.scheduling.scheduler.SchedulerCalls;
import io.numaledger.scheduling.state.ClusterState;
import io.numaledger.scheduling.state.SnapshotRefresh;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

import java.io.IOException;
import java.net.InetSocketAddress;
import java.time.Duration;
import java.time.InstantSource;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;

/** A running bridge: builds all parts, and serves kube-scheduler and the bridge's own API. */
public final class Bridge implements AutoCloseable {

    private static final Logger log = LoggerFactory.getLogger(Bridge.class);

    /** Much less than between two calls of a scheduler that binds a hundred pods a second. */
    private static final Duration REFRESH_PAUSE = Duration.ofMillis(5);

    /** The most requeues that wait: as many as pods that wait for zones. */
    private static final int MOST_REQUEUES = 1_000;

    /** Longest request of events and requests for retries. */
    private static final Duration WRITE_TIMEOUT = Duration.ofSeconds(5);

    private final Readiness readiness = new Readiness();
    private final Workers workers;
    private final WriteQueue eventWrites;
    private final WriteQueue requeueWrites;
    private final DecisionReporter decisions;
    private final ClusterState cluster;
    private final PendingPods pending;
    private final Groups groups;
    private final Replicas replicas;
    private final Reporting reporting;
    private final Stranded stranded;
    private final KeptClaims keptClaims;
    private final ClusterWatch watch;
    private final Optional<NamespaceWatch> namespaces;
    private final BindVerb bind;
    private final BridgeEndpoints endpoints;
    private final SchedulerLeaseReader schedulerLeases;
    private final WarmUp warmUp;
    private final BridgeOptions options;
    private final SteadyClock clock = new SteadyClock();
    private final CompletableFuture<Void> sync = new CompletableFuture<>();

    /** A bridge with certificates that somebody else issues. */
    public Bridge(BridgeOptions options, KubernetesClient client) throws IOException {
        this(options, CertificateRenewal.none(), client);
    }

    /** @throws IOException if certificates cannot be read or an address cannot be bound */
    Bridge(BridgeOptions options, CertificateRenewal certificates, KubernetesClient client) throws IOException {
        this.options = options;
        Optional<Security> security = options.security.read(certificates, options.replicas.elect());
        BridgeMetrics metrics = new BridgeMetrics();
        this.workers = new Workers(metrics::taskRuns, metrics::taskFailed);
        this.eventWrites = writes(Kind.EVENTS, PodEvents.MOST_WAITING, metrics);
        this.requeueWrites = writes(Kind.REQUEUES, MOST_REQUEUES, metrics);
        KubernetesClient once = ClusterReader.withoutRetries(client, WRITE_TIMEOUT);
        PodEvents events = new PodEvents(
                once, eventWrites, metrics.writes().dropped(Kind.EVENTS, Reason.NOT_WRITTEN), InstantSource.system());
        SchedulerCalls calls = new SchedulerCalls(options.extender.schedulers(), clock);
        this.schedulerLeases = new SchedulerLeaseReader(once, calls.names(), calls::read);
        PredictionAudit audit = new PredictionAudit(InstantSource.system(), this::snapshot);
        this.decisions = new DecisionReporter(metrics, events, calls, audit);
        ResourceIndex index = new ResourceIndex();
        this.cluster = new ClusterState(options.snapshots.settings(), new NodeClasses(index), decisions, clock);
        this.warmUp = new WarmUp(cluster, index, options, System::nanoTime);
        BatchEvaluator evaluator = options.extender.evaluator(cluster, index);
        PodRequeuer requeuer = new PodRequeuer(
                once,
                requeueWrites,
                metrics.writes().dropped(Kind.REQUEUES, Reason.NOT_WRITTEN),
                InstantSource.system(),
                this::requestFailed);
        Requeuer counted = (pod, node) -> {
            metrics.decisions().requeued();
            requeuer.requeue(pod, node);
        };
        this.pending = new PendingPods(options.pending, cluster, evaluator, calls.names(), counted);
        this.groups = new Groups(
                options.groups,
                cluster,
                decisions,
                clock,
                events::forget,
                pod -> counted.requeue(pod, Optional.empty()));
        this.replicas = new Replicas(options.replicas, client, cluster, readiness, pending::restore);
        this.reporting = new Reporting(cluster, metrics, events, calls, options.reporting.pools());
        this.keptClaims = new KeptClaims(
                cluster,
                evaluator,
                events,
                metrics.claims(),
                options.pending.givesBackClaims() ? Optional.of(replicas.claimWriter()) : Optional.empty(),
                clock);
        KubernetesClient lists = ClusterReader.forLists(client);
        this.watch = new ClusterWatch(lists, cluster, clock, groups.watched(), this::podChanged, this::podDeleted);
        this.stranded = new Stranded(
                options.stranded,
                cluster,
                options.reporting.pools(),
                metrics.stranded(),
                new ApiPods(once)::read,
                watch::disruptionBudgets);
        this.namespaces = options.snapshots.namespaceDefaults()
                ? Optional.of(new NamespaceWatch(lists, cluster.namespaceDefaults()))
                : Optional.empty();
        metrics.register(cluster, evaluator.counters(), pending.queue());
        metrics.replica(readiness::callers, replicas::leads);
        this.bind =
                new BindVerb(cluster, groups.gangs(), replicas.binder(), decisions, System::nanoTime, calls.names());
        this.endpoints = new BridgeEndpoints(
                options.endpoints,
                security,
                client,
                new BridgeEndpoints.Verbs(
                        options.extender.filter(cluster, evaluator, pending.queue(), groups.gangs(), decisions)::decode,
                        new PrioritizeVerb(cluster, evaluator),
                        new PreemptVerb(cluster, pending.queue()::isToBeNominated, watch::disruptionBudgets, decisions),
                        bind,
                        pending.queue(),
                        groups.arePlanned()),
                cluster,
                stranded,
                calls,
                audit,
                metrics,
                readiness,
                replicas.leadership());
    }

    private static WriteQueue writes(Kind kind, int most, BridgeMetrics metrics) {
        Runnable dropped = metrics.writes().dropped(kind, Reason.QUEUE_FULL);
        WriteQueue queue = new WriteQueue(kind.text(), most, dropped, metrics::taskFailed);
        metrics.writes().queue(kind, queue::waiting);
        return queue;
    }

    private Optional<NodeSnapshot> snapshot(String node) {
        return cluster.snapshot(node);
    }

    private void podChanged(PodFacts pod) {
        decisions.podChanged(pod);
        groups.podChanged(pod);
        if (replicas.leads()) {
            reporting.podChanged(pod);
        }
        pending.podChanged(pod);
    }

    private void requestFailed(PodFacts pod, Optional<String> node) {
        pending.queue().requestFailed(pod, node);
    }

    private void podDeleted(PodFacts pod) {
        decisions.podDeleted(pod);
        groups.podDeleted(pod);
        reporting.podDeleted(pod);
        pending.podDeleted(pod);
    }

    /** Starts to serve, and to read the cluster. */
    public void start() {
        endpoints.start();
        long begun = System.nanoTime();
        ProgramVersion build = new ProgramVersion();
        log.info(
                "event=bridge.started version={} commit={} address={}",
                build.version(),
                build.commit(),
                endpoints.address());
        startWorkers();
        var unused = namespaces
                .map(NamespaceWatch::start)
                .orElse(CompletableFuture.completedFuture(null))
                .thenComposeAsync(known -> watch.start())
                .thenApplyAsync(done -> prepare())
                .whenComplete((nodes, failure) -> {
                    if (failure != null) {
                        sync.completeExceptionally(failure);
                        return;
                    }
                    readiness.ready();
                    replicas.start();
                    workers.every(REFRESH_PAUSE, Worker.BUILDER, "snapshots", new SnapshotRefresh(cluster));
                    sync.complete(null);
                    log.info(
                            "event=bridge.ready nodes={} pods={} took_ms={}",
                            nodes,
                            cluster.pods().count(),
                            (System.nanoTime() - begun) / 1_000_000);
                });
    }

    private void startWorkers() {
        Duration second = Duration.ofSeconds(1);
        Duration minute = Duration.ofMinutes(1);
        workers.every(second, Worker.CLOCK, "expire", cluster::expire);
        groups.start(workers, replicas, watch::disruptionBudgets, options.extender.schedulers());
        workers.every(second, Worker.BINDS, "bind-look-up", bind::lookUp);
        pending.start(workers, replicas, watch::disruptionBudgets, clock);
        reporting.start(workers, readiness, replicas);
        decisions.start(workers);
        stranded.start(workers, readiness);
        workers.every(Duration.ofSeconds(10), Worker.CLAIMS, "kept-claims", () -> {
            if (replicas.leads()) {
                keptClaims.check();
            }
        });
        options.healing
                .healing(cluster, options.extender.schedulers(), replicas, reporting::evicted, clock)
                .ifPresent(healing -> workers.every(
                        HealingOptions.CHECK_INTERVAL,
                        Worker.HEALER,
                        "healing",
                        () -> healing.check(replicas.leads())));
        workers.every(Duration.ofSeconds(10), Worker.READER, "scheduler-leases", schedulerLeases);
        workers.every(minute, Worker.READER, "certificates", endpoints::refresh);
        workers.every(minute, Worker.READER, "watch-refresh", watch::refresh);
    }

    /** Returns the number of nodes. */
    private long prepare() {
        long nodes = cluster.warmUp();
        warmUp.run();
        return nodes;
    }

    /** Completes after the first full list. Fails if a list fails; the bridge then never becomes ready. */
    public CompletableFuture<Void> sync() {
        return sync;
    }

    public boolean isReady() {
        return readiness.answers();
    }

    public InetSocketAddress address() {
        return endpoints.address();
    }

    public ClusterState cluster() {
        return cluster;
    }

    /** Lets another replica lead, passes binds on to it, and is no longer ready for new callers. */
    public void leave() {
        readiness.leave();
        replicas.leave();
    }

    @Override
    public void close() {
        leave();
        endpoints.close();
        watch.close();
        namespaces.ifPresent(NamespaceWatch::close);
        workers.close();
        eventWrites.close();
        requeueWrites.close();
        replicas.close();
    }
}
