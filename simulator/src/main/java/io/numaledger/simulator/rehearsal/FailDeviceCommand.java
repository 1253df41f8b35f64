package io.numaledger.simulator.rehearsal;

import io.numaledger.simulator.cluster.ClusterOptions;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;
import picocli.CommandLine.Spec;

import java.io.IOException;
import java.util.List;
import java.util.concurrent.Callable;

/** {@code sim fail-device}: a broken GPU. */
@Command(
        name = ClusterRequests.FAIL_DEVICE,
        description =
                "Makes a device unhealthy, as its device plugin reports it to the kubelet; returns when the node has one device less.",
        footer = {
            "A pod that has the device keeps running. sim repair-device makes it healthy again.",
            "Exit status: 0 done; 1 not done; 2 wrong arguments."
        },
        mixinStandardHelpOptions = true)
public final class FailDeviceCommand implements Callable<Integer> {

    @Mixin
    private ClusterOptions cluster = new ClusterOptions();

    @Parameters(index = "0", paramLabel = "NODE", description = "name of the node; see sim status")
    private String node;

    @Parameters(
            index = "1",
            paramLabel = "RESOURCE",
            description = "resource name of the device plugin, such as nvidia.com/gpu")
    private String resource;

    @Parameters(index = "2", paramLabel = "DEVICE", description = "id of the device, such as gpu-0")
    private String device;

    @Option(
            names = "--gone",
            description = "the device plugin no longer lists the device, instead of listing it as unhealthy")
    private boolean gone;

    @Spec
    private CommandSpec command;

    @Override
    public Integer call() throws IOException {

        command.commandLine()
                .getOut()
                .println(RequestSocket.ask(
                        cluster.directory(),
                        List.of(
                                gone ? ClusterRequests.REMOVE_DEVICE : ClusterRequests.FAIL_DEVICE,
                                node,
                                resource,
                                device)));
        return 0;
    }
}
