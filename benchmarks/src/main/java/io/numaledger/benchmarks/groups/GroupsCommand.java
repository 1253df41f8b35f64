package io.numaledger.benchmarks.groups;

import io.numaledger.benchmarks.cluster.ScheduledCluster;
import io.numaledger.benchmarks.cluster.ScheduledCluster.Scheduler;
import io.numaledger.benchmarks.cluster.Seed;
import io.numaledger.benchmarks.figures.Output;
import io.numaledger.nrt.gpu.GpuTopologyText;
import io.numaledger.simulator.cluster.SimCluster;
import io.numaledger.simulator.deployment.BridgedCluster;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;

import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.concurrent.Callable;

import static org.awaitility.Awaitility.await;

/** {@code bench groups}: the same groups of pods with kube-scheduler alone, and with the bridge. */
@Command(
        name = "groups",
        description =
                "Runs the same groups of 1 to 16 pods with GPUs on eight real kubelets twice: with kube-scheduler alone, and "
                        + "as gated groups with the bridge. Prints one line of figures for each run.",
        footer =
                "Needs root, and the Kubernetes binaries. Exit status: 1 if with the bridge a kubelet refuses a pod, a group does not run "
                        + "whole within two minutes after its first pod, or in two racks where it needs one, if a pod's GPUs "
                        + "lack the links that it demands, or if the bridge's state differs from the kubelets' state at the end.",
        mixinStandardHelpOptions = true)
public final class GroupsCommand implements Callable<Integer> {

    private static final Duration TIMEOUT = Duration.ofSeconds(60);

    @Option(names = "--groups", paramLabel = "N", description = "number of groups")
    private int groups = 40;

    @Mixin
    private Seed seed = new Seed(20261125);

    @Option(names = "--runs", split = ",", paramLabel = "RUN", description = "alone, bridged")
    private List<Scheduler> runs = List.of(Scheduler.values());

    @Mixin
    private Output out;

    @Override
    public Integer call() {
        GroupMix mix = GroupMix.of(seed.value(), groups);
        boolean passed = true;
        for (Scheduler run : runs) {
            try (ScheduledCluster scheduled = ScheduledCluster.start(run, GroupMix.nodes(), "--groups")) {
                passed &= run(scheduled, mix);
            }
        }
        return passed ? 0 : 1;
    }

    /** Returns whether the run was as the bridge promises; always true without one. */
    private boolean run(ScheduledCluster scheduled, GroupMix mix) {
        SimCluster cluster = scheduled.cluster();
        GroupMix.nodes()
                .forEach(spec -> patch(cluster, spec.name(), "labels", GroupMix.RACK, GroupMix.rack(spec.name())));
        scheduled.bridged().ifPresent(GroupsCommand::publishGpus);
        boolean gated = scheduled.bridged().isPresent();
        try (GroupRun run = new GroupRun(cluster, mix, gated)) {
            GroupReport report = run.run();
            out.line(scheduled.withCounters(report.line(scheduled.scheduler())));
            scheduled.comparison().ifPresent(out::line);
            return !gated || report.isSound();
        }
    }

    private static void patch(SimCluster cluster, String node, String field, String key, String value) {
        Map<String, Object> patch = Map.of("metadata", Map.of(field, Map.of(key, value)));
        cluster.patchNode(node, cluster.client().getKubernetesSerialization().asJson(patch));
    }

    /** The nodes have no NVIDIA driver, so that the agents publish no GPU topology. */
    private static void publishGpus(BridgedCluster bridged) {
        GroupMix.nodes().forEach(spec -> {
            String gpus = GpuTopologyText.write(GroupMix.gpus(spec.name()));
            patch(bridged.cluster(), spec.name(), "annotations", GpuTopologyText.KEY, gpus);
        });
        await("the bridge knows the GPUs")
                .atMost(TIMEOUT)
                .until(() -> bridged.bridge().cluster().snapshots().stream()
                        .allMatch(node -> node.node().gpus().isPresent()));
    }
}
