package io.numaledger.kubectl.rehearse;

import io.numaledger.kubectl.client.Surroundings;
import picocli.CommandLine;
import picocli.CommandLine.Command;

/** {@code kubectl numa rehearse}: what would become of pods. */
@Command(
        name = "rehearse",
        description =
                "Shows what a change of kubelets, a drain, or more or fewer nodes would do to pods. Changes nothing.",
        footer = {
            "",
            "Reads nodes, noderesourcetopologies, pods, claims and disruption budgets of the whole cluster, or a dump of them.",
            "Not considered: volumes, affinity between pods, topology spread, admission webhooks, other schedulers, and the scores of kube-scheduler's plugins."
        },
        mixinStandardHelpOptions = true)
public final class RehearseCommand {

    static final String STATUS =
            "Exit status: 0 every pod stays or moves; 1 a pod waits, is lost or cannot be evicted, or a kubelet does not start; 2 invalid input, or the cluster gives no answer.";

    private RehearseCommand() {}

    public static CommandLine commandLine(Surroundings surroundings) {
        return new CommandLine(new RehearseCommand())
                .addSubcommand(new ChangeCommand(surroundings))
                .addSubcommand(new DrainCommand(surroundings))
                .addSubcommand(new AddCommand(surroundings))
                .addSubcommand(new RemoveCommand(surroundings));
    }
}
