package io.numaledger.bridge.cli;

import picocli.CommandLine.Command;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.Spec;

import java.nio.file.Path;
import java.util.Optional;
import java.util.concurrent.Callable;

/** {@code bridge scheduler-config}: what {@code kube-scheduler --config} takes as it is. */
@Command(
        name = "scheduler-config",
        description = "Prints a complete KubeSchedulerConfiguration with the bridge as extender.",
        mixinStandardHelpOptions = true)
final class SchedulerConfigCommand implements Callable<Integer> {

    @Spec
    private CommandSpec command;

    @Option(names = "--url", required = true, paramLabel = "URL", description = "of the bridge")
    private String url;

    @Option(names = "--scheduler-name", paramLabel = "N", description = "default ${DEFAULT-VALUE}")
    private String schedulerName = "default-scheduler";

    @Option(names = "--kubeconfig", paramLabel = "F", description = "the scheduler's own; default: its service account")
    private Optional<Path> kubeconfig = Optional.empty();

    @Option(names = "--ca-file", paramLabel = "F", description = "with https: whose certificates to believe")
    private Optional<Path> caFile = Optional.empty();

    @Option(names = "--no-leader-election", description = "for a scheduler that is alone by other means")
    private boolean alone;

    @Override
    public Integer call() {
        command.commandLine().getOut().print(SchedulerConfig.text(url, schedulerName, kubeconfig, caFile, !alone));
        command.commandLine().getOut().flush();
        return 0;
    }
}
