package io.numaledger.bridge.run;

import io.fabric8.kubernetes.client.KubernetesClient;
import io.numaledger.bridge.api.BridgeApi;
import io.numaledger.bridge.extender.BindVerb;
import io.numaledger.bridge.extender.FilterVerb;
import io.numaledger.bridge.extender.PrioritizeVerb;
import io.numaledger.bridge.ledger.Ledger;
import io.numaledger.bridge.metrics.BridgeMetrics;
import io.numaledger.bridge.node.PictureSettings;
import io.numaledger.bridge.score.Goal;
import io.numaledger.bridge.score.Ranking;
import io.numaledger.bridge.score.Strategy;
import io.numaledger.bridge.server.BridgeServer;
import io.numaledger.bridge.server.BridgeServer.Answer;
import io.numaledger.bridge.server.BridgeServer.Route;
import io.numaledger.bridge.turn.WaitingPods;
import io.numaledger.bridge.watch.ApiBinder;
import io.numaledger.bridge.watch.ClusterWatch;
import io.numaledger.bridge.watch.PodEvents;
import io.numaledger.bridge.watch.PodReminder;
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
import java.util.TreeMap;
import java.util.concurrent.Executors;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.TimeUnit;

/** A running bridge: ledger, watches, and the server in front of them. */
public final class Bridge implements AutoCloseable {

    private static final Logger log = LoggerFactory.getLogger(Bridge.class);

    /**
     * What it is told.
     *
     * @param patience how long a pod waits for zones before they are held for it; zero: they never are
     */
    public record Settings(
            InetSocketAddress listen,
            Optional<SSLContext> tls,
            BridgeServer.Limits limits,
            PictureSettings pictures,
            List<Goal> goals,
            Strategy strategy,
            Duration patience) {}

    private final Ledger ledger;
    private final ClusterWatch watch;
    private volatile boolean ready;
    private final BridgeServer server;
    private final ScheduledExecutorService writer = Executors.newSingleThreadScheduledExecutor(task -> {
        Thread thread = new Thread(task, "bridge-writer");
        thread.setDaemon(true);
        return thread;
    });

    public Bridge(Settings settings, KubernetesClient client) throws IOException {
        BridgeMetrics metrics = new BridgeMetrics();
        Decisions decisions = new Decisions(metrics, new PodEvents(client, writer, InstantSource.system()));
        this.ledger = new Ledger(settings.pictures(), new Ranking(settings.goals(), settings.strategy()), decisions);
        PodReminder reminder = new PodReminder(client, writer, InstantSource.system());
        WaitingPods waiting = new WaitingPods(ledger, settings.patience(), System::nanoTime, pod -> {
            metrics.reminded();
            reminder.askAgain(pod);
        });
        this.watch = new ClusterWatch(
                client,
                ledger,
                pod -> {
                    decisions.podChanged(pod);
                    pod.node().ifPresent(node -> waiting.gone(pod));
                },
                pod -> {
                    decisions.podGone(pod);
                    waiting.gone(pod);
                });
        metrics.watch(ledger, waiting);
        var unused = writer.scheduleWithFixedDelay(() -> lookAt(waiting), 1, 1, TimeUnit.SECONDS);
        FilterVerb filter = new FilterVerb(ledger, waiting, decisions);
        PrioritizeVerb prioritize = new PrioritizeVerb(ledger);
        BindVerb bind = new BindVerb(ledger, new ApiBinder(client), decisions);
        BridgeApi api = new BridgeApi(ledger);
        Map<String, Route> routes = new TreeMap<>();
        routes.put(
                "/filter",
                Route.atOnce(verb(metrics, "filter", request -> Answer.json(filter.answer(request.body())))));
        routes.put(
                "/prioritize",
                Route.atOnce(verb(metrics, "prioritize", request -> Answer.json(prioritize.answer(request.body())))));
        routes.put("/bind", verb(metrics, "bind", request -> Answer.json(bind.answer(request.body()))));
        routes.put("/v1/nodes", metrics.timed("nodes", ready(api::nodes)));
        routes.put("/v1/explain", verb(metrics, "explain", api::explain));
        routes.put("/v1/whatif", verb(metrics, "whatif", api::whatif));
        routes.put("/openapi.json", api::openApi);
        routes.put("/metrics", metrics::scrape);
        routes.put("/healthz", Route.atOnce(request -> Answer.text(200, "ok")));
        routes.put("/readyz", Route.atOnce(ready(request -> Answer.text(200, "ok"))));
        this.server = new BridgeServer(settings.listen(), settings.tls(), settings.limits(), routes);
    }

    /** A failure would end all later looks. */
    private static void lookAt(WaitingPods waiting) {
        try {
            waiting.look();
        } catch (RuntimeException e) {
            log.error("event=waiting.unknown", e);
        }
    }

    private Route verb(BridgeMetrics metrics, String name, Route route) {
        Route posted = request ->
                request.method().equals("POST") ? route.answer(request) : Answer.text(405, "only POST is served here");
        return metrics.timed(name, ready(posted));
    }

    /** Nothing is decided on half a picture. */
    private Route ready(Route route) {
        return request -> isReady()
                ? route.answer(request)
                : Answer.text(503, "the bridge is still reading the cluster; ask again in a moment");
    }

    public void start() {
        server.start();
        long begun = System.nanoTime();
        var unused = watch.start().thenApplyAsync(done -> ledger.lookAtAll()).whenComplete((nodes, failure) -> {
            if (failure == null) {
                ready = true;
                log.info(
                        "event=bridge.ready nodes={} pods={} took_ms={}",
                        nodes,
                        ledger.podCount(),
                        (System.nanoTime() - begun) / 1_000_000);
            } else {
                log.error("event=bridge.blind why=\"{}\"", failure.getMessage());
            }
        });
        log.info("event=bridge.started address={}", server.address());
    }

    public boolean isReady() {
        return ready;
    }

    public InetSocketAddress address() {
        return server.address();
    }

    public Ledger ledger() {
        return ledger;
    }

    @Override
    public void close() {
        server.close();
        watch.close();
        writer.shutdownNow();
    }
}
