package io.numaledger.apiservers.real;

import io.numaledger.apiservers.wait.NotInTimeException;
import io.numaledger.apiservers.wait.Wait;

import java.io.IOException;
import java.io.InputStream;
import java.net.URI;
import java.net.http.HttpClient;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.security.GeneralSecurityException;
import java.time.Duration;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.List;
import java.util.function.BooleanSupplier;
import java.util.function.Supplier;

/**
 * Runs a real kube-apiserver with a real etcd on free loopback ports. It has RBAC, one administrator and the
 * NodeResourceTopology definition. The admission plugins that need a controller manager are disabled by default. Both
 * processes end with this JVM.
 */
public final class RealApiServer implements AutoCloseable {

    /** The custom resource definition that the chart ships, on the class path. */
    public static final String DEFINITION = "/crds/noderesourcetopologies.yaml";

    /** The wait polls at once: what it asks waits for the end of the server this long. */
    private static final Duration POLL = Duration.ofMillis(100);

    private final ApiServerFiles files;
    private final ChildProcess etcd;
    private final URI etcdUrl;
    private final Supplier<ChildProcess> starter;
    private ChildProcess server;
    private final URI url;
    private final HttpClient http;

    private RealApiServer(
            ApiServerFiles files,
            ChildProcess etcd,
            URI etcdUrl,
            Supplier<ChildProcess> starter,
            ChildProcess server,
            URI url,
            HttpClient http) {
        this.starter = starter;
        this.files = files;
        this.etcd = etcd;
        this.etcdUrl = etcdUrl;
        this.server = server;
        this.url = url;
        this.http = http;
    }

    /** Starts a server with the default admission plugins of this class. */
    public static RealApiServer start(Path binaries, Path workDir) {
        return start(binaries, workDir, List.of("--disable-admission-plugins=ServiceAccount,TaintNodesByCondition"));
    }

    /**
     * Starts etcd and kube-apiserver, and returns when the server is ready and serves NodeResourceTopology.
     *
     * @param binaries the directory with {@code etcd} and {@code kube-apiserver}, as in {@code KUBEBUILDER_ASSETS}
     * @param workDir the directory for keys, certificates, logs, the kubeconfig and the data of etcd; created if missing
     * @param arguments further arguments of kube-apiserver, such as {@code --disable-admission-plugins=…}
     * @throws RealApiServerException if a process does not start; the message has the end of its log
     */
    public static RealApiServer start(Path binaries, Path workDir, List<String> arguments) {
        Deque<ChildProcess> started = new ArrayDeque<>();
        try {
            Path directory = Files.createDirectories(workDir).toAbsolutePath();
            ApiServerFiles files = new ApiServerFiles(directory);
            files.writeBeforeStart();
            URI etcdUrl = URI.create("http://127.0.0.1:" + FreePort.next());
            ChildProcess etcd = startEtcd(binaries, directory, etcdUrl);
            started.push(etcd);
            int port = FreePort.next();
            List<String> command = serverCommand(binaries, files, etcdUrl, port, arguments);
            Supplier<ChildProcess> starter = () -> ChildProcess.start("kube-apiserver", directory, command);
            ChildProcess server = starter.get();
            started.push(server);
            await(etcd, server, "its certificate", files::hasServingCertificate);
            URI url = URI.create("https://127.0.0.1:" + port);
            HttpClient http = ApiClient.trusting(files.servingCertificate());
            RealApiServer fixture = new RealApiServer(files, etcd, etcdUrl, starter, server, url, http);
            fixture.awaitReady();
            return fixture;
        } catch (IOException | GeneralSecurityException e) {
            started.forEach(ChildProcess::close);
            throw new RealApiServerException(
                    "cannot prepare an API server: directory=%s; check that it is writable".formatted(workDir), e);
        } catch (RealApiServerException | NotInTimeException e) {
            started.forEach(ChildProcess::close);
            throw e;
        }
    }

    /** The kubeconfig file of the administrator. */
    public Path kubeconfig() {
        return files.kubeconfig();
    }

    public URI url() {
        return url;
    }

    /** The client URL of etcd. */
    public URI etcdUrl() {
        return etcdUrl;
    }

    /** The bearer token of the administrator. */
    public String token() {
        return ApiServerFiles.ADMIN_TOKEN;
    }

