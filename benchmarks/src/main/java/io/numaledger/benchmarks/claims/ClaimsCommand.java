package io.numaledger.benchmarks.claims;

import io.numaledger.benchmarks.cluster.ScheduledCluster;
import io.numaledger.benchmarks.cluster.ScheduledCluster.Scheduler;
import io.numaledger.benchmarks.cluster.Seed;
import io.numaledger.benchmarks.figures.Output;
import io.numaledger.simulator.cluster.SimCluster;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;

import java.util.List;
import java.util.Locale;
import java.util.Optional;
import java.util.concurrent.Callable;

/** {@code bench claims}: the same pods with a claimed device each, with kube-scheduler alone and with the bridge. */
@Command(
        name = "claims",
        description =
                "Runs the same pods with one claimed device each on four real kubelets: with kube-scheduler alone, and with the bridge "
                        + "where the pods prefer or require claims on the NUMA nodes of their CPUs. Two oracles know all pods beforehand: "
                        + "one chooses node, NUMA node and device of each, the other one, as an upper bound, only nodes and order.",
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

    @Option(names = "--pods", paramLabel = "N", description = "number of pods")
    private int pods = 100;

    @Mixin
    private Seed seed = new Seed(20261126);

    @Option(
            names = "--runs",
            split = ",",
            paramLabel = "RUN",
            description = "alone, preferred, required, oracle, node_oracle")
    private List<Run> runs = List.of(Run.values());

    @Option(
            names = "--alternating-devices",
            description = "list the devices of a node in turn from both zones, instead of zone by zone")
    private boolean alternating;

    @Mixin
    private Output out;

    @Override
    public Integer call() {
        ClaimsMix mix = ClaimsMix.of(seed.value(), pods, alternating);
        for (Run run : runs) {
            String figures = switch (run) {
                case ALONE -> run(Scheduler.ALONE, mix, Optional.empty());
                case PREFERRED, REQUIRED -> run(Scheduler.BRIDGED, mix, Optional.of(run.label()));
                case ORACLE -> mix.figures(mix.oracle().choosingDevices());
                case NODE_ORACLE -> mix.figures(mix.oracle().choosingNodes());
            };
            out.line("run=%s %s".formatted(run.label(), figures));
        }
        return 0;
    }

    private static String run(Scheduler scheduler, ClaimsMix mix, Optional<String> alignment) {
        try (ScheduledCluster scheduled = ScheduledCluster.start(scheduler, mix.nodes())) {
            SimCluster cluster = scheduled.cluster();
            cluster.client().resource(ClaimsMix.template()).create();
            return scheduled.withCounters(new ClaimsRun(cluster).run(mix.pods(alignment)));
        }
    }
}
