package io.numaledger.bridge.cli;

import io.fabric8.kubernetes.client.KubernetesClient;
import io.numaledger.bridge.run.Bridge;
import io.numaledger.bridge.score.ScoringCriterion;
import io.numaledger.bridge.score.Strategy;
import io.numaledger.bridge.server.BridgeServer.Limits;
import io.numaledger.bridge.watch.ClusterReader;
import io.numaledger.cli.Failures;
import io.numaledger.cli.GoDuration;
import io.numaledger.tls.ReloadableKeys;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.ParameterException;
import picocli.CommandLine.Spec;

import javax.net.ssl.SSLContext;

import java.io.IOException;
import java.net.InetSocketAddress;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.Callable;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;

/** {@code bridge run}: watches the cluster and answers kube-scheduler until it is stopped. */
@Command(
        name = "run",
        description = "Watches the cluster and serves kube-scheduler as its extender.",
        mixinStandardHelpOptions = true)
final class RunCommand implements Callable<Integer> {

    @Spec
    private CommandSpec command;

    @Mixin
    private SnapshotOptions snapshots;

    @Option(
            names = "--kubeconfig",
            paramLabel = "FILE",
            description = "kubeconfig of the cluster (default: as kubectl finds it, or the service account)")
    private Optional<Path> kubeconfig = Optional.empty();

    @Option(
            names = "--listen",
            paramLabel = "HOST:PORT",
            description = "address to serve on (default: ${DEFAULT-VALUE}); port 0: any free port")
    private String listen = "0.0.0.0:9443";

    @Option(
            names = "--insecure-http",
            description = "serve plain HTTP; every client that can reach the port can bind pods")
    private boolean insecure;

    @Option(
            names = "--tls-cert",
            paramLabel = "FILE",
            description = "server certificate, PEM; reloaded when it changes")
    private Optional<Path> certificate = Optional.empty();

    @Option(
            names = "--tls-key",
            paramLabel = "FILE",
            description = "private key, PEM, not encrypted; reloaded when it changes")
    private Optional<Path> key = Optional.empty();

    @Option(
            names = "--max-body-bytes",
            paramLabel = "N",
            description =
                    "longest request body; all bodies together may take twice as much (default: ${DEFAULT-VALUE})")
    private int maxBodyBytes = Limits.DEFAULT.maxBodyBytes();

    @Option(
            names = "--max-concurrent-requests",
            paramLabel = "N",
            description =
                    "how many slow requests, such as binds and explanations, are served at once (default: ${DEFAULT-VALUE})")
    private int threads = Limits.DEFAULT.threads();

    @Option(
            names = "--request-timeout",
            paramLabel = "DURATION",
            converter = GoDuration.class,
            description = "how long a request may take to arrive, and its answer to be sent (default: 15s)")
    private Duration requestTimeout = Limits.DEFAULT.time();

    @Option(
            names = "--scoring-criteria",
            split = ",",
            paramLabel = "CRITERION",
            description =
                    "what prioritize compares, the first one first: ${COMPLETION-CANDIDATES} (default: ${DEFAULT-VALUE})")
    private List<ScoringCriterion> criteria = Bridge.Settings.CRITERIA;

    @Option(
            names = "--scoring-strategy",
            paramLabel = "STRATEGY",
            description =
                    "how the criterion Strategy scores zones: ${COMPLETION-CANDIDATES} (default: ${DEFAULT-VALUE})")
    private Strategy strategy = Bridge.Settings.STRATEGY;

    @Option(
            names = "--hold-after",
            paramLabel = "DURATION",
            converter = GoDuration.class,
            description =
                    "reserve zones that become free for a pod that has been pending for this long; 0s: never (default: 2s)")
    private Duration holdAfter = Bridge.Settings.HOLD_AFTER;

    @Option(
            names = "--scheduler-names",
            split = ",",
            paramLabel = "NAME",
            description = "bind pods of these schedulers only (default: default-scheduler,numaledger)")
    private Set<String> schedulers = Bridge.Settings.SCHEDULERS;

    @Override
    public Integer call() throws IOException, InterruptedException {
        Bridge.Settings settings = new Bridge.Settings(
                address(),
                tls(),
                new Limits(maxBodyBytes, threads, Limits.DEFAULT.connections(), requestTimeout),
                snapshots.settings(),
                criteria,
                strategy,
                holdAfter(),
                schedulers);
        ClusterReader.requireApiServer(kubeconfig);
        CompletableFuture<Void> stopped = new CompletableFuture<>();
        Runtime.getRuntime().addShutdownHook(new Thread(() -> stopped.complete(null), "bridge-stop"));
        try (KubernetesClient client = ClusterReader.client(kubeconfig);
                Bridge bridge = new Bridge(settings, client)) {
            bridge.start();
            var unused = bridge.sync().exceptionally(failure -> {
                stopped.completeExceptionally(failure);
                return null;
            });
            stopped.get();
            return 0;
        } catch (ExecutionException e) {
            throw new IOException(
                    "cannot read the cluster: %s; check the bridge's rights, and that the NodeResourceTopology definition is installed"
                            .formatted(Failures.reason(e)),
                    e);
        }
    }

    private Duration holdAfter() {
        if (holdAfter.isNegative()) {
            throw new ParameterException(command.commandLine(), "--hold-after is negative; use 0s (never) or more");
        }
        return holdAfter;
    }

    private InetSocketAddress address() {
        int colon = listen.lastIndexOf(':');
        try {
            return new InetSocketAddress(listen.substring(0, colon), Integer.parseInt(listen.substring(colon + 1)));
        } catch (RuntimeException e) {
            throw new ParameterException(
                    command.commandLine(),
                    "--listen is '%s'; use HOST:PORT, such as 0.0.0.0:9443".formatted(listen),
                    e);
        }
    }

    private Optional<SSLContext> tls() throws IOException {
        if (insecure) {
            return Optional.empty();
        }
        if (certificate.isEmpty() || key.isEmpty()) {
            throw new ParameterException(
                    command.commandLine(),
                    "--tls-cert and --tls-key are missing; set both, or set --insecure-http if no other client can reach the port");
        }
        return Optional.of(ReloadableKeys.read(certificate.get(), key.get()).context());
    }
}
