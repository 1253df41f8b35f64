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

/** {@code sim stop-driver}: a DRA driver that goes away. */
@Command(
        name = ClusterRequests.STOP_DRIVER,
        description = "Stops a DRA driver; the kubelet deletes its ResourceSlices half a minute later.",
        footer = {
            "Allocations of its devices stay, and pods that have them keep running. sim start-driver starts it again.",
            "Exit status: 0 done; 1 not done; 2 wrong arguments."
        },
        mixinStandardHelpOptions = true)
public final class StopDriverCommand implements Callable<Integer> {

    @Mixin
    private ClusterOptions cluster = new ClusterOptions();

    @Parameters(index = "0", paramLabel = "NODE", description = "name of the node; see sim status")
    private String node;

    @Parameters(index = "1", paramLabel = "DRIVER", description = "name of the driver, such as gpu.example.com")
    private String driver;

    @Spec
    private CommandSpec command;

    @Override
    public Integer call() throws IOException {
        command.commandLine()
                .getOut()
                .println(RequestSocket.ask(cluster.directory(), List.of(ClusterRequests.STOP_DRIVER, node, driver)));
        return 0;
    }
}
