package io.numaledger.benchmarks.claims;

import io.numaledger.simulator.cluster.KubeBinaries;
import io.numaledger.simulator.cluster.SimCluster;
import io.numaledger.simulator.deployment.BridgedCluster;
import io.numaledger.simulator.deployment.Credentials;
import picocli.CommandLine.Command;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.Spec;

import java.util.List;
import java.util.Locale;
import java.util.Optional;
import java.util.concurrent.Callable;

/** {@code bench claims}: the same pods with a claimed device each, with kube-scheduler alone and with the bridge. */
@Command(
        name = "claims",
        description =
                "Runs the same pods of 2 to 6 CPUs, with one claimed device each, on four real kubelets of two zones: with kube-scheduler "
                        + "alone, and with the bridge where the pods prefer or require claims on the NUMA nodes of their CPUs. "
                        + "Prints one line of figures for each run, and for two oracles that know all pods beforehand: one that chooses the "
                        + "node, NUMA node and device of each, and, as an upper bound, one that chooses only the nodes and the order, as the "
                        + "bridge does, where kube-scheduler takes the first device and the kubelet the first NUMA node.",
        footer = "Needs root, and the Kubernetes binaries, except for the oracles.",
        mixinStandardHelpOptions = true)
public final class ClaimsCommand implements Callable<Integer> {

    private enum Run {
        ALONE,
        PREFERRED,
        REQUIRED,
        ORACLE,
        NODE_ORACLE;

        String label() {
            return name().toLowerCase(Locale.ROOT).replace('_', '-');
        }
    }

    @Option(names = "--pods", paramLabel = "N", description = "number of pods (default: ${DEFAULT-VALUE})")
    private int pods = 100;

    @Option(names = "--seed", paramLabel = "N", description = "seed of the pods (default: ${DEFAULT-VALUE})")
    private long seed = 20261126;

    @Option(
            names = "--runs",
            split = ",",
            paramLabel = "RUN",
            description = "alone, preferred, required, oracle, node_oracle (default: all)")
    private List<Run> runs = List.of(Run.values());

    @Option(
            names = "--alternating-devices",
            description = "list the devices of a node in turn from both zones, instead of zone by zone")
    private boolean alternating;

    @Spec
    private CommandSpec command;

    @Override
    public Integer call() {
        ClaimsMix mix = ClaimsMix.of(seed, pods, alternating);
        for (Run run : runs) {
            String figures = switch (run) {
                case ALONE -> alone(mix);
                case PREFERRED, REQUIRED -> bridged(mix, run.label());
                case ORACLE ->
                    ClaimsReport.of(mix, mix.oracle().choosingDevices()).figures();
                case NODE_ORACLE ->
                    ClaimsReport.of(mix, mix.oracle().choosingNodes()).figures();
            };
            command.commandLine().getOut().println("run=%s %s".formatted(run.label(), figures));
        }
        return 0;
    }

    private static SimCluster.Builder cluster(ClaimsMix mix) {
        return SimCluster.builder(KubeBinaries.required()).nodes(mix.nodes());
    }

    private static String alone(ClaimsMix mix) {
        try (SimCluster cluster = cluster(mix).start()) {
            return run(cluster, mix, Optional.empty()).figures();
        }
    }

    private static String bridged(ClaimsMix mix, String alignment) {
        try (BridgedCluster bridged = BridgedCluster.start(cluster(mix), Credentials::ofAdministrator)) {
            return run(bridged.cluster(), mix, Optional.of(alignment)).figures() + " " + bridged.figures();
        }
    }

    private static ClaimsReport run(SimCluster cluster, ClaimsMix mix, Optional<String> alignment) {
        cluster.client().resource(mix.template()).create();
        return new ClaimsRun(cluster).run(mix.pods(alignment));
    }
}
