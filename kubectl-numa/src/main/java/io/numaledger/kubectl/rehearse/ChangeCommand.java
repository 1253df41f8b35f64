package io.numaledger.kubectl.rehearse;

import com.fasterxml.jackson.databind.node.ObjectNode;
import io.numaledger.apiobjects.view.RehearsalJson;
import io.numaledger.kubectl.client.Surroundings;
import io.numaledger.scheduling.pool.NodePools;
import io.numaledger.scheduling.rehearsal.ChangeRehearsal;
import io.numaledger.scheduling.rehearsal.ChangeRehearsal.By;
import io.numaledger.scheduling.rehearsal.KubeletChange;
import io.numaledger.scheduling.rehearsal.RehearsedCluster;
import io.numaledger.scheduling.stranded.ReferencePods;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;

import java.io.IOException;
import java.util.List;

/** {@code kubectl numa rehearse change}. */
@Command(
        name = "change",
        description =
                "Shows whether the kubelets of nodes start with another version or configuration, which pods they keep and which they end, and how much room there is before and afterwards. One node is changed after the other.",
        footer = RehearseCommand.STATUS,
        exitCodeOnExecutionException = 2,
        mixinStandardHelpOptions = true)
final class ChangeCommand extends Rehearsal {

    @Mixin
    private final ChosenNodes nodes = new ChosenNodes();

    @Mixin
    private final ChangeOptions options = new ChangeOptions();

    @Option(
            names = "--reference-pod",
            paramLabel = "NAME:RESOURCE=AMOUNT,…",
            description = "a size by which room is counted, see kubectl numa stranded; can be repeated")
    private List<String> references = List.of();

    @Option(
            names = "--node-pool-label",
            paramLabel = "LABEL",
            description = "nodes with the same value of this label are one pool (default: all nodes are)")
    private String poolLabel = "";

    ChangeCommand(Surroundings surroundings) {
        super(surroundings);
    }

    @Override
    ObjectNode rehearse(RehearsedCluster cluster) throws IOException {
        try {
            By how = options.by();
            KubeletChange change = options.change();
            NodePools pools = new NodePools(poolLabel);
            return RehearsalJson.change(
                    how,
                    ChangeRehearsal.of(cluster, change, how, nodes.in(cluster), ReferencePods.of(references)),
                    pools::of);
        } catch (IllegalArgumentException invalid) {
            throw wrong(String.valueOf(invalid.getMessage()));
        }
    }
}
