package io.numaledger.bridge.run;

import io.fabric8.kubernetes.client.KubernetesClient;
import io.numaledger.bridge.api.BridgeApi;
import io.numaledger.bridge.batch.BatchEvaluator;
import io.numaledger.bridge.evaluation.NodeClasses;
import io.numaledger.bridge.evaluation.SchedulingRequests;
import io.numaledger.bridge.extender.BindVerb;
import io.numaledger.bridge.extender.FilterVerb;
import io.numaledger.bridge.extender.PrioritizeVerb;
import io.numaledger.bridge.metrics.BridgeMetrics;
import io.numaledger.bridge.objects.PodFacts;
import io.numaledger.bridge.queue.PendingPodQueue;
import io.numaledger.bridge.score.Ranking;
import io.numaledger.bridge.score.ScoringCriterion;
import io.numaledger.bridge.score.Strategy;
import io.numaledger.bridge.server.BridgeServer;
import io.numaledger.bridge.server.BridgeServer.Answer;
import io.numaledger.bridge.server.BridgeServer.Route;
import io.numaledger.bridge.snapshot.SnapshotSettings;
import io.numaledger.bridge.state.ClusterState;
import io.numaledger.bridge.watch.ApiBinder;
import io.numaledger.bridge.watch.ClusterWatch;
import io.numaledger.bridge.watch.PodEvents;
import io.numaledger.bridge.watch.PodRequeuer;
import io.numaledger.fastpath.ResourceIndex;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

import javax.net.ssl.SSLContext;

import java.io.IOException;
import java.net.InetSocketAddress;
import java.time.Duration;
import java.time.InstantSource;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.TreeMap;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.Executors;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.TimeUnit;

/** A running bridge: builds all parts, and serves kube-scheduler and the bridge's own API. */
public final class Bridge implements AutoCloseable {

    private static final Logger log = LoggerFactory.getLogger(Bridge.class);

    /**
     * The configuration.
     *
     * @param schedulers the names of the schedulers whose pods are bound
     * @param holdAfter how long a pod must be pending before nodes are reserved for it; zero: they never are
     */
    public record Settings(
            InetSocketAddress listen,
            Optional<SSLContext> tls,
            BridgeServer.Limits limits,
            SnapshotSettings snapshots,
            List<ScoringCriterion> criteria,
            Strategy strategy,
            Duration holdAfter,
            Set<String> schedulers) {

        /** The cluster's own scheduler, and the one of the documentation. */
        public static final Set<String> SCHEDULERS = Set.of(PodFacts.DEFAULT_SCHEDULER, "numaledger");

        /** What {@code prioritize} compares if no flag says otherwise. */
        public static final List<ScoringCriterion> CRITERIA =
                List.of(ScoringCriterion.FewestZones, ScoringCriterion.LeastFragmentation, ScoringCriterion.Strategy);

        public static final Strategy STRATEGY = Strategy.LeastAllocated;

        public static final Duration HOLD_AFTER = Duration.ofSeconds(2);

        /** Plain HTTP at this address, and the defaults of {@code bridge run}. */
        public static Settings plainHttp(InetSocketAddress listen) {
            return new Settings(
                    listen,
                    Optional.empty(),
                    BridgeServer.Limits.DEFAULT,
                    SnapshotSettings.DEFAULT,
                    CRITERIA,
                    STRATEGY,
                    HOLD_AFTER,
                    SCHEDULERS);
        }
    }

    private final ClusterState cluster;
    private final ClusterWatch watch;
    private final CompletableFuture<Void> sync = new CompletableFuture<>();
    private volatile boolean ready;
    private final BridgeServer server;
    private final ScheduledExecutorService writer = Executors.newSingleThreadScheduledExecutor(task -> {
        Thread thread = new Thread(task, "bridge-writer");
        thread.setDaemon(true);
        return thread;
    });

