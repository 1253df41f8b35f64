package io.numaledger.kubectl.rehearse;

import com.fasterxml.jackson.databind.node.ObjectNode;
import io.numaledger.apiobjects.view.RehearsalJson;
import io.numaledger.kubectl.client.Surroundings;
import io.numaledger.scheduling.rehearsal.DrainRehearsal;
import io.numaledger.scheduling.rehearsal.RehearsedCluster;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;

import java.io.IOException;
import java.util.List;

/** {@code kubectl numa rehearse remove}. */
@Command(
        name = "remove",
        description =
                "Shows whether the pods of nodes find room on the others when these nodes are removed, all at once.",
        footer = RehearseCommand.STATUS,
        exitCodeOnExecutionException = 2,
        mixinStandardHelpOptions = true)
final class RemoveCommand extends Rehearsal {

    @Mixin
    private final ChosenNodes nodes = new ChosenNodes();

    RemoveCommand(Surroundings surroundings) {
        super(surroundings);
    }

    @Override
    ObjectNode rehearse(RehearsedCluster cluster) throws IOException {
        List<String> chosen = nodes.in(cluster);
        return RehearsalJson.drain("remove", new DrainRehearsal(cluster, false).of(chosen, chosen.size()));
    }
}
