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

/** {@code sim start-driver}: a DRA driver that is back, or comes at last. */
@Command(
        name = ClusterRequests.START_DRIVER,
        description =
                "Starts a DRA driver after sim stop-driver or before its delay is over; returns when its devices are published.",
        footer = {"Exit status: 0 done; 1 not done; 2 wrong arguments."},
        mixinStandardHelpOptions = true)
public final class StartDriverCommand implements Callable<Integer> {

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
                .println(RequestSocket.ask(cluster.directory(), List.of(ClusterRequests.START_DRIVER, node, driver)));
        return 0;
    }
}
