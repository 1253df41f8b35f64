package io.numaledger.benchmarks.trace;

import io.fabric8.kubernetes.client.Config;
import io.fabric8.kubernetes.client.KubernetesClient;
import io.fabric8.kubernetes.client.KubernetesClientBuilder;
import io.numaledger.apiservers.real.RealApiServer;
import io.numaledger.benchmarks.process.MeasuredBridge;
import io.numaledger.benchmarks.process.MeasuredProcess;
import io.numaledger.evaluation.score.Strategy;
import io.numaledger.simulator.cluster.ClusterCertificates;
import io.numaledger.simulator.cluster.ClusterDirectory;
import io.numaledger.simulator.cluster.KubeBinaries;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;

/** A real API server and a real kube-scheduler, alone or with a bridge. There are no kubelets and no controllers. */
public final class RealScheduler implements AutoCloseable {

    private final KubeBinaries binaries;
    private final Path directory;
    private final RealApiServer server;
    private final KubernetesClient client;
    private Optional<MeasuredBridge> bridge = Optional.empty();
    private Optional<MeasuredProcess> scheduler = Optional.empty();

    /** Starts the API server. */
    RealScheduler(KubeBinaries binaries) throws IOException {
        this.binaries = binaries;
        this.directory = ClusterDirectory.create().path();
        this.server = RealApiServer.start(binaries.directory(), directory, arguments(directory));
        this.client = client(server.kubeconfig());
    }

    /** Unlike the bridge's, it reads whole Pods of events. */
    public static KubernetesClient client(Path kubeconfig) {
        return new KubernetesClientBuilder()
                .withConfig(Config.fromKubeconfig(kubeconfig.toFile()))
                .build();
    }

    /** Of an API server without controllers, with those by which it would pass requests on to the bridge. */
    public static List<String> arguments(Path directory) {
        List<String> arguments = new ArrayList<>(new ClusterCertificates(directory).frontProxyArguments());
        arguments.add("--disable-admission-plugins=ServiceAccount,TaintNodesByCondition");
        return arguments;
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
                    """.formatted(Trace.GPU);
        }
        start(text);
    }

    /** Starts a bridge with the defaults of {@code bridge run}, and kube-scheduler with the configuration for it. */
    void startWithBridge(Strategy strategy) throws IOException, InterruptedException {
        MeasuredBridge started = MeasuredBridge.start(
                Optional.empty(), kubeconfig(directory, server), List.of("--scoring-strategy=" + strategy));
        bridge = Optional.of(started);
        started.process().awaitReady();
        start(started.schedulerConfiguration(server.kubeconfig()));
    }

    /** The server's, with the namespace of the bridge's Lease. */
    public static Path kubeconfig(Path directory, RealApiServer server) throws IOException {
        return Files.writeString(
                directory.resolve("kubeconfig"),
                Files.readString(server.kubeconfig())
                        .replace("user: admin\n", "user: admin\n      namespace: default\n"));
    }

    private void start(String configuration) throws IOException {
        scheduler = Optional.of(MeasuredProcess.kubeScheduler(binaries.of("kube-scheduler"), directory, configuration));
    }

    /** @throws IllegalStateException with its last lines, if kube-scheduler has ended */
    void requireAlive() {
        scheduler.ifPresent(MeasuredProcess::requireAlive);
    }

    @Override
    public void close() {
        scheduler.ifPresent(MeasuredProcess::close);
        bridge.ifPresent(MeasuredBridge::close);
        client.close();
        server.close();
        ClusterDirectory.remove(directory);
    }
}
