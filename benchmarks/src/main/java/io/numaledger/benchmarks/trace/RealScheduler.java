package io.numaledger.benchmarks.trace;

import io.fabric8.kubernetes.client.KubernetesClient;
import io.numaledger.bridge.cli.SchedulerConfig;
import io.numaledger.bridge.run.Bridge;
import io.numaledger.bridge.run.BridgeOptions;
import io.numaledger.bridge.score.Strategy;
import io.numaledger.bridge.watch.ClusterReader;
import io.numaledger.realapiserver.ChildProcess;
import io.numaledger.realapiserver.FreePort;
import io.numaledger.realapiserver.RealApiServer;
import io.numaledger.simulator.cluster.ClusterDirectory;
import io.numaledger.simulator.cluster.KubeBinaries;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Optional;

import static org.awaitility.Awaitility.await;

/** A real API server and a real kube-scheduler, alone or with a bridge. There are no kubelets and no controllers. */
final class RealScheduler implements AutoCloseable {

    private static final Duration TIMEOUT = Duration.ofSeconds(60);

    private final KubeBinaries binaries;
    private final Path directory;
    private final RealApiServer server;
    private final KubernetesClient client;
    private Optional<Bridge> bridge = Optional.empty();
    private Optional<ChildProcess> scheduler = Optional.empty();

    /** Starts the API server. */
    RealScheduler(KubeBinaries binaries) throws IOException {
        this.binaries = binaries;
        this.directory = ClusterDirectory.create().path();
        this.server = RealApiServer.start(binaries.directory(), directory);
        this.client = ClusterReader.client(Optional.of(server.kubeconfig()));
    }

    KubernetesClient client() {
        return client;
    }

    /** Starts kube-scheduler with its default configuration, but for the strategy of NodeResourcesFit. */
    void startAlone(Strategy strategy) throws IOException {
        String text = """
                apiVersion: kubescheduler.config.k8s.io/v1
                kind: KubeSchedulerConfiguration
                clientConnection: {kubeconfig: "%s"}
                leaderElection: {leaderElect: false}
                """.formatted(server.kubeconfig());
        if (strategy == Strategy.MostAllocated) {
            text += """
                    profiles:
                    - pluginConfig:
                      - name: NodeResourcesFit
                        args:
                          scoringStrategy:
                            type: MostAllocated
                            resources: [{name: cpu, weight: 1}, {name: memory, weight: 1}, {name: %s, weight: 1}]
                    """.formatted(TraceNodeType.GPU);
        }
        start(text);
    }

    /** Starts a bridge with the defaults of {@code bridge run}, and kube-scheduler with the configuration for it. */
    void startWithBridge(Strategy strategy) throws IOException {
        int port = FreePort.next();
        Bridge started = new Bridge(BridgeOptions.plainHttp(port, "--scoring-strategy=" + strategy), client);
        bridge = Optional.of(started);
        started.start();
        await("the bridge is ready").atMost(TIMEOUT).until(started::isReady);
        start(SchedulerConfig.text(
                "http://127.0.0.1:" + port,
                "default-scheduler",
                Optional.of(server.kubeconfig()),
                Optional.empty(),
                false));
    }

    private void start(String configuration) throws IOException {
        Path file = Files.writeString(directory.resolve("scheduler.yaml"), configuration);
        scheduler = Optional.of(ChildProcess.start(
                "kube-scheduler",
                directory,
                List.of(
                        binaries.directory().resolve("kube-scheduler").toString(),
                        "--config=" + file,
                        "--secure-port=0")));
    }

    /** @throws IllegalStateException with its last lines, if kube-scheduler has ended */
    void requireAlive() {
        scheduler.filter(process -> !process.isAlive()).ifPresent(process -> {
            throw new IllegalStateException("kube-scheduler ended: " + process.lastLines());
        });
    }

    @Override
    public void close() {
        scheduler.ifPresent(ChildProcess::close);
        bridge.ifPresent(Bridge::close);
        client.close();
        server.close();
        ClusterDirectory.remove(directory);
    }
}
