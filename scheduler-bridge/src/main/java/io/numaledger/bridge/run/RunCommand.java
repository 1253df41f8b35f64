package io.numaledger.bridge.run;

import io.fabric8.kubernetes.client.KubernetesClient;
import io.numaledger.bridge.access.FrontProxy;
import io.numaledger.bridge.certificate.CertificateRenewal;
import io.numaledger.bridge.watch.ClusterReader;
import io.numaledger.cli.Failures;
import io.numaledger.task.Termination;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.ParameterException;
import picocli.CommandLine.Spec;

import java.io.IOException;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Optional;
import java.util.concurrent.Callable;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.atomic.AtomicReference;

/** {@code bridge run}: watches the cluster and answers kube-scheduler until it is stopped. */
@Command(
        name = "run",
        description = "Watches the cluster and serves kube-scheduler as its extender.",
        mixinStandardHelpOptions = true)
public final class RunCommand implements Callable<Integer> {

    /** How long kube-proxy may send new connections to a replica that leaves. */
    private static final Duration SHUTDOWN_DELAY = Duration.ofSeconds(3);

    private static final Duration STOP_TIMEOUT = Duration.ofSeconds(20);

    @Spec
    private CommandSpec command;

    @Mixin
    private BridgeOptions options;

    @Option(
            names = "--kubeconfig",
            paramLabel = "FILE",
            description = "kubeconfig of the cluster (default: as kubectl finds it, or the service account)")
    private Optional<Path> kubeconfig = Optional.empty();

    @Override
    public Integer call() throws IOException, InterruptedException {
        check();
        CompletableFuture<Void> stopped = new CompletableFuture<>();
        try (Termination termination = new Termination(() -> stopped.complete(null), STOP_TIMEOUT);
                KubernetesClient client = ClusterReader.client(kubeconfig)) {
            requireNamespace(client);
            Optional<CertificateRenewal> renewal = awaitApiServer(client, stopped);
            if (renewal.isPresent()) {
                try (CertificateRenewal certificates = renewal.get();
                        Bridge bridge = new Bridge(options, certificates, client)) {
                    serve(bridge, stopped);
                }
            }
            return 0;
        } catch (ExecutionException e) {
            throw new IOException(
                    "cannot read the cluster: %s; check the bridge's rights, and that the NodeResourceTopology definition is installed"
                            .formatted(Failures.reason(e)),
                    e);
        }
    }

    private void serve(Bridge bridge, CompletableFuture<Void> stopped) throws InterruptedException, ExecutionException {
        bridge.start();
        var unused = bridge.sync().exceptionally(failure -> {
            stopped.completeExceptionally(failure);
            return null;
        });
        stopped.get();
        if (options.replicas.elect()) {
            // The others learn that this replica leaves, and callers go to them, before its connections are closed.
            bridge.leave();
            Thread.sleep(SHUTDOWN_DELAY.toMillis());
        }
    }

    private void check() {
        try {
            options.check();
        } catch (IllegalArgumentException e) {
            throw new ParameterException(command.commandLine(), e.getMessage(), e);
        }
    }

    private void requireNamespace(KubernetesClient client) throws IOException {
        boolean needed = options.replicas.elect() || options.security.issues();
        if (needed && Optional.ofNullable(client.getNamespace()).isEmpty()) {
            throw new IOException(
                    "the kubeconfig's context has no namespace: --leader-elect needs one for the Lease, and --issue-certificates for Secrets; set it with kubectl config set-context --current --namespace=NAMESPACE");
        }
    }

    /** Meanwhile the probes answer: the process is alive, and not ready. */
    private Optional<CertificateRenewal> awaitApiServer(KubernetesClient client, CompletableFuture<Void> stopped)
            throws IOException, InterruptedException, ExecutionException {
        AtomicReference<String> reason = new AtomicReference<>("the API server was not asked yet");
        try (BridgeEndpoints.Waiting unused = BridgeEndpoints.whileWaiting(options.endpoints.probes(), reason::get)) {
            return StartUp.untilAnswered(
                    () -> {
                        ClusterReader.requireApiServer(kubeconfig);
                        if (options.security.servesApi()) {
                            var unusedProxy = new FrontProxy(client);
                        }
                        return options.security.certificates(client);
                    },
                    stopped,
                    reason::set);
        }
    }
}
