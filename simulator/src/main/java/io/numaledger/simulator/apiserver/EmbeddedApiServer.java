package io.numaledger.simulator.apiserver;

import com.fasterxml.jackson.databind.node.ObjectNode;
import com.sun.net.httpserver.HttpServer;
import com.sun.net.httpserver.HttpsConfigurator;
import com.sun.net.httpserver.HttpsServer;

import javax.net.ssl.SSLContext;

import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.URI;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Optional;
import java.util.TreeMap;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.ThreadFactory;
import java.util.concurrent.atomic.AtomicInteger;

/**
 * A Kubernetes API server in memory, on the loopback interface. It keeps nodes, pods, events, namespaces,
 * services, config maps, service accounts, leases, and the custom resources that are defined; NodeResourceTopology is
 * defined from the start. Where it differs from a real kube-apiserver, it is wrong. It reads JSON and YAML, and no protobuf:
 * a newer {@code kubectl create configmap} or {@code auth can-i} gets 415, {@code kubectl apply -f} works.
 */
public final class EmbeddedApiServer implements AutoCloseable {

    private static final String DEFINITION = "/crds/noderesourcetopologies.yaml";
    private static final List<String> NAMESPACES = List.of("default", "kube-node-lease", "kube-public", "kube-system");

    private final ObjectStore store;
    private final ResourceCatalog catalog = new ResourceCatalog();
    private final AccessRules access = new AccessRules();
    private final RequestLog requests = new RequestLog();
    private final Faults faults;
    private final HttpFront front;
    private final HttpServer http;
    private final ExecutorService threads = Executors.newCachedThreadPool(daemons());

    private EmbeddedApiServer(ApiServerSettings settings) throws IOException {
        store = new ObjectStore(settings.historyLimit());
        faults = new Faults(store::cutWatches);
        WriteVerbs writes = new WriteVerbs(store, catalog, settings.clock());
        writes.insert(target("", "v1", "customresourcedefinitions"), definition(), byServer());
        NAMESPACES.forEach(name -> writes.insert(target("", "v1", "namespaces"), namespace(name), byServer()));
        front = new HttpFront(new Router(store, catalog, access, settings), requests, faults);
        http = serverOn(new InetSocketAddress(InetAddress.getLoopbackAddress(), settings.port()), settings.tls());
        http.createContext("/", front);
        http.setExecutor(threads);
    }

    private static HttpServer serverOn(InetSocketAddress address, Optional<SSLContext> tls) throws IOException {
        if (tls.isEmpty()) {
            return HttpServer.create(address, 0);
        }
        HttpsServer server = HttpsServer.create(address, 0);
        server.setHttpsConfigurator(new HttpsConfigurator(tls.get()));
        return server;
    }

    /** Starts a server with the standard settings. */
    public static EmbeddedApiServer start() {
        return start(ApiServerSettings.standard());
    }

    /**
     * Starts a server of its own, with nothing in it but the namespaces that every cluster has.
     *
     * @throws UncheckedIOException if the port cannot be used
     */
    public static EmbeddedApiServer start(ApiServerSettings settings) {
        // Read once by the JDK's server, when its first instance is made; without it small answers wait for the
        // client's ACK.
        System.setProperty("sun.net.httpserver.nodelay", "true");
        try {
            EmbeddedApiServer server = new EmbeddedApiServer(settings);
            server.http.start();
            return server;
        } catch (IOException e) {
            throw new UncheckedIOException(
                    "cannot start the embedded API server: port=%d; choose a free one, or 0".formatted(settings.port()),
                    e);
        }
    }

    public URI url() {
        String scheme = http instanceof HttpsServer ? "https" : "http";
        return URI.create(scheme + "://127.0.0.1:" + http.getAddress().getPort());
    }

    /** Writes a file by which kubectl or the agent reaches this server, and returns it. */
    public Path writeKubeconfig(Path file) throws IOException {
        return Files.writeString(file, """
                apiVersion: v1
                kind: Config
                clusters:
                  - name: embedded
                    cluster:
                      server: %s
                users:
                  - name: admin
                    user: {}
                contexts:
                  - name: embedded
                    context:
                      cluster: embedded
                      user: admin
                current-context: embedded
                """.formatted(url()));
    }

    /** Who may do what; everything, until a test says otherwise. */
    public AccessRules access() {
        return access;
    }

    /** What clients have sent. */
    public RequestLog requests() {
        return requests;
    }

    /** What the server does wrong. */
    public Faults faults() {
        return faults;
    }

    /** Forgets its history, so that a watch from any earlier version gets 410 Gone. */
    public void compact() {
        store.compact();
    }

    /** The latest resourceVersion; it grows by each write that changes something. */
    public long resourceVersion() {
        return store.revision();
    }

    /** Closes all connections, watches too. */
    @Override
    public void close() {
        front.close();
        http.stop(0);
        threads.shutdownNow();
    }

    private Target target(String namespace, String version, String plural) {
        ResourceType type = catalog.all().stream()
                .filter(each -> each.plural().equals(plural))
                .findFirst()
                .orElseThrow();
        return new Target(type, version, namespace, "", "");
    }

    private static ObjectNode definition() throws IOException {
        try (InputStream in = EmbeddedApiServer.class.getResourceAsStream(DEFINITION)) {
            if (in == null) {
                throw new IOException(
                        "a definition is not on the class path: resource=%s; build the simulator with Maven"
                                .formatted(DEFINITION));
            }
            return (ObjectNode) JsonText.parseYaml(in.readAllBytes());
        }
    }

    private static ObjectNode namespace(String name) {
        ObjectNode namespace = JsonText.object().put("kind", "Namespace").put("apiVersion", "v1");
        namespace.putObject("metadata").put("name", name);
        return namespace;
    }

    private static RecordedRequest byServer() {
        return new RecordedRequest("POST", "", new TreeMap<>(), "kube-apiserver", "", "", "admin", "");
    }

    private static ThreadFactory daemons() {
        AtomicInteger count = new AtomicInteger();
        return work -> {
            Thread thread = new Thread(work, "embedded-api-server-" + count.incrementAndGet());
            thread.setDaemon(true);
            return thread;
        };
    }
}
