package io.numaledger.bridge.cli;

import io.fabric8.kubernetes.client.KubernetesClient;
import io.numaledger.bridge.run.Bridge;
import io.numaledger.bridge.score.Goal;
import io.numaledger.bridge.score.Strategy;
import io.numaledger.bridge.server.BridgeServer.Limits;
import io.numaledger.bridge.server.ReloadedCertificate;
import io.numaledger.bridge.watch.ClusterReader;
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
import java.util.concurrent.Callable;
import java.util.concurrent.CountDownLatch;

/** {@code bridge run}: watches the cluster and answers kube-scheduler until it is told to stop. */
@Command(
        name = "run",
        description = "Watches the cluster and answers kube-scheduler as its extender.",
        mixinStandardHelpOptions = true)
final class RunCommand implements Callable<Integer> {

    @Spec
    private CommandSpec command;

    @Mixin
    private PictureOptions pictures;

    @Option(
            names = "--kubeconfig",
            paramLabel = "FILE",
            description = "default: as kubectl finds it, or the service account")
    private Optional<Path> kubeconfig = Optional.empty();

    @Option(names = "--listen", paramLabel = "HOST:PORT", description = "default ${DEFAULT-VALUE}; port 0: any")
    private String listen = "0.0.0.0:9443";

    @Option(names = "--insecure-http", description = "plain HTTP; whoever can reach the port can bind pods")
    private boolean insecure;

    @Option(names = "--tls-cert", paramLabel = "FILE", description = "PEM; read again when it changes")
    private Optional<Path> certificate = Optional.empty();

    @Option(names = "--tls-key", paramLabel = "FILE", description = "PEM, PKCS #8")
    private Optional<Path> key = Optional.empty();

    @Option(names = "--max-body-bytes", paramLabel = "N", description = "default ${DEFAULT-VALUE}")
    private int maxBodyBytes = Limits.DEFAULT.maxBodyBytes();

    @Option(
            names = "--max-requests",
            paramLabel = "N",
            description = "that take their time, worked on at once; default ${DEFAULT-VALUE}")
    private int threads = Limits.DEFAULT.threads();

    @Option(
            names = "--max-request-seconds",
            paramLabel = "N",
            description = "for a request to come in, and for its answer to go out; default ${DEFAULT-VALUE}")
    private long seconds = Limits.DEFAULT.time().toSeconds();

    @Option(
            names = "--goals",
            split = ",",
            paramLabel = "GOAL",
            description =
                    "what prioritize looks at, the first one first: ${COMPLETION-CANDIDATES}; default ${DEFAULT-VALUE}")
    private List<Goal> goals = List.of(Goal.ZONES, Goal.WHOLE_ZONES, Goal.STRATEGY);

    @Option(
            names = "--scoring-strategy",
            paramLabel = "STRATEGY",
            description = "${COMPLETION-CANDIDATES}; default ${DEFAULT-VALUE}")
    private Strategy strategy = Strategy.LeastNUMANodes;

    @Option(
            names = "--hold-after-seconds",
            paramLabel = "N",
            description =
                    "a pod that has waited for zones this long gets those that come free before younger ones; 0: never; default ${DEFAULT-VALUE}")
    private int holdAfterSeconds = 2;

    @Override
    public Integer call() throws IOException, InterruptedException {
        Bridge.Settings settings = new Bridge.Settings(
                address(),
                tls(),
                new Limits(maxBodyBytes, threads, Limits.DEFAULT.connections(), Duration.ofSeconds(seconds)),
                pictures.settings(),
                goals,
                strategy,
                patience());
        CountDownLatch told = new CountDownLatch(1);
        Runtime.getRuntime().addShutdownHook(new Thread(told::countDown, "bridge-stop"));
        try (KubernetesClient client = ClusterReader.client(kubeconfig);
                Bridge bridge = new Bridge(settings, client)) {
            bridge.start();
            told.await();
        }
        return 0;
    }

    private Duration patience() {
        if (holdAfterSeconds < 0) {
            throw new ParameterException(
                    command.commandLine(),
                    "--hold-after-seconds is %d; expected 0 (never) or more".formatted(holdAfterSeconds));
        }
        return Duration.ofSeconds(holdAfterSeconds);
    }

    private InetSocketAddress address() {
        int colon = listen.lastIndexOf(':');
        try {
            return new InetSocketAddress(listen.substring(0, colon), Integer.parseInt(listen.substring(colon + 1)));
        } catch (RuntimeException e) {
            throw new ParameterException(
                    command.commandLine(),
                    "--listen is '%s'; expected HOST:PORT, such as 0.0.0.0:9443".formatted(listen),
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
                    "--tls-cert and --tls-key are missing; give both, or --insecure-http where nobody else can reach the port");
        }
        return Optional.of(new ReloadedCertificate(certificate.get(), key.get()).context());
    }
}
