package io.numaledger.bridge.cli;

import io.numaledger.bridge.cli.SchedulerConfig.TlsFiles;
import picocli.CommandLine.Command;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.ParameterException;
import picocli.CommandLine.Spec;

import java.net.URI;
import java.net.URISyntaxException;
import java.nio.file.Path;
import java.util.Optional;
import java.util.concurrent.Callable;

/** {@code bridge scheduler-config}: a configuration for {@code kube-scheduler --config}. */
@Command(
        name = "scheduler-config",
        description = "Prints a complete KubeSchedulerConfiguration with the bridge as extender.",
        mixinStandardHelpOptions = true)
final class SchedulerConfigCommand implements Callable<Integer> {

    @Spec
    private CommandSpec command;

    @Option(names = "--url", required = true, paramLabel = "URL", description = "URL of the bridge")
    private String url;

    @Option(
            names = "--scheduler-name",
            paramLabel = "NAME",
            description = "name of the scheduler profile (default: ${DEFAULT-VALUE})")
    private String schedulerName = "default-scheduler";

    @Option(
            names = "--kubeconfig",
            paramLabel = "FILE",
            description = "kubeconfig of kube-scheduler (default: its service account)")
    private Optional<Path> kubeconfig = Optional.empty();

    @Option(
            names = "--tls-directory",
            paramLabel = "DIR",
            description =
                    "where kube-scheduler finds ca.crt, tls.crt and tls.key, as in the Secret RELEASE-bridge-client (default: ${DEFAULT-VALUE})")
    private Path tlsDirectory = Path.of("/etc/numaledger");

    @Option(
            names = "--ca-file",
            paramLabel = "FILE",
            description = "CA bundle for the bridge's certificate (default: ca.crt in --tls-directory)")
    private Optional<Path> caFile = Optional.empty();

    @Option(
            names = "--insecure-skip-tls-verify",
            description =
                    "do not verify the bridge's certificate; a program that impersonates the bridge can then bind pods")
    private boolean insecure;

    @Option(names = "--no-leader-election", description = "disable leader election, for a single kube-scheduler")
    private boolean alone;

    @Option(
            names = "--percentage-of-nodes-to-score",
            paramLabel = "PERCENT",
            description =
                    "how many nodes kube-scheduler looks for before it calls the bridge; 0: it decides by itself (default: ${DEFAULT-VALUE})")
    private int percentageOfNodes;

    @Override
    public Integer call() {
        requireUrl();
        requirePercentage();
        TlsFiles files = TlsFiles.in(tlsDirectory);
        Optional<TlsFiles> tls = url.startsWith("https:")
                ? Optional.of(new TlsFiles(caFile.orElse(files.ca()), files.certificate(), files.key()))
                : Optional.empty();
        command.commandLine()
                .getOut()
                .print(SchedulerConfig.text(url, schedulerName, kubeconfig, tls, !alone, insecure, percentageOfNodes));
        command.commandLine().getOut().flush();
        return 0;
    }

    private void requirePercentage() {
        if (percentageOfNodes < 0 || percentageOfNodes > 100) {
            throw new ParameterException(
                    command.commandLine(),
                    "--percentage-of-nodes-to-score is %d; use 0 (kube-scheduler decides) to 100"
                            .formatted(percentageOfNodes));
        }
    }

    private void requireUrl() {
        try {
            URI uri = new URI(url);
            if (String.valueOf(uri.getScheme()).matches("https?") && uri.getHost() != null) {
                return;
            }
        } catch (URISyntaxException e) {
            // The message says what is expected.
        }
        throw new ParameterException(
                command.commandLine(),
                "--url is '%s'; expected the bridge's URL, such as https://numaledger-bridge.numaledger.svc:9443"
                        .formatted(url));
    }
}