    public Bridge(Settings settings, KubernetesClient client) throws IOException {
        BridgeMetrics metrics = new BridgeMetrics();
        DecisionReporter reporter =
                new DecisionReporter(metrics, new PodEvents(client, writer, InstantSource.system()));
        ResourceIndex index = new ResourceIndex();
        this.cluster = new ClusterState(settings.snapshots(), new NodeClasses(index), reporter, InstantSource.system());
        BatchEvaluator evaluator = new BatchEvaluator(
                cluster, new SchedulingRequests(index), new Ranking(settings.criteria(), settings.strategy()));
        PodRequeuer requeuer = new PodRequeuer(client, writer, InstantSource.system());
        PendingPodQueue queue = new PendingPodQueue(cluster, evaluator, settings.holdAfter(), System::nanoTime, pod -> {
            metrics.requeued();
            requeuer.requeue(pod);
        });
        this.watch = new ClusterWatch(
                client,
                cluster,
                pod -> {
                    reporter.podChanged(pod);
                    pod.node().ifPresent(node -> queue.remove(pod));
                },
                pod -> {
                    reporter.podDeleted(pod);
                    queue.remove(pod);
                });
        metrics.register(cluster, evaluator.counters(), queue);
        ModelReporter models = new ModelReporter(metrics);
        var unused = writer.scheduleWithFixedDelay(() -> everySecond(queue, models), 1, 1, TimeUnit.SECONDS);
        this.server = new BridgeServer(
                settings.listen(),
                settings.tls(),
                settings.limits(),
                routes(
                        metrics,
                        new FilterVerb(cluster, evaluator, queue, reporter),
                        new PrioritizeVerb(cluster, evaluator),
                        new BindVerb(cluster, new ApiBinder(client), reporter, settings.schedulers()),
                        new BridgeApi(cluster)));
    }

    /** Catches everything: an exception would end all later runs. */
    private void everySecond(PendingPodQueue queue, ModelReporter models) {
        try {
            cluster.expire();
            queue.checkPending();
            if (ready) {
                models.report(cluster.models());
            }
        } catch (RuntimeException e) {
            log.error("event=queue.check_failed", e);
        }
    }

    private Map<String, Route> routes(
            BridgeMetrics metrics, FilterVerb filter, PrioritizeVerb prioritize, BindVerb bind, BridgeApi api) {
        Map<String, Route> routes = new TreeMap<>();
        routes.put(
                "/filter",
                Route.atOnce(post(metrics, "filter", request -> Answer.json(filter.answer(request.body())))));
        routes.put(
                "/prioritize",
                Route.atOnce(post(metrics, "prioritize", request -> Answer.json(prioritize.answer(request.body())))));
        routes.put("/bind", post(metrics, "bind", request -> Answer.json(bind.answer(request.body()))));
        routes.put("/v1/nodes", metrics.timed("nodes", whenReady(api::nodes)));
        routes.put("/v1/explain", post(metrics, "explain", api::explain));
        routes.put("/v1/whatif", post(metrics, "whatif", api::whatif));
        routes.put("/openapi.json", api::openApi);
        routes.put("/metrics", metrics::scrape);
        routes.put("/healthz", Route.atOnce(request -> Answer.text(200, "ok")));
        routes.put("/readyz", Route.atOnce(whenReady(request -> Answer.text(200, "ok"))));
        return routes;
    }

    private Route post(BridgeMetrics metrics, String verb, Route route) {
        Route posted = request ->
                request.method().equals("POST") ? route.answer(request) : Answer.text(405, "only POST is supported");
        return metrics.timed(verb, whenReady(posted));
    }

    /** DecisionReporter need the whole cluster. */
    private Route whenReady(Route route) {
        return request -> ready
                ? route.answer(request)
                : Answer.text(503, "the bridge is still reading the cluster; retry later");
    }

    /** Starts to serve, and to read the cluster. */
    public void start() {
        server.start();
        long begun = System.nanoTime();
        log.info("event=bridge.started address={}", server.address());
        var unused = watch.start().thenApplyAsync(done -> cluster.warmUp()).whenComplete((nodes, failure) -> {
            if (failure != null) {
                sync.completeExceptionally(failure);
                return;
            }
            ready = true;
            sync.complete(null);
            log.info(
                    "event=bridge.ready nodes={} pods={} took_ms={}",
                    nodes,
                    cluster.podCount(),
                    (System.nanoTime() - begun) / 1_000_000);
        });
    }

    /** Completes when the cluster is known; fails if it cannot be read, and then the bridge will never be ready. */
    public CompletableFuture<Void> sync() {
        return sync;
    }

    public boolean isReady() {
        return ready;
    }

    public InetSocketAddress address() {
        return server.address();
    }

    public ClusterState cluster() {
        return cluster;
    }

    @Override
    public void close() {
        server.close();
        watch.close();
        writer.shutdownNow();
    }
}
