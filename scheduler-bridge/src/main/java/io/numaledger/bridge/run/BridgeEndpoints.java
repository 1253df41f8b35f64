package io.numaledger.bridge.run;

import io.fabric8.kubernetes.client.KubernetesClient;
import io.netty.util.concurrent.DefaultThreadFactory;
import io.numaledger.bridge.access.ApiAccess;
import io.numaledger.bridge.access.FrontProxy;
import io.numaledger.bridge.access.Reviews;
import io.numaledger.bridge.access.SchedulerAccess;
import io.numaledger.bridge.aggregated.AggregatedApi;
import io.numaledger.bridge.aggregated.Audits;
import io.numaledger.bridge.extender.BindVerb;
import io.numaledger.bridge.extender.FilterVerb;
import io.numaledger.bridge.extender.PreemptVerb;
import io.numaledger.bridge.extender.PrioritizeVerb;
import io.numaledger.bridge.metrics.BridgeMetrics;
import io.numaledger.bridge.metrics.ServerMetrics.Certificate;
import io.numaledger.bridge.replica.LeaderRoute;
import io.numaledger.bridge.replica.Leadership;
import io.numaledger.bridge.server.BridgeServer;
import io.numaledger.bridge.server.BridgeServer.Answer;
import io.numaledger.bridge.server.BridgeServer.Limits;
import io.numaledger.bridge.server.BridgeServer.Request;
import io.numaledger.bridge.server.BridgeServer.Route;
import io.numaledger.bridge.server.BridgeServer.Tls;
import io.numaledger.bridge.server.GuardedRoute;
import io.numaledger.bridge.server.HeadDecision;
import io.numaledger.bridge.watch.ClusterReader;
import io.numaledger.scheduling.audit.PredictionAudit;
import io.numaledger.scheduling.queue.PendingPodQueue;
import io.numaledger.scheduling.scheduler.SchedulerCalls;
import io.numaledger.scheduling.state.ClusterState;
import io.numaledger.tls.ReloadableKeys;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

import javax.net.ssl.SSLContext;

import java.io.IOException;
import java.net.InetSocketAddress;
import java.security.cert.X509Certificate;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.TreeMap;
import java.util.concurrent.ArrayBlockingQueue;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.ThreadPoolExecutor;
import java.util.concurrent.TimeUnit;
import java.util.function.Function;
import java.util.function.Supplier;

/** What the bridge serves, to whom, and on which threads. */
final class BridgeEndpoints implements AutoCloseable {

    private static final Logger log = LoggerFactory.getLogger(BridgeEndpoints.class);

    /** A bind waits for the API server most of the time. */
    private static final int BIND_THREADS = 32;

    /** Explanations may take a processor each; schedulers come first. */
    private static final int EXPLANATION_THREADS = 2;

    private static final int EXPLANATIONS_WAITING = 16;
    private static final int SCRAPES_WAITING = 8;
    /** Questions of other replicas about audits. They wait for the API server, which says what a caller may see. */
    private static final int AUDIT_THREADS = 2;

    private static final int AUDITS_WAITING = 16;

    /** Within this time, the API server has said what a caller may do. */
    private static final Duration REVIEW_TIMEOUT = Duration.ofSeconds(10);

    /** Calls that wait for the leader's answer. kube-scheduler makes few at a time. */
    private static final int CALL_THREADS = 8;

    private static final Limits PROBE_LIMITS = new Limits(1 << 10, 1, 64, 64, Duration.ofSeconds(10));
    private static final Duration HANGS_AFTER = Duration.ofSeconds(30);

    /**
     * The extender verbs.
     *
     * @param filter decodes its requests
     * @param queue of the pods that {@code filter} has refused
     * @param groups whether nodes are reserved for groups: only the leader knows which
     */
    record Verbs(
            Function<byte[], FilterVerb.Call> filter,
            PrioritizeVerb prioritize,
            PreemptVerb preempt,
            BindVerb bind,
            PendingPodQueue queue,
            boolean groups) {}

    private final ExecutorService binds =
            Executors.newFixedThreadPool(BIND_THREADS, new DefaultThreadFactory("bridge-bind", true));
    private final ExecutorService calls =
            Executors.newFixedThreadPool(CALL_THREADS, new DefaultThreadFactory("bridge-call", true));
    private final ExecutorService explanations = threads("bridge-explain", EXPLANATION_THREADS, EXPLANATIONS_WAITING);

    private final ExecutorService audits = threads("bridge-audit", AUDIT_THREADS, AUDITS_WAITING);

    /** Scrapes must not delay probes. */
    private final ExecutorService scrapes = threads("bridge-scrape", 1, SCRAPES_WAITING);

    private final StuckCalls stuck = new StuckCalls(HANGS_AFTER, System::nanoTime);
    private final BridgeMetrics metrics;
    private final Readiness readiness;
    private final Optional<SchedulerAccess> schedulers;
    private final Optional<FrontProxy> frontProxy;
    private final BridgeServer server;
    private final Optional<BridgeServer> probes;

