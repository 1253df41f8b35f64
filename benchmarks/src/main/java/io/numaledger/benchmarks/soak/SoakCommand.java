package io.numaledger.benchmarks.soak;

import io.numaledger.benchmarks.cluster.Seed;
import io.numaledger.benchmarks.figures.Output;
import io.numaledger.benchmarks.process.RootFileSystem;
import io.numaledger.simulator.cluster.KubeBinaries;
import io.numaledger.simulator.cluster.SimCluster;
import io.numaledger.simulator.hardware.NodeSpecYaml;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;

import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.Callable;
import java.util.concurrent.ExecutionException;

/** {@code bench soak}: minutes of seeded churn with faults, on two real kubelets with an agent each. */
@Command(
        name = "soak",
        description =
                "Runs agents through minutes of seeded churn with faults, on two real kubelets (one of another version, with "
                        + "sparse NUMA ids). Each minute must end with what is published equal to the kubelets' state files.",
        footer =
                "Needs root, and the Kubernetes binaries. Exit status: 1 if memory, live heap, threads or files of an agent grow "
                        + "after a warm-up of four minutes, or if the faults had no effect.",
        mixinStandardHelpOptions = true)
public final class SoakCommand implements Callable<Integer> {

    private static final String NODES = """
            nodes:
            - name: new
              kubelet: {topologyManagerPolicy: best-effort}
              numaNodes:
              - {id: 0, cores: 40, threadsPerCore: 2, memory: 48Gi, hugepages: {2Mi: 3072}}
              - {id: 1, cores: 40, threadsPerCore: 2, memory: 48Gi, hugepages: {2Mi: 3072}}
              devices:
              - {resource: example.com/gpu, count: 16, numaNodes: [0], preferredAllocation: true}
              - {resource: example.com/gpu, count: 16, numaNodes: [1]}
              - {resource: example.com/nic, count: 32, numaNodes: [0, 1]}
              - {resource: example.com/key, count: 32, numaNodes: []}
            - name: old
              kubeletVersion: "%s"
              kubelet: {topologyManagerPolicy: restricted, topologyManagerScope: pod}
              numaNodes:
              - {id: 0, socket: 0, cores: 40, memory: 24Gi, hugepages: {2Mi: 1536}}
              - {id: 2, socket: 0, cores: 40, memory: 24Gi, hugepages: {2Mi: 1536}}
              - {id: 3, socket: 1, cores: 40, memory: 24Gi, hugepages: {2Mi: 1536}}
              - {id: 5, socket: 1, cores: 40, memory: 24Gi, hugepages: {2Mi: 1536}}
              devices:
              - {resource: example.com/gpu, count: 16, numaNodes: [0]}
              - {resource: example.com/gpu, count: 16, numaNodes: [3]}
            """;

    @Option(names = "--minutes", paramLabel = "MINUTES", description = "how long")
    private int minutes = 10;

    @Mixin
    private Seed seed = new Seed(1);

    @Mixin
    private RootFileSystem root;

    @Mixin
    private Output out;

    @Override
    public Integer call() throws IOException, InterruptedException, ExecutionException {
        List<String> failures = new ArrayList<>();
        KubeBinaries binaries = KubeBinaries.required();
        try (SimCluster cluster = SimCluster.builder(binaries)
                        .nodes(NodeSpecYaml.parse(NODES.formatted(binaries.otherKubelet())))
                        .start();
                SoakRun soak = SoakRun.start(cluster, root.path(), seed.value(), out.writer())) {
            for (int minute = 1; minute <= minutes; minute++) {
                soak.runAMinute();
            }
            for (SoakNode node : soak.nodes()) {
                out.line(node.events());
                out.line(node.report().summary());
                failures.addAll(minutes == 0 ? List.of() : node.missedFaults());
                if (node.report().hasGrown()) {
                    failures.add("the agent has grown: " + node.report().summary());
                }
            }
        }
        return out.exitStatus(failures);
    }
}
