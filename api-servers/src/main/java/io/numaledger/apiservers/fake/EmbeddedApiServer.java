package io.numaledger.apiservers.fake;

import com.fasterxml.jackson.databind.node.ObjectNode;
import com.sun.net.httpserver.HttpServer;
import com.sun.net.httpserver.HttpsConfigurator;
import com.sun.net.httpserver.HttpsServer;
import io.numaledger.apiservers.fake.fault.Faults;
import io.numaledger.apiservers.fake.http.ExchangeHandler;
import io.numaledger.apiservers.fake.http.Router;
import io.numaledger.apiservers.fake.json.JsonText;
import io.numaledger.apiservers.fake.request.RecordedRequest;
import io.numaledger.apiservers.fake.request.RequestLog;
import io.numaledger.apiservers.fake.request.Target;
import io.numaledger.apiservers.fake.resource.ResourceCatalog;
import io.numaledger.apiservers.fake.storage.ObjectStore;
import io.numaledger.apiservers.fake.verbs.WriteVerbs;

import javax.net.ssl.SSLContext;

import java.io.IOException;
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
 * A Kubernetes API server in memory, on the loopback interface. It stores nodes, pods, events, namespaces, services,
 * config maps, service accounts, leases, disruption budgets and NodeResourceTopologies; these have no schema. It does what
 * our programs and tests call as kube-apiserver does it, and what {@code kubectl get}, {@code describe} and {@code delete}
 * need. Lists are not printed as tables, and {@code kubectl apply} finds no OpenAPI.
 */
public final class EmbeddedApiServer implements AutoCloseable {

    private static final List<String> NAMESPACES = List.of("default", "kube-node-lease", "kube-public", "kube-system");

    private final ObjectStore store;
    private final RequestLog requests = new RequestLog();
    private final Faults faults;
    private final ExchangeHandler handler;
    private final HttpServer http;
    private final ExecutorService threads = Executors.newCachedThreadPool(daemons());

    private EmbeddedApiServer(ApiServerSettings settings) throws IOException {
        store = new ObjectStore(settings.historyLimit());
        faults = new Faults(store::cutWatches);
        WriteVerbs writes = new WriteVerbs(store, settings.clock());
        Target namespaces = new Target(ResourceCatalog.NAMESPACES, "", "", "");
        NAMESPACES.forEach(name -> writes.insert(namespaces, namespace(name), byServer()));
        handler = new ExchangeHandler(new Router(store, settings.clock(), settings.bookmarkPeriod()), requests, faults);
        http = serverOn(new InetSocketAddress(InetAddress.getLoopbackAddress(), settings.port()), settings.tls());
        http.createContext("/", handler);
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
     * Starts a server whose only objects are the namespaces that every cluster has.
     *
     * @throws UncheckedIOException if the port cannot be used
     */
    public static EmbeddedApiServer start(ApiServerSettings settings) {
        // The JDK reads this once, when it creates its first server. Without it, small responses wait for the client's
        // ACK.
        System.setProperty("sun.net.httpserver.nodelay", "true");
        try {
            EmbeddedApiServer server = new EmbeddedApiServer(settings);
            server.http.start();
            return server;
        } catch (IOException e) {
            throw new UncheckedIOException(
                    "cannot start the embedded API server: port=%d; choose a free port, or 0"
                            .formatted(settings.port()),
                    e);
        }
    }

    public URI url() {
        String scheme = http instanceof HttpsServer ? "https" : "http";
        return URI.create(scheme + "://127.0.0.1:" + http.getAddress().getPort());
    }

    /** Writes a kubeconfig file for this server, and returns its path. */
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

    /** All requests that the server received. */
    public RequestLog requests() {
        return requests;
    }

    /** The faults that the server injects. */
    public Faults faults() {
        return faults;
    }

    /** Discards the history of changes: a watch from an earlier resource version gets 410 Gone. */
    public void compact() {
        store.compact();
    }

    /** The latest resource version. Each write that changes an object increases it. */
    public long resourceVersion() {
        return store.revision();
    }

    /** Closes all connections, including watches. */
    @Override
    public void close() {
        handler.close();
        http.stop(0);
        threads.shutdownNow();
    }

    private static ObjectNode namespace(String name) {
        ObjectNode namespace = JsonText.object().put("kind", "Namespace").put("apiVersion", "v1");
        namespace.putObject("metadata").put("name", name);
        return namespace;
    }

    private static RecordedRequest byServer() {
        return new RecordedRequest("POST", "", new TreeMap<>(), "kube-apiserver", "", "admin", "");
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
