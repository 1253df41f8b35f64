package io.numaledger.benchmarks.fleet;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import com.fasterxml.jackson.databind.node.ObjectNode;
import io.numaledger.apiservers.real.RealApiServer;
import io.numaledger.benchmarks.process.ProcessFigures;
import io.numaledger.benchmarks.trace.RealScheduler;
import io.numaledger.simulator.fleet.EventLog;
import io.numaledger.simulator.fleet.FleetNode;
import io.numaledger.simulator.fleet.FleetPod;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.Executors;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.Function;
import java.util.stream.Collectors;

import static java.util.Objects.requireNonNull;

/**
 * A fleet behind a real kube-apiserver. Its first objects are written to etcd, which takes seconds; all others go through kube-apiserver.
 * There are no kubelets: {@value #KUBELET_MS} ms after a pod was bound, a model admits or refuses it, and the pod's annotations and status
 * are written as an agent and a kubelet do.
 */
final class RealFleet implements ServedFleet {

    private static final int WRITERS = 8;
    private static final int KUBELET_MS = 200;
    private static final int REPEAT_AFTER_MS = 100;
    private static final String ARRIVING = "arriving";
    private static final String PODS = "/api/v1/namespaces/load/pods";
    private static final String TOPOLOGIES = "/apis/topology.node.k8s.io/v1alpha2/noderesourcetopologies/";
    private static final ObjectMapper JSON = new ObjectMapper();

    private final RealApiServer server;
    private final Path kubeconfig;
    private final ApiRequests requests;
    private final Map<String, FleetNode> nodes;
    private final Map<String, FleetPod> unbound = new ConcurrentHashMap<>();
    private final AtomicInteger bound = new AtomicInteger();
    private final AtomicInteger refused = new AtomicInteger();
    private final AtomicInteger attempts = new AtomicInteger();
    private final AtomicInteger written = new AtomicInteger();
    private final ScheduledExecutorService writers = Executors.newScheduledThreadPool(WRITERS);
    private final ScheduledExecutorService watcher = Executors.newSingleThreadScheduledExecutor();
    private volatile Optional<Exception> failure = Optional.empty();

    /** @param directory gets the files of the server */
    RealFleet(List<FleetNode> nodes, Path binaries, Path directory) throws IOException {
        this.nodes = nodes.stream().collect(Collectors.toMap(FleetNode::name, Function.identity()));
        this.server = RealApiServer.start(binaries, directory, RealScheduler.arguments(directory));
        this.kubeconfig = RealScheduler.kubeconfig(directory, server);
        this.requests = new ApiRequests(server.httpClient(), server.url(), server.token());
        requests.send("POST", "/api/v1/namespaces", """
                {"apiVersion":"v1","kind":"Namespace","metadata":{"name":"load"}}""");
        new EtcdObjects(server.httpClient(), server.etcdUrl()).write(nodes);
        // A busy server may end a watch. It begins each with all pods.
        var unused = watcher.scheduleWithFixedDelay(
                () -> requests.lines(PODS + "?watch=true&labelSelector=app%3D" + ARRIVING, this::seen),
                0,
                REPEAT_AFTER_MS,
                TimeUnit.MILLISECONDS);
    }

    @Override
    public Path kubeconfig() {
        return kubeconfig;
    }

    @Override
    public boolean readsProtobuf() {
        return true;
    }

    @Override
    public void create(List<FleetPod> pods) {
        for (FleetPod pod : pods) {
            unbound.put(pod.name(), pod);
            later(0, () -> {
                ObjectNode object = EtcdObjects.object(pod.waiting(EventLog.FIRST_VERSION));
                object.withObject("/metadata/labels").put("app", ARRIVING);
                requests.send("POST", PODS, object.toString());
            });
        }
    }

    private void seen(String line) {
        JsonNode event = parsed(line);
        JsonNode object = event.path("object");
        String node = object.path("spec").path("nodeName").asText();
        if (node.isEmpty()) {
            attempts.addAndGet(event.path("type").asText().equals("MODIFIED") ? 1 : 0);
            return;
        }
        Optional.ofNullable(unbound.remove(object.path("metadata").path("name").asText()))
                .ifPresent(pod -> {
                    bound.incrementAndGet();
                    later(KUBELET_MS, () -> admit(pod, node));
                });
    }

    private static JsonNode parsed(String json) {
        try {
            return JSON.readTree(json);
        } catch (IOException e) {
            throw new UncheckedIOException("no JSON: " + json, e);
        }
    }

    private void admit(FleetPod pod, String node) throws IOException {
        String path = PODS + "/" + pod.name();
        Optional<FleetPod> running = requireNonNull(nodes.get(node)).bind(pod);
        if (running.isEmpty()) {
            refused.incrementAndGet();
            requests.send("PATCH", path + "/status", """
                    {"status":{"phase":"Failed","reason":"TopologyAffinityError"}}""");
            return;
        }
        JsonNode annotations = parsed(running.get().running(EventLog.FIRST_VERSION))
                .path("metadata")
                .path("annotations");
        requests.send("PATCH", path, "{\"metadata\":{\"annotations\":%s}}".formatted(annotations));
        requests.send("PATCH", path + "/status", """
                {"status":{"phase":"Running","startTime":"2026-01-01T00:00:01Z"}}""");
    }

    /** The server sends no event of an object that stays as it is. */
    @Override
    public void topologyEvent(FleetNode node) {
        later(
                0,
                () -> requests.send(
                        "PATCH",
                        TOPOLOGIES + node.name(),
                        "{\"metadata\":{\"annotations\":{\"written\":\"%d\"}}}".formatted(written.incrementAndGet())));
    }

    @Override
    public void podEvent(FleetNode node, boolean add) {
        if (add || node.pods().isEmpty()) {
            String object = EtcdObjects.object(node.add().running(EventLog.FIRST_VERSION))
                    .toString();
            later(0, () -> requests.send("POST", PODS, object));
        } else {
            String path =
                    "%s/%s?gracePeriodSeconds=0".formatted(PODS, node.remove().name());
            later(0, () -> requests.send("DELETE", path, ""));
        }
    }

    @FunctionalInterface
    private interface Request {
        void send() throws IOException;
    }

    private void later(long millis, Request request) {
        var unused = writers.schedule(
                () -> {
                    try {
                        request.send();
                    } catch (IOException | RuntimeException e) {
                        failure = Optional.of(e);
                    }
                },
                millis,
                TimeUnit.MILLISECONDS);
    }

    @Override
    public int bound() {
        failure.ifPresent(cause -> {
            throw new IllegalStateException("a request to kube-apiserver failed; see the cause", cause);
        });
        return bound.get();
    }

    @Override
    public int refused() {
        return refused.get();
    }

    @Override
    public int failedAttempts() {
        return attempts.get();
    }

    @Override
    public OptionalLong serverCpuMillis() {
        return OptionalLong.of(new ProcessFigures(server.pid()).cpuMillis());
    }

    @Override
    public void close() {
        writers.shutdownNow();
        watcher.shutdownNow();
        server.close();
    }
}
