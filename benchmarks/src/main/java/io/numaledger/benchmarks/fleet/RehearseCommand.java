package io.numaledger.benchmarks.fleet;

import io.numaledger.benchmarks.figures.Output;
import io.numaledger.evaluation.facts.PodFacts;
import io.numaledger.evaluation.facts.PodOrigin;
import io.numaledger.evaluation.snapshot.SnapshotSettings;
import io.numaledger.kubelet.config.KubeletVersion;
import io.numaledger.scheduling.preemption.DisruptionBudgets;
import io.numaledger.scheduling.rehearsal.ChangeRehearsal;
import io.numaledger.scheduling.rehearsal.ChangeRehearsal.By;
import io.numaledger.scheduling.rehearsal.DrainRehearsal;
import io.numaledger.scheduling.rehearsal.KubeletChange;
import io.numaledger.scheduling.rehearsal.RehearsedCluster;
import io.numaledger.scheduling.rehearsal.RehearsedPod;
import io.numaledger.scheduling.stranded.ReferencePods;
import io.numaledger.simulator.fleet.FleetMix;
import io.numaledger.simulator.fleet.FleetNode;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;

import java.io.IOException;
import java.lang.management.ManagementFactory;
import java.lang.management.MemoryType;
import java.time.Instant;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.TreeMap;
import java.util.concurrent.Callable;
import java.util.function.Supplier;
import java.util.stream.Collectors;
import java.util.stream.IntStream;

/** {@code bench rehearse}: what rehearsals cost. */
@Command(
        name = "rehearse",
        description =
                "Measures the time of rehearsals on a large generated cluster, in this process: a change of all kubelets, and a drain of one node. Prints one line for each, with what became of the pods.",
        mixinStandardHelpOptions = true)
public final class RehearseCommand implements Callable<Integer> {

    @Mixin
    private FleetSize size = new FleetSize(100_000);

    @Option(names = "--drains", paramLabel = "N", description = "how many nodes are drained, one rehearsal each")
    private int drains = 5;

    @Mixin
    private Output out;

    private final GeneratedCluster generated = new GeneratedCluster();
    private final Map<String, PodOrigin> origins = new HashMap<>();

    @Override
    public Integer call() throws IOException {
        List<String> nodes = fill();
        RehearsedCluster cluster =
                new RehearsedCluster(generated.state(), origins, DisruptionBudgets.NONE, SnapshotSettings.DEFAULT);
        for (int i = 0; i < drains; i++) {
            String node = nodes.get(i * (nodes.size() / drains));
            measure(
                    "drain",
                    () -> new DrainRehearsal(cluster, true).of(List.of(node), 1).pods());
        }
        for (By by : By.values()) {
            measure(
                    "change of %d nodes by %s".formatted(nodes.size(), by),
                    () -> pods(ChangeRehearsal.of(
                            cluster, to(KubeletVersion.NEWEST), by, nodes, ReferencePods.of(List.of()))));
        }
        return 0;
    }

    private List<String> fill() throws IOException {
        var kubelets = FleetMix.MIXED.kubelets();
        for (int i = 0; i < size.nodes; i++) {
            FleetNode node = new FleetNode("node-%05d".formatted(i), kubelets.get(i % kubelets.size()), i);
            node.fill(size.podsPerNode());
            generated.add(node, Map.of());
        }
        for (PodFacts pod : generated.state().pods().all()) {
            origins.put(pod.key(), new PodOrigin(Optional.of("ReplicaSet"), Optional.of(Instant.EPOCH)));
        }
        generated.state().warmUp();
        return IntStream.range(0, size.nodes).mapToObj("node-%05d"::formatted).toList();
    }

    private static KubeletChange to(int minor) {
        KubeletChange none = KubeletChange.NONE;
        return new KubeletChange(
                Optional.of(new KubeletVersion(minor)),
                none.topologyPolicy(),
                none.topologyScope(),
                none.cpuPolicy(),
                none.memoryPolicy(),
                none.policyOptions(),
                none.reservedCpus(),
                none.reservedMemory(),
                none.featureGates());
    }

    private static List<RehearsedPod> pods(ChangeRehearsal.Result result) {
        return result.nodes().stream().flatMap(node -> node.pods().stream()).toList();
    }

    private void measure(String what, Supplier<List<RehearsedPod>> rehearsal) {
        var heap = ManagementFactory.getMemoryPoolMXBeans().stream()
                .filter(pool -> pool.getType() == MemoryType.HEAP)
                .toList();
        System.gc();
        heap.forEach(pool -> pool.resetPeakUsage());
        long begin = System.nanoTime();
        long cpuBegin = ManagementFactory.getThreadMXBean().getCurrentThreadCpuTime();
        Map<String, Long> fates = rehearsal.get().stream()
                .collect(Collectors.groupingBy(pod -> pod.fate().toString(), TreeMap::new, Collectors.counting()));
        out.measured("%s: ms=%d cpu_ms=%d peak_heap_mib=%d %s"
                .formatted(
                        what,
                        (System.nanoTime() - begin) / 1_000_000,
                        (ManagementFactory.getThreadMXBean().getCurrentThreadCpuTime() - cpuBegin) / 1_000_000,
                        heap.stream()
                                        .mapToLong(pool -> pool.getPeakUsage().getUsed())
                                        .sum()
                                >> 20,
                        fates));
    }
}
