package io.numaledger.benchmarks.churn;

import io.numaledger.apiservers.wait.NotInTimeException;
import io.numaledger.benchmarks.cluster.ScheduledCluster;
import io.numaledger.benchmarks.cluster.ScheduledCluster.Scheduler;
import io.numaledger.benchmarks.cluster.Seed;
import io.numaledger.benchmarks.figures.Output;
import io.numaledger.simulator.hardware.NodeSpecYaml;
import org.awaitility.core.ConditionTimeoutException;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;

import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.Callable;

/** {@code bench churn}: the same pods with kube-scheduler alone, and with the bridge. */
@Command(
        name = "churn",
        description = "Runs the same pods on six real kubelets twice: with kube-scheduler alone, and with the bridge. "
                + "Prints one line of figures for each run.",
        footer =
                "Needs root, and the Kubernetes binaries. Exit status: 1 if a kubelet refuses a pod that the bridge bound, or if "
                        + "the bridge's state differs from the kubelets' state at the end.",
        mixinStandardHelpOptions = true)
public final class ChurnCommand implements Callable<Integer> {

    /** Of nodes and pods. */
    private enum Mix {
        ARRIVING,
        SIMPLE,
        DEVICES,
        PRIORITIES;

        private ChurnMix churn() {
            return switch (this) {
                case ARRIVING -> ChurnMix.arriving();
                case SIMPLE -> ChurnMix.simple(ChurnMix.SEED);
                case DEVICES -> ChurnMix.devices(ChurnMix.SEED);
                case PRIORITIES -> throw new IllegalStateException("not run as the others");
            };
        }
    }

    @Parameters(paramLabel = "MIX", arity = "0..*", description = "arriving, simple, devices or priorities")
    private List<Mix> mixes = List.of(Mix.ARRIVING, Mix.SIMPLE, Mix.DEVICES);

    @Option(names = "--pods", paramLabel = "N", description = "so many of each mix")
    private int pods = 160;

    @Option(names = "--runs", split = ",", paramLabel = "RUN", description = "alone, bridged")
    private List<Scheduler> runs = List.of(Scheduler.values());

    /** Only for priorities. */
    @Mixin
    private Seed seed = new Seed(20261121);

    @Mixin
    private Output out;

    private final List<String> failures = new ArrayList<>();

    @Override
    public Integer call() {
        for (Mix mix : mixes) {
            if (mix == Mix.PRIORITIES) {
                PriorityChurn churn = PriorityChurn.of(seed.value(), pods);
                out.line(EvictionOracle.line(churn));
                runs.forEach(run -> run(run, churn));
            } else {
                runs.forEach(run -> run(run, mix.churn().first(pods)));
            }
        }
        return out.exitStatus(failures);
    }

    private void run(Scheduler scheduler, ChurnMix mix) {
        try (ScheduledCluster scheduled = ScheduledCluster.start(scheduler, NodeSpecYaml.parse(mix.nodes()))) {
            if (scheduler == Scheduler.BRIDGED) {
                warmUp(scheduled, mix);
            }
            try (ChurnRun churn = new ChurnRun(scheduled.cluster(), mix)) {
                ChurnReport report = churn.run(scheduled::fits);
                out.line(scheduled.withCounters(report.line(scheduled.scheduler())));
                requireNoRefusal(scheduled, "churn=" + mix.name(), report.refused());
                scheduled.comparison().ifPresent(out::line);
            }
        } catch (ConditionTimeoutException | NotInTimeException e) {
            // A run that does not come to its end is a failure; the others are still of interest.
            failures.add("churn=%s scheduler=%s: %s".formatted(mix.name(), scheduler.label(), e.getMessage()));
        }
    }

    private void run(Scheduler scheduler, PriorityChurn churn) {
        try (ScheduledCluster scheduled = ScheduledCluster.start(scheduler, NodeSpecYaml.parse(churn.nodes()));
                PriorityChurnRun run = new PriorityChurnRun(scheduled.cluster(), churn)) {
            out.line(scheduled.withCounters(run.run(scheduled.scheduler())));
            requireNoRefusal(scheduled, "churn=priorities seed=" + churn.seed(), run.refused());
        }
    }

    /** kube-scheduler alone cannot know what kubelets refuse. */
    private void requireNoRefusal(ScheduledCluster scheduled, String churn, Map<String, Long> refused) {
        if (scheduled.bridged().isPresent() && !refused.isEmpty()) {
            failures.add("%s scheduler=bridged: kubelets refused pods: %s".formatted(churn, refused));
        }
    }

    /** Speed is measured on processes that have run for a while, as they have in a cluster. */
    private void warmUp(ScheduledCluster scheduled, ChurnMix mix) {
        if (mix.isOfSpeed()) {
            try (ChurnRun churn = new ChurnRun(scheduled.cluster(), mix)) {
                out.line(churn.run(scheduled::fits).line("cold"));
                churn.clear();
            }
        }
    }
}
