package io.numaledger.benchmarks.footprint;

import io.numaledger.benchmarks.figures.Output;
import io.numaledger.benchmarks.process.RootFileSystem;
import io.numaledger.simulator.cluster.KubeBinaries;
import io.numaledger.simulator.cluster.SimCluster;
import io.numaledger.simulator.hardware.NodeSpecYaml;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;

import java.io.IOException;
import java.util.List;
import java.util.concurrent.Callable;

/** {@code bench footprint}: what the agent costs while nothing happens, and how soon it publishes what happens. */
@Command(
        name = "footprint",
        description = "Measures the agent on a real kubelet with 8 NUMA nodes, and prints a table.",
        footer = "Needs root, and the Kubernetes binaries. Takes about five minutes for each number of pods.",
        mixinStandardHelpOptions = true)
public final class FootprintCommand implements Callable<Integer> {

    private static final String NUMA_NODE = "  - {id: %d, socket: %d, cores: %d, threadsPerCore: 2, memory: 32Gi}%n";

    @Option(names = "--pods", split = ",", paramLabel = "PODS", description = "pods on the node")
    private List<Integer> pods = List.of(100, 250);

    @Option(names = "--cpus", paramLabel = "N", description = "of the node, as its agent's Java sees them; 16 times n")
    private int cpus = 256;

    @Option(names = "--idle-only", description = "end after the figures of the idle agent")
    private boolean idleOnly;

    @Option(names = "--idle", paramLabel = "SECONDS", description = "how long to be idle")
    private long idleSeconds = 120;

    @Mixin
    private RootFileSystem root;

    @Mixin
    private Output out;

    @Override
    public Integer call() throws IOException, InterruptedException {
        if (cpus < 16 || cpus % 16 != 0) {
            throw out.wrongArgument(
                    "the 8 NUMA nodes have equal numbers of cores with 2 CPUs each: cpus=%d; give a multiple of 16"
                            .formatted(cpus));
        }
        KubeBinaries binaries = KubeBinaries.required();
        for (int count : pods) {
            out.writer().printf("%npods: %d, CPUs: %d%n", count, cpus);
            measure(binaries, count);
        }
        return 0;
    }

    private void measure(KubeBinaries binaries, int count) throws IOException, InterruptedException {
        try (SimCluster cluster = SimCluster.builder(binaries)
                        .nodes(NodeSpecYaml.parse(nodes()))
                        .start();
                Published published = new Published(cluster.client())) {
            new FootprintRun(cluster, published, out.writer())
                    .run(new FootprintRun.Options(count, cpus, idleSeconds, idleOnly, root.path()));
        }
    }

    private String nodes() {
        StringBuilder yaml = new StringBuilder("""
                nodes:
                - name: big
                  kubelet: {topologyManagerPolicy: best-effort}
                  numaNodes:
                """);
        for (int id = 0; id < 8; id++) {
            yaml.append(NUMA_NODE.formatted(id, id / 4, cpus / 16));
        }
        return yaml.toString();
    }
}
