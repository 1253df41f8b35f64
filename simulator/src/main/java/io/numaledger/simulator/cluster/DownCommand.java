package io.numaledger.simulator.cluster;

import io.numaledger.cli.Progress;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Spec;

import java.nio.file.Path;
import java.util.concurrent.Callable;

/** {@code sim down}: the end of a cluster that {@code sim up} started. */
@Command(
        name = "down",
        description = "Ends a cluster that sim up started, and deletes its directory.",
        footer = "Exit status: 0, also when there was none.",
        mixinStandardHelpOptions = true)
public final class DownCommand implements Callable<Integer> {

    @Mixin
    private ClusterOptions cluster = new ClusterOptions();

    @Spec
    private CommandSpec command;

    @Override
    public Integer call() {
        Path directory = cluster.directory();
        boolean ran;
        try (Progress progress = Progress.on(command.commandLine().getErr())) {
            ran = BackgroundCluster.stop(directory, progress);
        }
        command.commandLine()
                .getOut()
                .printf(ran ? "The cluster is gone: dir=%s%n" : "No cluster runs there: dir=%s%n", directory);
        command.commandLine().getOut().flush();
        return 0;
    }
}
