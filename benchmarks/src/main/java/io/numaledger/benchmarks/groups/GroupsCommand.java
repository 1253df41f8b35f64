package io.numaledger.benchmarks.groups;

import io.numaledger.bridge.run.Bridge;
import io.numaledger.simulator.cluster.KubeBinaries;
import io.numaledger.simulator.cluster.SimCluster;
import io.numaledger.simulator.deployment.BridgedCluster;
import io.numaledger.simulator.deployment.Credentials;
import io.numaledger.simulator.hardware.NodeSpecYaml;
import picocli.CommandLine.Command;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.Spec;

import java.io.PrintWriter;
import java.util.List;
import java.util.concurrent.Callable;
import java.util.stream.Collectors;

/** {@code bench groups}: the same groups with kube-scheduler alone, and planned by the bridge. */
@Command(
        name = "groups",
        description =
                "Runs the same groups of pods on eight real kubelets in two racks twice: with kube-scheduler alone, and planned by "
                        + "the bridge. Prints one line of figures for each run.",
        footer =
                "Needs root, and the Kubernetes binaries. Exit status: 1 if a kubelet refuses a pod of a planned group, or one is broken "
                        + "or outside its rack.",
        mixinStandardHelpOptions = true)
public final class GroupsCommand implements Callable<Integer> {

    private static final List<String> NODES = List.of("a1", "a2", "a3", "a4", "b1", "b2", "b3", "b4");

    @Option(names = "--groups", paramLabel = "N", description = "how many groups (default: ${DEFAULT-VALUE})")
    private int count = 60;

    @Option(names = "--seed", paramLabel = "N", description = "of the groups (default: ${DEFAULT-VALUE})")
    private long seed = 20261125;

    @Spec
    private CommandSpec command;

    @Override
    public Integer call() throws InterruptedException {
        KubeBinaries binaries = KubeBinaries.required();
        GroupLoad load = GroupLoad.of(seed, count);
        try (SimCluster cluster = builder(binaries).start()) {
            print(new GroupRun(cluster, load, false).run().line("alone"));
        }
        try (BridgedCluster bridged = BridgedCluster.start(
                builder(binaries),
                Credentials::ofAdministrator,
                settings -> settings.withGroups(Bridge.Groups.PLANNED))) {
            NODES.forEach(node -> bridged.cluster()
                    .patchNode(node, "{\"metadata\":{\"labels\":{\"rack\":\"%s\"}}}".formatted(node.substring(0, 1))));
            GroupReport report = new GroupRun(bridged.cluster(), load, true).run();
            print(report.line("bridge") + " " + bridged.figures());
            return report.refused() + report.broken() + report.wrongRack() == 0 ? 0 : 1;
        }
    }

    private static SimCluster.Builder builder(KubeBinaries binaries) {
        return SimCluster.builder(binaries)
                .nodes(NodeSpecYaml.parse(
                        "nodes:\n" + NODES.stream().map(GroupsCommand::node).collect(Collectors.joining())));
    }

    private static String node(String name) {
        return """
                - name: %s
                  kubelet: {topologyManagerPolicy: single-numa-node}
                  numaNodes: [{id: 0, cores: 9, memory: 32Gi}, {id: 1, cores: 8, memory: 32Gi}]
                  devices: [{resource: nvidia.com/gpu, count: 4, numaNodes: [0]}, {resource: nvidia.com/gpu, count: 4, numaNodes: [1]}]
                """.formatted(name);
    }

    private void print(String line) {
        PrintWriter out = command.commandLine().getOut();
        out.println(line);
        out.flush();
    }
}