    /** The key that signs service account tokens, for a controller manager. */
    public Path serviceAccountKey() {
        return files.privateKey();
    }

    /** The certificates of the server and of its certificate authority, in PEM. */
    public Path servingCertificate() {
        return files.servingCertificate();
    }

    /** The process id of kube-apiserver, for tests that suspend it. */
    public long pid() {
        return server.pid();
    }

    /** Ends kube-apiserver. etcd keeps all objects. */
    public void stopServer() {
        server.close();
    }

    /** Starts kube-apiserver again at the same address, and returns when it is ready. */
    public void startServer() {
        server = starter.get();
        ApiClient client = new ApiClient(url, http);
        await(etcd, server, "readiness", () -> client.answersOk("/readyz"));
    }

    /** A client that trusts the certificate of the server. Requests need the {@link #token()}. */
    public HttpClient httpClient() {
        return http;
    }

    /** Kills both processes: nobody reads the data of etcd again. */
    @Override
    public void close() {
        server.kill();
        etcd.kill();
    }

    private static ChildProcess startEtcd(Path binaries, Path directory, URI clientUrl) throws IOException {
        String peerUrl = "http://127.0.0.1:" + FreePort.next();
        return ChildProcess.start(
                "etcd",
                directory,
                List.of(
                        binaries.resolve("etcd").toAbsolutePath().toString(),
                        "--data-dir=" + directory.resolve("etcd-data"),
                        "--listen-client-urls=" + clientUrl,
                        "--advertise-client-urls=" + clientUrl,
                        "--listen-peer-urls=" + peerUrl,
                        "--initial-advertise-peer-urls=" + peerUrl,
                        "--initial-cluster=default=" + peerUrl,
                        "--unsafe-no-fsync"));
    }

    private static List<String> serverCommand(
            Path binaries, ApiServerFiles files, URI etcdUrl, int port, List<String> arguments) {
        List<String> command = new ArrayList<>(List.of(
                binaries.resolve("kube-apiserver").toAbsolutePath().toString(),
                "--etcd-servers=" + etcdUrl,
                "--bind-address=127.0.0.1",
                "--secure-port=" + port,
                "--cert-dir=" + files.certificates(),
                "--service-account-key-file=" + files.publicKey(),
                "--service-account-signing-key-file=" + files.privateKey(),
                "--service-account-issuer=https://kubernetes.default.svc",
                "--token-auth-file=" + files.tokens(),
                "--authorization-mode=Node,RBAC",
                "--service-cluster-ip-range=10.96.0.0/16",
                "--allow-privileged"));
        command.addAll(arguments);
        return command;
    }

    private void awaitReady() throws IOException {
        files.writeKubeconfig(url.toString());
        ApiClient client = new ApiClient(url, http);
        await(etcd, server, "readiness", () -> client.answersOk("/readyz"));
        client.createDefinition(definition());
        await(
                etcd,
                server,
                "NodeResourceTopology",
                () -> client.answersOk("/apis/topology.node.k8s.io/v1alpha2/noderesourcetopologies"));
        await(etcd, server, "the namespace default", () -> client.answersOk("/api/v1/namespaces/default"));
    }

    private static void await(ChildProcess etcd, ChildProcess server, String what, BooleanSupplier condition) {
        Wait.until("the API server has " + what)
                .seeing(server::lastLine)
                .log(server.log())
                .pollInterval(Duration.ZERO)
                .holds(() -> {
                    if (condition.getAsBoolean()) {
                        return true;
                    }
                    if (server.endsWithin(POLL) || !etcd.isAlive()) {
                        throw new RealApiServerException(
                                "an API server did not start: waiting_for=%s etcd_alive=%b server_alive=%b; read the end of the log:%n%s"
                                        .formatted(
                                                what,
                                                etcd.isAlive(),
                                                server.isAlive(),
                                                (etcd.isAlive() ? server : etcd).lastLines()));
                    }
                    return false;
                });
    }

    private static String definition() throws IOException {
        try (InputStream in = RealApiServer.class.getResourceAsStream(DEFINITION)) {
            if (in == null) {
                throw new RealApiServerException(
                        "the custom resource definition is not on the class path: resource=%s; build api-servers with Maven"
                                .formatted(DEFINITION));
            }
            return new String(in.readAllBytes(), StandardCharsets.UTF_8);
        }
    }
}
