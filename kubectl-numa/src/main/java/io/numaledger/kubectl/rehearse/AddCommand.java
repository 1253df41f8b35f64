package io.numaledger.kubectl.rehearse;

import com.fasterxml.jackson.databind.node.ObjectNode;
import io.numaledger.apiobjects.view.RehearsalJson;
import io.numaledger.evaluation.snapshot.NodeSnapshot;
import io.numaledger.kubectl.client.Surroundings;
import io.numaledger.kubectl.client.UnknownNameException;
import io.numaledger.scheduling.rehearsal.AddRehearsal;
import io.numaledger.scheduling.rehearsal.RehearsedCluster;
import picocli.CommandLine.Command;
import picocli.CommandLine.Parameters;

import java.io.IOException;
import java.util.List;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/** {@code kubectl numa rehearse add}. */
@Command(
        name = "add",
        description =
                "Shows which pending pods would run with more nodes like one that there is, and the fewest nodes that they would need.",
        footer = RehearseCommand.STATUS,
        exitCodeOnExecutionException = 2,
        mixinStandardHelpOptions = true)
final class AddCommand extends Rehearsal {

    private static final Pattern LIKE = Pattern.compile("(.+?)(?:\\*(\\d{1,4}))?");

    @Parameters(
            paramLabel = "NODE[*N]",
            description = "the node that the new ones are like, and how many at most (default: as many as are needed)")
    private String like = "";

    AddCommand(Surroundings surroundings) {
        super(surroundings);
    }

    @Override
    ObjectNode rehearse(RehearsedCluster cluster) throws IOException {
        Matcher matcher = LIKE.matcher(like);
        String name = matcher.matches() ? matcher.group(1) : like;
        List<String> known =
                cluster.state().snapshots().stream().map(NodeSnapshot::name).toList();
        if (!known.contains(name)) {
            throw UnknownNameException.node(name, known);
        }
        int most = matcher.group(2) == null
                ? AddRehearsal.MOST
                : Math.min(AddRehearsal.MOST, atLeastOne("the number of nodes", Integer.parseInt(matcher.group(2))));
        return RehearsalJson.add(name, most, AddRehearsal.of(cluster, name, most));
    }
}
