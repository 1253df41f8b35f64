package io.numaledger.kubectl.rehearse;

import com.fasterxml.jackson.databind.node.ObjectNode;
import io.numaledger.apiobjects.view.RehearsalJson;
import io.numaledger.kubectl.client.Surroundings;
import io.numaledger.scheduling.rehearsal.DrainRehearsal;
import io.numaledger.scheduling.rehearsal.RehearsedCluster;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;

import java.io.IOException;

/** {@code kubectl numa rehearse drain}. */
@Command(
        name = "drain",
        description =
                "Shows whether the pods of nodes that are drained find room on the others, in which order fewest of them wait, and how many nodes can be drained at once. Each node takes pods again before the next is drained.",
        footer = RehearseCommand.STATUS,
        exitCodeOnExecutionException = 2,
        mixinStandardHelpOptions = true)
final class DrainCommand extends Rehearsal {

    @Mixin
    private final ChosenNodes nodes = new ChosenNodes();

    @Option(
            names = "--at-once",
            paramLabel = "N",
            description = "how many nodes are drained together (default: ${DEFAULT-VALUE})")
    private int atOnce = 1;

    DrainCommand(Surroundings surroundings) {
        super(surroundings);
    }

    @Override
    ObjectNode rehearse(RehearsedCluster cluster) throws IOException {
        return RehearsalJson.drain(
                "drain", new DrainRehearsal(cluster, true).of(nodes.in(cluster), atLeastOne("--at-once", atOnce)));
    }
}
