package io.numaledger.simulator.fleet;

import com.sun.net.httpserver.HttpExchange;
import com.sun.net.httpserver.HttpServer;
import com.sun.net.httpserver.HttpsConfigurator;
import com.sun.net.httpserver.HttpsServer;
import io.netty.util.concurrent.DefaultThreadFactory;
import io.numaledger.apiservers.fake.discovery.Discovery;
import io.numaledger.apiservers.fake.request.Response;

import javax.net.ssl.SSLContext;

import java.io.BufferedOutputStream;
import java.io.IOException;
import java.io.OutputStream;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.function.Function;
import java.util.stream.Collectors;

/**
 * The part of an API server that the bridge and kube-scheduler need: pages of objects, watches, requests for single pods, and a Lease. The
 * objects are serialized before the programs start, so that the server takes little CPU from them.
 */
public final class FleetApi implements AutoCloseable {

    /** The kinds that the bridge watches. */
    private static final Map<String, Kind> KINDS = Map.of(
            "pods", new Kind("Pod", "v1"),
            "nodes", new Kind("Node", "v1"),
            "noderesourcetopologies", new Kind("NodeResourceTopology", "topology.node.k8s.io/v1alpha2"),
            "poddisruptionbudgets", new Kind("PodDisruptionBudget", "policy/v1"));

    /** In a selector: all pods that are listed run. */
    private static final String PENDING = "status.phase%3DPending";

    private static final InetSocketAddress ANY_PORT = new InetSocketAddress(InetAddress.getLoopbackAddress(), 0);

    private final List<FleetNode> nodes;
    private final int perNode;
    private final Map<String, List<byte[]>> items;
    private final HttpServer http;
    private final ExecutorService threads = Executors.newCachedThreadPool(new DefaultThreadFactory("fleet-api", true));
    private final EventLog podEvents = new EventLog();
    private final EventLog topologyEvents = new EventLog();
    private final PodRequests podRequests;
    private final FleetControlObjects controlObjects = new FleetControlObjects();

    private record Kind(String name, String apiVersion) {}

    /** Answers requests for single pods and their subresources, and all writes. */
    @FunctionalInterface
    public interface PodRequests {
        byte[] answer(String method, String path, byte[] body) throws IOException;
    }

    /** An API that takes all writes without effect. */
    public FleetApi(List<FleetNode> nodes, int perNode) throws IOException {
        this(nodes, perNode, (method, path, body) -> body);
    }

    public FleetApi(List<FleetNode> nodes, int perNode, PodRequests podRequests) throws IOException {
        this(nodes, perNode, podRequests, HttpServer.create(ANY_PORT, 0));
    }

    /** An API that speaks TLS. */
    public static FleetApi withTls(List<FleetNode> nodes, int perNode, PodRequests podRequests, SSLContext tls)
            throws IOException {
        HttpsServer https = HttpsServer.create(ANY_PORT, 0);
        https.setHttpsConfigurator(new HttpsConfigurator(tls));
        return new FleetApi(nodes, perNode, podRequests, https);
    }

    private FleetApi(List<FleetNode> nodes, int perNode, PodRequests podRequests, HttpServer server)
            throws IOException {
        this.http = server;
        this.podRequests = podRequests;
        this.nodes = nodes;
        this.perNode = perNode;
        this.items = Map.of(
                "nodes", texts(FleetNode::node),
                "noderesourcetopologies", texts(FleetNode::topology),
                "pods", texts(FleetApi::pods));
        http.createContext("/", this::answer);
        http.setExecutor(threads);
        http.start();
    }

    public InetSocketAddress address() {
        return http.getAddress();
    }

    public Path writeKubeconfig(Path file) throws IOException {
        return Files.writeString(file, """
                apiVersion: v1
                kind: Config
                clusters: [{name: fleet, cluster: {server: "http://127.0.0.1:%d"}}]
                users: [{name: admin, user: {token: admin}}]
                contexts: [{name: fleet, context: {cluster: fleet, user: admin, namespace: default}}]
                current-context: fleet
                """.formatted(http.getAddress().getPort()));
    }

    /** Where events of pods are written to. */
    public EventLog podEvents() {
        return podEvents;
    }

    /** An agent has written the same topology again. */
    public void topologyEvent(FleetNode node) {
        topologyEvents.add("MODIFIED", version -> node.topology());
    }

