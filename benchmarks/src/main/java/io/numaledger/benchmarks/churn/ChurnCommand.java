package io.numaledger.benchmarks.churn;

import io.fabric8.kubernetes.api.model.Pod;
import io.numaledger.apiservers.wait.NotInTimeException;
import io.numaledger.simulator.cluster.KubeBinaries;
import io.numaledger.simulator.cluster.SimCluster;
import io.numaledger.simulator.deployment.BridgedCluster;
import io.numaledger.simulator.deployment.Credentials;
import io.numaledger.simulator.hardware.NodeSpecYaml;
import io.numaledger.simulator.workload.NodeResourcesFit;
import org.awaitility.core.ConditionTimeoutException;
import picocli.CommandLine.Command;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.ParameterException;
import picocli.CommandLine.Parameters;
import picocli.CommandLine.Spec;

import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.Callable;
import java.util.function.Predicate;
import java.util.function.Supplier;
import java.util.stream.Collectors;

/** {@code bench churn}: the same pods with kube-scheduler alone, with it beside the agents, and with the bridge. */
@Command(
        name = "churn",
        description =
                "Runs the same pods on six real kubelets three times: with kube-scheduler alone, with agents beside it, and "
                        + "with the bridge. Prints one line of figures for each run.",
        footer =
                "Needs root, and the Kubernetes binaries. Exit status: 1 if a kubelet refuses a pod that the bridge bound, or if "
                        + "the bridge's state differs from the kubelets' state at the end.",
        mixinStandardHelpOptions = true)
public final class ChurnCommand implements Callable<Integer> {

    private static final String PRIORITIES = "priorities";
    private static final List<ChurnMix> MIXES = List.of(
            ChurnMix.fitting(), ChurnMix.arriving(), ChurnMix.simple(ChurnMix.SEED), ChurnMix.devices(ChurnMix.SEED));

    @Parameters(
            paramLabel = "MIX",
            arity = "0..*",
            description = "fitting, arriving, simple, devices or priorities (default: all but the last)")
    private List<String> names = List.of();

    @Option(names = "--seed", paramLabel = "N", description = "seed of the mix priorities (default: ${DEFAULT-VALUE})")
    private long seed = 20261121;

    @Spec
    private CommandSpec command;

    private final List<String> failures = new ArrayList<>();

    @Override
    public Integer call() {
        List<ChurnMix> mixes = mixes();
        KubeBinaries binaries = KubeBinaries.required();
        if (names.contains(PRIORITIES)) {
            PriorityChurn churn = PriorityChurn.of(seed, 160);
            print(EvictionOracle.line(churn));
            priorities(binaries, churn);
        }
        for (ChurnMix mix : mixes) {
            attempt(mix, "alone", () -> alone(binaries, mix));
            attempt(mix, "bridged", () -> bridged(binaries, mix));
        }
        failures.forEach(command.commandLine().getErr()::println);
        return failures.isEmpty() ? 0 : 1;
    }

    private List<ChurnMix> mixes() {
        if (names.isEmpty()) {
            return MIXES;
        }
        return names.stream()
                .filter(name -> !name.equals(PRIORITIES))
                .map(this::mix)
                .toList();
    }

    private ChurnMix mix(String name) {
        return MIXES.stream()
                .filter(mix -> mix.name().equals(name))
                .findFirst()
                .orElseThrow(() -> new ParameterException(
                        command.commandLine(),
                        "no such mix: %s; choose from %s"
                                .formatted(
                                        name, MIXES.stream().map(ChurnMix::name).collect(Collectors.joining(", ")))));
    }

    /** A run that does not come to its end is a failure; the others are still of interest. */
    private void attempt(ChurnMix mix, String scheduler, Runnable run) {
        try {
            run.run();
        } catch (ConditionTimeoutException | NotInTimeException e) {
            failures.add("churn=%s scheduler=%s: %s".formatted(mix.name(), scheduler, e.getMessage()));
        }
    }

    private static SimCluster cluster(KubeBinaries binaries, ChurnMix mix) {
        return SimCluster.builder(binaries)
                .nodes(NodeSpecYaml.parse(mix.nodes()))
                .start();
    }

    private void alone(KubeBinaries binaries, ChurnMix mix) {
        try (SimCluster cluster = cluster(binaries, mix);
                ChurnRun churn = new ChurnRun(cluster, mix)) {
            print(churn.run(fitsAsAWhole(cluster)).line("alone"));
        }
    }

    private void bridged(KubeBinaries binaries, ChurnMix mix) {
        try (BridgedCluster bridged = BridgedCluster.start(binaries, mix.nodes(), Credentials::ofAdministrator)) {
            warmUp(bridged.cluster(), mix, bridged::fits);
            try (ChurnRun churn = new ChurnRun(bridged.cluster(), mix)) {
                ChurnReport report = churn.run(bridged::fits);
                print(report.line("bridged") + " " + bridged.figures());
                Optional.of(report.refused())
                        .filter(refused -> !refused.isEmpty())
                        .ifPresent(refused -> failures.add("churn=%s scheduler=bridged: kubelets refused pods: %s"
                                .formatted(mix.name(), refused)));
                print(bridged.awaitStateEqualsKubelets().summary());
            }
        }
    }

    private void priorities(KubeBinaries binaries, PriorityChurn churn) {
        try (SimCluster cluster = SimCluster.builder(binaries)
                        .nodes(NodeSpecYaml.parse(churn.nodes()))
                        .start();
                PriorityChurnRun run = new PriorityChurnRun(cluster, churn)) {
            print(run.run().line("alone"));
        }
        try (BridgedCluster bridged = BridgedCluster.start(binaries, churn.nodes(), Credentials::ofAdministrator);
                PriorityChurnRun run = new PriorityChurnRun(bridged.cluster(), churn)) {
            PriorityChurnRun.Report report = run.run();
            print(report.line("bridged") + " " + bridged.figures());
            if (report.highRefused() + report.othersRefused() > 0) {
                failures.add(
                        "churn=priorities seed=%d scheduler=bridged: kubelets refused pods".formatted(churn.seed()));
            }
        }
    }

    private static Supplier<Predicate<Pod>> fitsAsAWhole(SimCluster cluster) {
        return () -> NodeResourcesFit.read(cluster.client())::fits;
    }

    /** Speed is measured on processes that have run for a while, as they have in a cluster. */
    private void warmUp(SimCluster cluster, ChurnMix mix, Supplier<Predicate<Pod>> fits) {
        if (mix.isOfSpeed()) {
            try (ChurnRun churn = new ChurnRun(cluster, mix)) {
                print(churn.run(fits).line("cold"));
                churn.clear();
            }
        }
    }

    private void print(String line) {
        command.commandLine().getOut().println(line);
    }
}
