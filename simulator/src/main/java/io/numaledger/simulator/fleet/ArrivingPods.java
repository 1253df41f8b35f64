package io.numaledger.simulator.fleet;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import com.fasterxml.jackson.databind.ObjectWriter;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.Executors;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;

import static java.util.Objects.requireNonNull;

/**
 * Pods that a scheduler binds. Each one's kubelet admits or refuses it, and its agent publishes it, {@value #KUBELET_MS} ms after it
 * was bound.
 */
public final class ArrivingPods implements FleetApi.PodRequests, AutoCloseable {

    private static final int KUBELET_MS = 200;
    private static final ObjectMapper JSON = new ObjectMapper();
    private static final ObjectWriter TEXT = JSON.writer();

    private final Map<String, FleetNode> nodes;
    private final Map<String, FleetPod> pods = new ConcurrentHashMap<>();
    /** Of pods that no node takes, as kube-scheduler wrote them. */
    private final Map<String, String> conditions = new ConcurrentHashMap<>();

    private final AtomicInteger bound = new AtomicInteger();
    private final AtomicInteger refused = new AtomicInteger();
    private final AtomicInteger attempts = new AtomicInteger();
    private final ScheduledExecutorService kubelets = Executors.newSingleThreadScheduledExecutor();
    private EventLog events = new EventLog();

    public ArrivingPods(Map<String, FleetNode> nodes) {
        this.nodes = nodes;
    }

    /** @param log where the API publishes events of pods */
    public void publishTo(EventLog log) {
        this.events = log;
    }

    public void create(List<FleetPod> created) {
        for (FleetPod pod : created) {
            pods.put(pod.name(), pod);
            events.add("ADDED", pod::waiting);
        }
    }

    public int bound() {
        return bound.get();
    }

    public int refused() {
        return refused.get();
    }

    /** How often kube-scheduler wrote that a pod cannot be scheduled. */
    public int failedAttempts() {
        return attempts.get();
    }

    @Override
    public byte[] answer(String method, String path, byte[] body) throws IOException {
        String[] parts = path.split("/");
        int at = List.of(parts).indexOf("pods");
        if (at < 0 || at + 1 == parts.length) {
            return body;
        }
        FleetPod pod = pods.get(parts[at + 1]);
        if (pod == null) {
            return body;
        }
        String subresource = at + 2 < parts.length ? parts[at + 2] : "";
        if (subresource.equals("binding")) {
            bind(pod, JSON.readTree(body).path("target").path("name").asText());
            return "{\"kind\":\"Status\",\"apiVersion\":\"v1\",\"status\":\"Success\"}"
                    .getBytes(StandardCharsets.UTF_8);
        }
        FleetPod now = method.equals("PATCH")
                ? patch(pod, JSON.readTree(body).path("status").path("conditions"))
                : pod;
        return (now.node().isEmpty() ? waiting(now, EventLog.FIRST_VERSION) : now.bound(EventLog.FIRST_VERSION))
                .getBytes(StandardCharsets.UTF_8);
    }

    /** A pod that is bound meanwhile is not shown as waiting any more. */
    private FleetPod patch(FleetPod pod, JsonNode written) throws IOException {
        String text = TEXT.writeValueAsString(written);
        return requireNonNull(pods.computeIfPresent(pod.name(), (name, now) -> {
            if (now.node().isEmpty()) {
                attempts.incrementAndGet();
                if (!written.isMissingNode()) {
                    conditions.put(name, text);
                    events.add("MODIFIED", version -> waiting(now, version));
                }
            }
            return now;
        }));
    }

    private String waiting(FleetPod pod, long version) {
        return pod.waiting(version, conditions.getOrDefault(pod.name(), "[]"));
    }

    private void bind(FleetPod pod, String node) {
        FleetPod placed = pod.on(node, Optional.empty());
        pods.compute(pod.name(), (name, before) -> {
            events.add("MODIFIED", placed::bound);
            return placed;
        });
        bound.incrementAndGet();
        var unused = kubelets.schedule(() -> admit(placed), KUBELET_MS, TimeUnit.MILLISECONDS);
    }

    private void admit(FleetPod pod) {
        Optional<FleetPod> running = requireNonNull(nodes.get(pod.node())).bind(pod);
        if (running.isPresent()) {
            events.add("MODIFIED", running.get()::running);
        } else {
            refused.incrementAndGet();
            events.add("MODIFIED", pod::refused);
        }
    }

    @Override
    public void close() {
        kubelets.shutdownNow();
    }
}
