package io.numaledger.simulator.rehearsal;

import io.numaledger.simulator.cluster.ClusterOptions;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Parameters;
import picocli.CommandLine.Spec;

import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.Callable;

/** {@code sim add-plugin}: a device plugin that is installed later. */
@Command(
        name = ClusterRequests.ADD_PLUGIN,
        description =
                "Starts a further device plugin on a node, which registers with the running kubelet; returns when the node has its devices.",
        footer = {
            "Example: 4 devices on NUMA node 0 and 2 on NUMA node 1:",
            "  sim add-plugin gpu-1 example.com/nic 0=4 1=2",
            "Their ids are nic-0, nic-1, ... Exit status: 0 done; 1 not done; 2 wrong arguments."
        },
        mixinStandardHelpOptions = true)
public final class AddPluginCommand implements Callable<Integer> {

    @Mixin
    private ClusterOptions cluster = new ClusterOptions();

    @Parameters(index = "0", paramLabel = "NODE", description = "name of the node; see sim status")
    private String node;

    @Parameters(
            index = "1",
            paramLabel = "RESOURCE",
            description = "resource name of the devices, such as example.com/nic")
    private String resource;

    @Parameters(
            index = "2..*",
            paramLabel = "NUMA-NODE=COUNT",
            arity = "1..*",
            description = "number of devices on each NUMA node")
    private List<String> devices;

    @Spec
    private CommandSpec command;

    @Override
    public Integer call() throws IOException {
        List<String> words = new ArrayList<>(List.of(ClusterRequests.ADD_PLUGIN, node, resource));
        words.addAll(devices);
        command.commandLine().getOut().println(RequestSocket.ask(cluster.directory(), words));
        return 0;
    }
}
