package io.numaledger.simulator.rehearsal;

import io.numaledger.simulator.cluster.ClusterOptions;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Spec;

import java.io.IOException;
import java.util.List;

/** The cluster that a command is about. */
final class RunningCluster {

    @Mixin
    private ClusterOptions cluster = new ClusterOptions();

    @Spec(Spec.Target.MIXEE)
    private CommandSpec command;

    /** Has the cluster carry out a request, and prints its answer. Returns the exit status. */
    int ask(List<String> request) throws IOException {
        command.commandLine().getOut().println(RequestSocket.ask(cluster.directory(), request));
        return 0;
    }
}