    /** @throws IOException if an address cannot be bound, or the API server does not tell how it passes requests on */
    BridgeEndpoints(
            EndpointOptions options,
            Optional<Security> security,
            KubernetesClient client,
            Verbs verbs,
            ClusterState cluster,
            Stranded stranded,
            SchedulerCalls schedulerCalls,
            PredictionAudit audit,
            BridgeMetrics metrics,
            Readiness readiness,
            Optional<Leadership> leadership)
            throws IOException {
        this.metrics = metrics;
        this.readiness = readiness;
        this.schedulers = security.flatMap(Security::schedulers);
        security.ifPresent(use -> measureCertificates(use.keys()));
        if (schedulers.isEmpty()) {
            log.warn("event=access.open error=\"everybody who can reach the port can bind pods; see --client-ca\"");
        }
        boolean aggregated = security.filter(Security::aggregated).isPresent();
        this.frontProxy = aggregated ? Optional.of(new FrontProxy(client)) : Optional.empty();
        Route bind = request -> Answer.json(verbs.bind().answer(request.body()));
        Route filter =
                request -> Answer.json(verbs.filter().apply(request.body()).answer());
        Route preempt = request -> Answer.json(verbs.preempt().answer(request.body()));
        if (leadership.isPresent()) {
            Leadership leads = leadership.get();
            SSLContext replicas = security.flatMap(Security::replicas).orElseThrow();
            LeaderRoute.Call binding = new LeaderRoute.Call(true, bind);
            bind = new LeaderRoute(leads, "/bind", any -> binding, this::isReplica, replicas);
            if (verbs.groups()) {
                LeaderRoute.Call preempting = new LeaderRoute.Call(false, preempt);
                filter = new LeaderRoute(
                        leads, "/filter", request -> decoded(verbs, request), this::isReplica, replicas);
                preempt = new LeaderRoute(leads, "/preempt", any -> preempting, this::isReplica, replicas);
            }
        }
        Map<String, Route> routes = routes(verbs, filter, preempt, bind);
        if (leadership.isPresent() && verbs.groups()) {
            List.of("/filter", "/preempt")
                    .forEach(path -> routes.compute(path, (any, route) -> Route.on(calls, route)));
        }
        frontProxy.ifPresent(proxy -> {
            KubernetesClient reviews = ClusterReader.withoutRetries(client, REVIEW_TIMEOUT);
            ApiAccess access = new ApiAccess(new Reviews(reviews), proxy);
            Audits known = new Audits(audit, access::podNames, route -> onLeader(route, leadership, security));
            if (leadership.isPresent()) {
                routes.put(Audits.PATH, toReplicas(Audits.QUESTION_BYTES, Route.on(audits, known.route())));
            }
            routes.putAll(new AggregatedApi(
                            cluster,
                            verbs.queue(),
                            schedulerCalls,
                            known,
                            stranded.capacity(),
                            stranded.moves(),
                            access)
                    .routes(route -> Route.on(explanations, timed("aggregated", route))));
        });
        Optional<InetSocketAddress> probeAddress = options.probes();
        if (probeAddress.isEmpty()) {
            routes.putAll(probeRoutes());
        }
        this.server = new BridgeServer(
                options.listen(),
                security.map(use -> new Tls(use.keys().contextAskingClients(), this::isKnown)),
                options.limits(),
                routes);
        try {
            this.probes = probeAddress.isPresent()
                    ? Optional.of(new BridgeServer(probeAddress.get(), Optional.empty(), PROBE_LIMITS, probeRoutes()))
                    : Optional.empty();
        } catch (IOException e) {
            server.close();
            throw e;
        }
    }

    private Route onLeader(Route audits, Optional<Leadership> leadership, Optional<Security> security) {
        LeaderRoute.Call local = new LeaderRoute.Call(false, audits);
        return leadership
                .<Route>map(leads -> new LeaderRoute(
                        leads,
                        Audits.PATH,
                        any -> local,
                        this::isReplica,
                        security.flatMap(Security::replicas).orElseThrow()))
                .orElse(audits);
    }

    private Route toReplicas(int bytes, Route route) {
        return new GuardedRoute(
                bytes,
                head -> HeadDecision.of(
                        isReplica(head)
                                ? Optional.empty()
                                : Optional.of(Answer.text(403, "only replicas of the bridge may call this"))),
                post(route));
    }

    private static LeaderRoute.Call decoded(Verbs verbs, Request request) {
        FilterVerb.Call call = verbs.filter().apply(request.body());
        return new LeaderRoute.Call(call.isOfGang(), any -> Answer.json(call.answer()));
    }

    /** The probes of a bridge that waits for the API server. */
    interface Waiting extends AutoCloseable {
        @Override
        void close();
    }

