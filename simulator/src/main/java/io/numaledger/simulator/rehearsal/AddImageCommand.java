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

/** {@code sim add-image}: an image that a node can pull. */
@Command(
        name = ClusterRequests.ADD_IMAGE,
        description =
                "Gives an image to all nodes, so that pods with it start. Its containers are records only: nothing runs.",
        footer = {
            "Nodes have images whose names are one word (busybox), those of registry.k8s.io, and registry.example.com/NAME.",
            "Pulling another one fails. See sim up --load-image for containers that run.",
            "Exit status: 0 done; 1 not done; 2 wrong arguments."
        },
        mixinStandardHelpOptions = true)
public final class AddImageCommand implements Callable<Integer> {

    @Mixin
    private ClusterOptions cluster = new ClusterOptions();

    @Parameters(index = "0", paramLabel = "IMAGE", description = "name of the image; without a tag: all tags")
    private String image;

    @Spec
    private CommandSpec command;

    @Override
    public Integer call() throws IOException {

        command.commandLine()
                .getOut()
                .println(RequestSocket.ask(cluster.directory(), List.of(ClusterRequests.ADD_IMAGE, image)));
        return 0;
    }
}
