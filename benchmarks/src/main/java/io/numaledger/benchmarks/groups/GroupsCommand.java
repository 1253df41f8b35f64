package io.numaledger.benchmarks.groups;

import io.numaledger.nrt.gpu.GpuTopologyText;
import io.numaledger.simulator.cluster.KubeBinaries;
import io.numaledger.simulator.cluster.SimCluster;
import io.numaledger.simulator.deployment.BridgedCluster;
import io.numaledger.simulator.deployment.Credentials;
import picocli.CommandLine.Command;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.Spec;

import java.time.Duration;
import java.util.List;
import java.util.Locale;
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

    private enum Run {
        ALONE,
        BRIDGED;

        String label() {
            return name().toLowerCase(Locale.ROOT);
        }
    }

    @Option(names = "--groups", paramLabel = "N", description = "number of groups (default: ${DEFAULT-VALUE})")
    private int groups = 40;

    @Option(names = "--seed", paramLabel = "N", description = "seed of the groups (default: ${DEFAULT-VALUE})")
    private long seed = 20261125;

    @Option(names = "--runs", split = ",", paramLabel = "RUN", description = "alone, bridged (default: both)")
    private List<Run> runs = List.of(Run.values());

    @Spec
    private CommandSpec command;

    @Override
    public Integer call() {
        KubeBinaries binaries = KubeBinaries.required();
        GroupMix mix = GroupMix.of(seed, groups);
        boolean passed = true;
        for (Run run : runs) {
            passed &= switch (run) {
                case ALONE -> alone(binaries, mix);
                case BRIDGED -> bridged(binaries, mix);
            };
        }
        return passed ? 0 : 1;
    }

    private boolean alone(KubeBinaries binaries, GroupMix mix) {
        try (SimCluster cluster =
                SimCluster.builder(binaries).nodes(GroupMix.nodes()).start()) {
            labelRacks(cluster);
            try (GroupRun run = new GroupRun(cluster, mix, false)) {
                print(run.run().line(Run.ALONE.label()));
            }
            return true;
        }
    }

    private boolean bridged(KubeBinaries binaries, GroupMix mix) {
        try (BridgedCluster bridged = BridgedCluster.start(
                SimCluster.builder(binaries).nodes(GroupMix.nodes()), Credentials::ofAdministrator, "--groups")) {
            labelRacks(bridged.cluster());
            publishGpus(bridged);
            try (GroupRun run = new GroupRun(bridged.cluster(), mix, true)) {
                GroupReport report = run.run();
                print(report.line(Run.BRIDGED.label()) + " " + bridged.figures());
                print(bridged.awaitStateEqualsKubelets().summary());
                return report.isSound();
            }
        }
    }

    private static void labelRacks(SimCluster cluster) {
        GroupMix.nodes()
                .forEach(spec -> patch(cluster, spec.name(), "labels", GroupMix.RACK, GroupMix.rack(spec.name())));
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

    private void print(String line) {
        command.commandLine().getOut().println(line);
    }
}