    /**
     * Answers that the process is alive and not ready.
     *
     * @param probes absent: nothing is served yet
     * @throws IOException if the address cannot be bound
     */
    static Waiting whileWaiting(Optional<InetSocketAddress> probes, Supplier<String> reason) throws IOException {
        if (probes.isEmpty()) {
            return () -> {};
        }
        Map<String, Route> routes = new TreeMap<>();
        routes.put("/healthz", request -> Answer.text(200, "ok"));
        routes.put("/readyz", request -> Answer.text(503, "the bridge waits for the API server: " + reason.get()));
        BridgeServer server = new BridgeServer(probes.get(), Optional.empty(), PROBE_LIMITS, routes);
        server.start();
        return server::close;
    }

    /** @param waiting beyond it, requests are rejected */
    private static ThreadPoolExecutor threads(String name, int count, int waiting) {
        return new ThreadPoolExecutor(
                count,
                count,
                0,
                TimeUnit.SECONDS,
                new ArrayBlockingQueue<>(waiting),
                new DefaultThreadFactory(name, true));
    }

    private void measureCertificates(ReloadableKeys keys) {
        metrics.server().certificate(Certificate.SERVING, "", () -> Optional.of(keys.expiry()));
        schedulers.ifPresent(access -> {
            metrics.server().certificate(Certificate.CLIENT_CA, "", () -> Optional.of(access.authorityExpiry()));
            access.names()
                    .forEach(name ->
                            metrics.server().certificate(Certificate.CLIENT, name, () -> access.clientExpiry(name)));
        });
    }

    /** Whether a caller has no limit on connections. */
    private boolean isKnown(List<X509Certificate> chain) {
        return schedulers
                        .filter(access -> access.isScheduler(chain) || access.isReplica(chain))
                        .isPresent()
                || frontProxy.filter(proxy -> proxy.isProxy(chain)).isPresent();
    }

    private boolean isReplica(Request request) {
        return schedulers.filter(access -> access.isReplica(request.client())).isPresent();
    }

    private Map<String, Route> routes(Verbs verbs, Route filter, Route preempt, Route bind) {
        Map<String, Route> routes = new TreeMap<>();
        Route prioritize = request -> Answer.json(verbs.prioritize().answer(request.body()));
        routes.put("/filter", extender("filter", filter, true));
        routes.put("/preempt", extender("preempt", preempt, true));
        routes.put("/prioritize", extender("prioritize", prioritize, false));
        routes.put("/bind", Route.on(binds, extender("bind", bind, true)));
        return routes;
    }

    private Map<String, Route> probeRoutes() {
        Map<String, Route> routes = new TreeMap<>();
        routes.put("/metrics", GuardedRoute.withoutBody(Route.on(scrapes, metrics::scrape)));
        routes.put("/healthz", GuardedRoute.withoutBody(stuck::health));
        Route ready = whenReady(request -> Answer.text(200, "ok"));
        routes.put(
                "/readyz",
                GuardedRoute.withoutBody(request -> readiness.callers() || !readiness.answers()
                        ? ready.answer(request)
                        : Answer.text(503, "the bridge stops; ask another replica")));
        return routes;
    }

    /** @param byReplicas whether other replicas may call it, too */
    private Route extender(String name, Route verb, boolean byReplicas) {
        return new GuardedRoute(
                Integer.MAX_VALUE,
                head -> HeadDecision.of(
                        byReplicas && isReplica(head)
                                ? Optional.empty()
                                : schedulers.flatMap(access -> access.refusal(head))),
                stuck.watch(timed(name, post(verb))));
    }

    private Route timed(String verb, Route route) {
        return metrics.server().timed(verb, whenReady(route));
    }

    private static Route post(Route route) {
        return request ->
                request.method().equals("POST") ? route.answer(request) : Answer.text(405, "only POST is supported");
    }

    /** Decisions need the whole cluster. */
    private Route whenReady(Route route) {
        return request -> readiness.answers()
                ? route.answer(request)
                : Answer.text(503, "the bridge is still reading the cluster; retry later");
    }

    void start() {
        server.start();
        probes.ifPresent(BridgeServer::start);
    }

    InetSocketAddress address() {
        return server.address();
    }

    /** Reads certificate authorities again. Call it now and then. */
    void refresh() {
        try {
            schedulers.ifPresent(SchedulerAccess::refresh);
            if (frontProxy.isPresent()) {
                frontProxy.get().refresh();
            }
        } catch (IOException | RuntimeException e) {
            log.warn("event=frontproxy.kept error=\"{}\"", e.getMessage());
        }
    }

    @Override
    public void close() {
        server.close();
        probes.ifPresent(BridgeServer::close);
        binds.shutdownNow();
        calls.shutdownNow();
        explanations.shutdownNow();
        audits.shutdownNow();
        scrapes.shutdownNow();
    }
}
