package io.numaledger.e2e.bridge;

import io.numaledger.apiservers.real.ChildProcess;
import io.numaledger.bridge.BridgeMain;

import java.io.IOException;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.net.http.HttpResponse.BodyHandlers;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;

import static org.awaitility.Awaitility.await;

/** The program {@code bridge run} behind HTTPS, which may be killed and started again at the same address. */
final class BridgeProcess implements AutoCloseable {

    private static final Duration TIMEOUT = Duration.ofMinutes(3);

    private final int port;
    private final Path kubeconfig;
    private final Path directory;
    private final BridgeCertificates certificates;
    private final String token;
    private Optional<ChildProcess> process = Optional.empty();

    /**
     * Not started yet.
     *
     * @param token of a user who may read everything, for the test
     */
    BridgeProcess(int port, Path kubeconfig, Path directory, BridgeCertificates certificates, String token) {
        this.port = port;
        this.kubeconfig = kubeconfig;
        this.directory = directory;
        this.certificates = certificates;
        this.token = token;
    }

    /**
     * One of several replicas, at a port of its own and with the same certificates.
     */
    static ChildProcess replica(
            String name, int port, Path kubeconfig, Path directory, BridgeCertificates certificates, String... flags) {
        List<String> command = new ArrayList<>(List.of(
                ProcessHandle.current().info().command().orElse("java"),
                "-XX:+UseSerialGC",
                "-XX:TieredStopAtLevel=1",
                "-cp",
                System.getProperty("java.class.path"),
                BridgeMain.class.getName(),
                "run",
                "--listen=127.0.0.1:" + port,
                "--kubeconfig=" + kubeconfig,
                "--client-ca=" + certificates.scheduler().ca(),
                "--tls-cert=" + certificates.certificate(),
                "--tls-key=" + certificates.key(),
                "--leader-elect",
                "--advertise-address=127.0.0.1:" + port));
        command.addAll(List.of(flags));
        return ChildProcess.start(name, directory, command);
    }

    /** Another one at the same address. */
    BridgeProcess with(BridgeCertificates other) {
        return new BridgeProcess(port, kubeconfig, directory, other, token);
    }

    String url() {
        return "https://127.0.0.1:" + port;
    }

    /** Returns when it is ready, at once if it runs. */
    void start() {
        if (process.isEmpty()) {
            process = Optional.of(ChildProcess.start(
                    "bridge",
                    directory,
                    List.of(
                            ProcessHandle.current().info().command().orElse("java"),
                            "-XX:+UseSerialGC",
                            "-XX:TieredStopAtLevel=1",
                            "-cp",
                            System.getProperty("java.class.path"),
                            BridgeMain.class.getName(),
                            "run",
                            "--listen=127.0.0.1:" + port,
                            "--scheduler-names=default-scheduler,lenient",
                            "--kubeconfig=" + kubeconfig,
                            "--client-ca=" + certificates.scheduler().ca(),
                            "--tls-cert=" + certificates.certificate(),
                            "--tls-key=" + certificates.key())));
        }
        await("the bridge is ready")
                .atMost(TIMEOUT)
                .ignoreExceptions()
                .until(() -> get("/readyz").statusCode() == 200);
    }

    HttpResponse<String> get(String path) throws IOException, InterruptedException {
        return send(HttpRequest.newBuilder(URI.create(url() + path))
                .header("Authorization", "Bearer " + token)
                .build());
    }

    HttpResponse<String> post(String path, String body) throws IOException, InterruptedException {
        return send(HttpRequest.newBuilder(URI.create(url() + path))
                .header("Authorization", "Bearer " + token)
                .POST(HttpRequest.BodyPublishers.ofString(body))
                .build());
    }

    private HttpResponse<String> send(HttpRequest request) throws IOException, InterruptedException {
        return HttpClient.newBuilder().sslContext(certificates.client()).build().send(request, BodyHandlers.ofString());
    }

    /** As {@code kill -9}. */
    void kill() {
        process.ifPresent(child -> {
            ProcessHandle.of(child.pid()).ifPresent(ProcessHandle::destroyForcibly);
            child.endsWithin(TIMEOUT);
            child.close();
        });
        process = Optional.empty();
    }

    @Override
    public void close() {
        kill();
    }
}
