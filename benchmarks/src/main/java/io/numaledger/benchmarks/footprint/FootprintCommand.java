package io.numaledger.benchmarks.footprint;

import io.numaledger.simulator.cluster.KubeBinaries;
import io.numaledger.simulator.cluster.SimCluster;
import io.numaledger.simulator.hardware.NodeSpecYaml;
import picocli.CommandLine.Command;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.Spec;

import java.io.IOException;
import java.io.PrintWriter;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.Callable;

/** {@code bench footprint}: what the agent costs while nothing happens, and how soon it publishes what happens. */
@Command(
        name = "footprint",
        description = "Measures the agent on a real kubelet of 8 NUMA nodes with 32 CPUs each, and prints a table.",
        footer = "Needs root, and the Kubernetes binaries. Takes about five minutes for each number of pods.",
        mixinStandardHelpOptions = true)
public final class FootprintCommand implements Callable<Integer> {

    private static final String NUMA_NODE = "  - {id: %d, socket: %d, cores: 16, threadsPerCore: 2, memory: 32Gi}%n";

    @Option(
            names = "--pods",
            split = ",",
            defaultValue = "100,250",
            description = "pods on the node (default: 100,250)")
    private List<Integer> pods;

    @Option(names = "--idle", defaultValue = "120", description = "seconds to be idle (default: 120)")
    private long idleSeconds;

    @Option(
            names = "--rootfs",
            paramLabel = "DIR",
            description = "the agent's root file system, run as in its pod (default: this build's classes)")
    private Optional<Path> root = Optional.empty();

    @Spec
    private CommandSpec command;

    @Override
    public Integer call() throws IOException, InterruptedException {
        PrintWriter out = command.commandLine().getOut();
        KubeBinaries binaries = KubeBinaries.required();
        for (int count : pods) {
            out.printf("%npods: %d%n", count);
            measure(binaries, count, out);
        }
        return 0;
    }

    private void measure(KubeBinaries binaries, int count, PrintWriter out) throws IOException, InterruptedException {
        Path directory = Files.createTempDirectory("numaledger-footprint-");
        AuditLog audit = AuditLog.in(directory);
        FootprintTable table = new FootprintTable(line -> {
            out.println(line);
            out.flush();
        });
        try (SimCluster cluster = SimCluster.builder(binaries)
                        .nodes(NodeSpecYaml.parse(nodes()))
                        .apiServerArguments(audit.apiServerArguments())
                        .start();
                Published published = new Published(cluster.client())) {
            new FootprintRun(cluster, audit, published, table).run(new FootprintRun.Options(count, idleSeconds, root));
        } finally {
            Files.deleteIfExists(directory.resolve("audit.log"));
            Files.deleteIfExists(directory.resolve("audit-policy.yaml"));
            Files.deleteIfExists(directory);
        }
    }

    private static String nodes() {
        StringBuilder yaml = new StringBuilder("""
                nodes:
                - name: big
                  kubelet: {topologyManagerPolicy: best-effort}
                  numaNodes:
                """);
        for (int id = 0; id < 8; id++) {
            yaml.append(NUMA_NODE.formatted(id, id / 4));
        }
        return yaml.toString();
    }
}
