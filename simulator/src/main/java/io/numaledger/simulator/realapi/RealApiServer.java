package io.numaledger.simulator.realapi;

import io.numaledger.simulator.socket.FreePort;

import java.io.IOException;
import java.io.InputStream;
import java.net.URI;
import java.net.http.HttpClient;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.security.GeneralSecurityException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.function.BooleanSupplier;

/**
 * A real kube-apiserver over a real etcd on free loopback ports, with RBAC, one administrator, and the
 * NodeResourceTopology definition. Without a controller manager nobody makes ServiceAccounts or takes taints away, so the
 * two admission plugins that count on it are off, unless other arguments say otherwise. Both processes end with this JVM.
 */
public final class RealApiServer implements AutoCloseable {

    /** The custom resource definition that the chart ships, on the class path. */
    public static final String DEFINITION = "/crds/noderesourcetopologies.yaml";

    private static final Duration START_LIMIT = Duration.ofSeconds(90);
    private static final Duration POLL = Duration.ofMillis(100);

    private final ApiServerFiles files;
    private final ChildProcess etcd;
    private final URI etcdUrl;
    private ChildProcess server;
    private URI url;
    private HttpClient http;

    private RealApiServer(ApiServerFiles files, ChildProcess etcd, URI etcdUrl) {
        this.files = files;
        this.etcd = etcd;
        this.etcdUrl = etcdUrl;
    }

    /** As {@link #start(Path, Path, List)}, with the fixture's own arguments only. */
    public static RealApiServer start(Path binaries, Path workDir) {
        return start(binaries, workDir, List.of("--disable-admission-plugins=ServiceAccount,TaintNodesByCondition"));
    }

    /**
     * Starts etcd, then kube-apiserver, and returns when the server is ready and serves NodeResourceTopology.
     *
     * @param binaries the directory with {@code etcd} and {@code kube-apiserver}, as in {@code KUBEBUILDER_ASSETS}
     * @param workDir where keys, certificates, logs, the kubeconfig and etcd's data go; made if missing
     * @param arguments further arguments of kube-apiserver, such as {@code --disable-admission-plugins=…}
     * @throws RealApiServerException naming what did not start, with the end of its log
     */
    public static RealApiServer start(Path binaries, Path workDir, List<String> arguments) {
        RealApiServer fixture = null;
        try {
            Path directory = Files.createDirectories(workDir).toAbsolutePath();
            ApiServerFiles files = new ApiServerFiles(directory);
            files.writeBeforeStart();
            URI etcdUrl = URI.create("http://127.0.0.1:" + FreePort.next());
            fixture = new RealApiServer(files, startEtcd(binaries, directory, etcdUrl), etcdUrl);
            fixture.startServer(binaries, directory, arguments);
            return fixture;
        } catch (IOException | GeneralSecurityException e) {
            closeQuietly(fixture);
            throw new RealApiServerException(
                    "cannot prepare an API server: directory=%s; check that it may be written".formatted(workDir), e);
        } catch (RealApiServerException e) {
            closeQuietly(fixture);
            throw e;
        }
    }

    /** A file by which kubectl, the agent or a kubelet reaches the server as its administrator. */
    public Path kubeconfig() {
        return files.kubeconfig();
    }

    public URI url() {
        return url;
    }

    /** The URL by which etcd answers its clients. */
    public URI etcdUrl() {
        return etcdUrl;
    }

    /** The administrator's bearer token. */
    public String token() {
        return ApiServerFiles.ADMIN_TOKEN;
    }

    /** The key that signs service account tokens, for a controller manager. */
    public Path serviceAccountKey() {
        return files.privateKey();
    }

    /** The server's certificate and that of its authority, as PEM. */
    public Path servingCertificate() {
        return files.servingCertificate();
    }

    /** The server's process id, for those who want to stop it for a while. */
    public long pid() {
        return server.pid();
    }

    /** A client that trusts the server's certificate; requests need the {@link #token()}. */
    public HttpClient httpClient() {
        return http;
    }

    /** Ends both processes: the server first, since one that lost its etcd does not end by itself. */
    @Override
    public void close() {
        if (server != null) {
            server.close();
        }
        etcd.close();
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

    private void startServer(Path binaries, Path directory, List<String> arguments)
            throws IOException, GeneralSecurityException {
        int port = FreePort.next();
        url = URI.create("https://127.0.0.1:" + port);
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
        server = ChildProcess.start("kube-apiserver", directory, command);
        await("its certificate", () -> Files.exists(files.servingCertificate()));
        http = ApiClient.trusting(files.servingCertificate());
        files.writeKubeconfig(url.toString());
        ApiClient client = new ApiClient(url, http);
        await("readiness", () -> client.answersOk("/readyz"));
        client.createDefinition(definition());
        await(
                "NodeResourceTopology",
                () -> client.answersOk("/apis/topology.node.k8s.io/v1alpha2/noderesourcetopologies"));
        await("the namespace default", () -> client.answersOk("/api/v1/namespaces/default"));
    }

    private void await(String what, BooleanSupplier condition) {
        long deadline = System.nanoTime() + START_LIMIT.toNanos();
        while (!condition.getAsBoolean()) {
            if (server.endsWithin(POLL) || !etcd.isAlive() || System.nanoTime() > deadline) {
                ChildProcess guilty = etcd.isAlive() ? server : etcd;
                throw new RealApiServerException(
                        "an API server did not start: waiting_for=%s etcd_alive=%b server_alive=%b; read the end of the log:%n%s"
                                .formatted(what, etcd.isAlive(), server.isAlive(), guilty.lastLines()));
            }
        }
    }

    private static String definition() throws IOException {
        try (InputStream in = RealApiServer.class.getResourceAsStream(DEFINITION)) {
            if (in == null) {
                throw new RealApiServerException(
                        "a definition is not on the class path: resource=%s; build the simulator with Maven"
                                .formatted(DEFINITION));
            }
            return new String(in.readAllBytes(), StandardCharsets.UTF_8);
        }
    }

    private static void closeQuietly(RealApiServer fixture) {
        if (fixture != null) {
            fixture.close();
        }
    }
}