    private void answer(HttpExchange exchange) throws IOException {
        try (exchange) {
            String path = exchange.getRequestURI().getPath();
            Map<String, String> query = query(exchange.getRequestURI().getRawQuery());
            if ("websocket".equalsIgnoreCase(exchange.getRequestHeaders().getFirst("Upgrade"))) {
                exchange.sendResponseHeaders(200, -1); // clients watch without WebSocket then
                return;
            }
            exchange.getResponseHeaders().set("Content-Type", "application/json");
            String method = exchange.getRequestMethod();
            if (Discovery.answer(path).orElse(null) instanceof Response.Json found) {
                send(exchange, method, Optional.of(found.body().toString().getBytes(StandardCharsets.UTF_8)));
                return;
            }
            if (FleetControlObjects.isOne(path)) {
                send(
                        exchange,
                        method,
                        controlObjects.answer(
                                method, path, exchange.getRequestBody().readAllBytes()));
                return;
            }
            if (!method.equals("GET") || path.contains("/pods/")) {
                byte[] body = exchange.getRequestBody().readAllBytes();
                send(exchange, method, Optional.of(podRequests.answer(method, path, body)));
                return;
            }
            if (query.containsKey("sendInitialEvents")) {
                exchange.sendResponseHeaders(422, -1); // clients list instead
                return;
            }
            exchange.sendResponseHeaders(200, 0);
            try (OutputStream out = new BufferedOutputStream(exchange.getResponseBody(), 1 << 16)) {
                if (query.containsKey("watch")) {
                    watch(path, query, out);
                } else {
                    list(path, query, out);
                }
            }
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }

    /** @param answer absent: there is no such object */
    private static void send(HttpExchange exchange, String method, Optional<byte[]> answer) throws IOException {
        if (answer.isEmpty()) {
            exchange.sendResponseHeaders(404, -1);
            return;
        }
        exchange.sendResponseHeaders(method.equals("POST") ? 201 : 200, answer.get().length);
        exchange.getResponseBody().write(answer.get());
    }

    private static Map<String, String> query(String text) {
        return text == null
                ? Map.of()
                : Arrays.stream(text.split("&"))
                        .collect(Collectors.toMap(part -> part.split("=")[0], part -> part.split("=")[1]));
    }

    private void watch(String path, Map<String, String> query, OutputStream out)
            throws IOException, InterruptedException {
        // The answer's head goes out with the first bytes only.
        String resource = path.substring(path.lastIndexOf('/') + 1);
        write(
                out,
                Optional.ofNullable(KINDS.get(resource))
                        .map(kind ->
                                "{\"type\":\"BOOKMARK\",\"object\":{\"kind\":\"%s\",\"apiVersion\":\"%s\",\"metadata\":{\"resourceVersion\":\"1\"}}}\n"
                                        .formatted(kind.name(), kind.apiVersion()))
                        .orElse("\n"));
        out.flush();
        EventLog events = resource.equals("pods")
                ? podEvents
                : resource.equals("noderesourcetopologies") ? topologyEvents : new EventLog();
        long version = Long.parseLong(query.getOrDefault("resourceVersion", "1"));
        while (!Thread.currentThread().isInterrupted()) {
            out.write(events.after(version++));
            out.flush();
        }
    }

    private void list(String path, Map<String, String> query, OutputStream out) throws IOException {
        int limit = Integer.parseInt(query.getOrDefault("limit", "1000000"));
        int size = path.endsWith("/pods") ? limit / Math.max(1, perNode) : limit;
        int from = Integer.parseInt(query.getOrDefault("continue", "0"));
        String resource = path.substring(path.lastIndexOf('/') + 1);
        List<byte[]> all = query.getOrDefault("fieldSelector", "").contains(PENDING)
                ? List.of()
                : items.getOrDefault(resource, List.of());
        int to = Math.min(all.size(), from + Math.max(1, size));
        String next = to < all.size() ? ",\"continue\":\"" + to + "\"" : "";
        String kind = Optional.ofNullable(KINDS.get(resource))
                .map(each -> "\"kind\":\"%sList\",\"apiVersion\":\"%s\",".formatted(each.name(), each.apiVersion()))
                .orElse("");
        write(out, "{%s\"metadata\":{\"resourceVersion\":\"1\"%s},\"items\":[".formatted(kind, next));
        String comma = "";
        for (byte[] some : all.subList(from, to)) {
            write(out, comma);
            out.write(some);
            comma = ",";
        }
        write(out, "]}");
    }

    private List<byte[]> texts(Function<FleetNode, String> text) {
        return nodes.parallelStream()
                .map(node -> text.apply(node).getBytes(StandardCharsets.UTF_8))
                .toList();
    }

    private static String pods(FleetNode node) {
        return node.pods().stream()
                .map(pod -> pod.running(EventLog.FIRST_VERSION))
                .collect(Collectors.joining(","));
    }

    private static void write(OutputStream out, String text) throws IOException {
        out.write(text.getBytes(StandardCharsets.UTF_8));
    }

    @Override
    public void close() {
        http.stop(0);
        threads.shutdownNow();
    }
}
