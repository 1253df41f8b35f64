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
                        + "Prints one line of figures for each run.",
        footer = "Needs root, and the Kubernetes binaries. All pods fit aligned.",
        mixinStandardHelpOptions = true)
public final class ClaimsCommand implements Callable<Integer> {

    private enum Run {
        ALONE,
        PREFERRED,
        REQUIRED;

        String label() {
            return name().toLowerCase(Locale.ROOT);
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
            description = "alone, preferred, required (default: all)")
    private List<Run> runs = List.of(Run.values());

    @Option(
            names = "--alternating-devices",
            description = "list the devices of a node in turn from both zones, instead of zone by zone")
    private boolean alternating;

    @Spec
    private CommandSpec command;

    @Override
    public Integer call() {
        KubeBinaries binaries = KubeBinaries.required();
        ClaimsMix mix = ClaimsMix.of(seed, pods);
        for (Run run : runs) {
            SimCluster.Builder builder = SimCluster.builder(binaries).nodes(mix.nodes(alternating));
            ClaimsReport report = switch (run) {
                case ALONE -> alone(builder, mix);
                case PREFERRED, REQUIRED -> bridged(builder, mix, run.label());
            };
            command.commandLine().getOut().println(report.line(run.label()));
        }
        return 0;
    }

    private static ClaimsReport alone(SimCluster.Builder builder, ClaimsMix mix) {
        try (SimCluster cluster = builder.start()) {
            return run(cluster, mix, Optional.empty());
        }
    }

    private static ClaimsReport bridged(SimCluster.Builder builder, ClaimsMix mix, String alignment) {
        try (BridgedCluster bridged = BridgedCluster.start(builder, Credentials::ofAdministrator)) {
            return run(bridged.cluster(), mix, Optional.of(alignment));
        }
    }

    private static ClaimsReport run(SimCluster cluster, ClaimsMix mix, Optional<String> alignment) {
        cluster.client().resource(mix.template()).create();
        return new ClaimsRun(cluster).run(mix.pods(alignment));
    }
}
