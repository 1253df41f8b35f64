package io.numaledger.simulator.rehearsal;

import io.numaledger.simulator.cluster.ClusterOptions;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Parameters;
import picocli.CommandLine.Spec;

import java.io.IOException;
import java.util.List;
import java.util.concurrent.Callable;

/** {@code sim restart-kubelet}: what an upgrade or a crash of the kubelet does. */
@Command(
        name = ClusterRequests.RESTART_KUBELET,
        description =
                "Restarts the kubelet of a node over the state that it left; returns when the node is Ready again.",
        footer = {"The pods of the node keep running.", "Exit status: 0 done; 1 not done; 2 wrong arguments."},
        mixinStandardHelpOptions = true)
public final class RestartKubeletCommand implements Callable<Integer> {

    @Mixin
    private ClusterOptions cluster = new ClusterOptions();

    @Parameters(index = "0", paramLabel = "NODE", description = "name of the node; see sim status")
    private String node;

    @Spec
    private CommandSpec command;

    @Override
    public Integer call() throws IOException {

        command.commandLine()
                .getOut()
                .println(RequestSocket.ask(cluster.directory(), List.of(ClusterRequests.RESTART_KUBELET, node)));
        return 0;
    }
}
