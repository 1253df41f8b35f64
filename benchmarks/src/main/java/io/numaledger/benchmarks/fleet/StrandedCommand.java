package io.numaledger.benchmarks.fleet;

import io.numaledger.benchmarks.figures.Output;
import io.numaledger.benchmarks.figures.Percentiles;
import io.numaledger.kubelet.KubeletModel;
import io.numaledger.kubelet.Machine;
import io.numaledger.scheduling.preemption.DisruptionBudgets;
import io.numaledger.scheduling.state.ClusterState;
import io.numaledger.scheduling.stranded.MoveSearch;
import io.numaledger.scheduling.stranded.ReferencePods;
import io.numaledger.scheduling.stranded.StrandedCapacity;
import io.numaledger.scheduling.stranded.StrandedReport;
import io.numaledger.simulator.fleet.FleetMix;
import io.numaledger.simulator.fleet.FleetNode;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;

import java.io.IOException;
import java.lang.management.ManagementFactory;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Random;
import java.util.concurrent.Callable;
import java.util.stream.Stream;

/** {@code bench stranded}: what counting stranded capacity costs. */
@Command(
        name = "stranded",
        description =
                "Measures the CPU time of counting stranded capacity on a large generated cluster, in this process: after a "
                        + "pod event, by kind of node, and for a search for moves. Prints one line for each.",
        mixinStandardHelpOptions = true)
public final class StrandedCommand implements Callable<Integer> {

    /** Fewer pods than at first by so many, or more. */
    private static final int MOST_MORE_PODS = 5;

    @Mixin
    private FleetSize size = new FleetSize(75_000);

    @Option(names = "--events", paramLabel = "N", description = "on each kind of nodes, after as many to warm up")
    private int events = 300;

    @Mixin
    private Output out;

    private final Random random = new Random(7);
    private final GeneratedCluster generated = new GeneratedCluster();
    private final ClusterState cluster = generated.state();

    /** Nodes with equal hardware and configuration. */
    private record Kind(String name, KubeletModel kubelet, List<FleetNode> nodes) {}

    @Override
    public Integer call() throws IOException {
        List<Kind> kinds = kinds();
        fill(kinds);
        StrandedCapacity capacity = new StrandedCapacity(cluster, ReferencePods.of(List.of()), node -> "");
        long before = cpuNanos();
        int counted = capacity.update(Integer.MAX_VALUE);
        out.measured("first count: nodes=%d us_per_node=%d".formatted(counted, (cpuNanos() - before) / 1000 / counted));
        for (Kind kind : kinds) {
            events(kind, capacity);
        }
        List<Long> all = new ArrayList<>();
        for (Kind kind : kinds) {
            List<Long> nanos = events(kind, capacity);
            all.addAll(nanos);
            print(kind.name(), nanos);
        }
        print("all", all);
        print("update without a change", repeated(() -> capacity.update(Integer.MAX_VALUE)));
        MoveSearch.Finder moves = MoveSearch.finder(cluster, capacity, Optional::of, () -> DisruptionBudgets.NONE);
        for (String reference : capacity.report().rows().stream()
                .map(StrandedReport.Row::reference)
                .distinct()
                .toList()) {
            print("moves for " + reference, repeated(() -> moves.find(reference)));
        }
        return 0;
    }

    private void print(String what, List<Long> nanos) {
        Percentiles micros = Percentiles.of(nanos.stream().mapToLong(each -> each / 1000));
        out.measured("%s: n=%d us_mean=%.0f us_p50_p99_max=%s"
                .formatted(what, micros.count(), micros.mean(), micros.text(50, 99, 100)));
    }

    private static long cpuNanos() {
        return ManagementFactory.getThreadMXBean().getCurrentThreadCpuTime();
    }

    private static List<Long> repeated(Runnable task) {
        List<Long> nanos = new ArrayList<>();
        for (int i = 0; i < 10; i++) {
            long before = cpuNanos();
            task.run();
            nanos.add(cpuNanos() - before);
        }
        return nanos;
    }

    /** Those of {@link FleetMix}, and two without devices. */
    private static List<Kind> kinds() {
        List<KubeletModel> kubelets = new ArrayList<>(Stream.of(FleetMix.MIXED, FleetMix.FULL)
                .flatMap(mix -> mix.kubelets().stream())
                .toList());
        FleetMix.MIXED.kubelets().stream()
                .filter(kubelet -> kubelet.machine().topology().numaNodes().size() == 2)
                .map(kubelet -> KubeletModel.start(
                        new Machine(kubelet.machine().topology(), Collections.emptySortedMap()),
                        kubelet.rules().config()))
                .forEach(kubelets::add);
        return kubelets.stream()
                .map(kubelet -> new Kind(name(kubelet), kubelet, new ArrayList<>()))
                .toList();
    }

    private static String name(KubeletModel kubelet) {
        var topology = kubelet.machine().topology();
        int devices = kubelet.machine().devices().values().stream()
                .mapToInt(List::size)
                .sum();
        var cpus = kubelet.rules().config().cpuManager();
        return "zones=%d cpus=%d gpus=%d "
                        .formatted(
                                topology.numaNodes().size(),
                                topology.onlineCpus().size(),
                                devices / 2)
                + "policy=%s options=%s "
                        .formatted(
                                kubelet.rules().topologyPolicy(), cpus.options().keySet())
                + "reserved=%s".formatted(cpus.reservedCpus());
    }

    private void fill(List<Kind> kinds) throws IOException {
        for (int i = 0; i < size.nodes; i++) {
            Kind kind = kinds.get(i % kinds.size());
            FleetNode node = new FleetNode("node-%05d".formatted(i), kind.kubelet(), i);
            kind.nodes().add(node);
            node.fill(size.podsPerNode());
            generated.add(node, Map.of());
        }
        cluster.warmUp();
    }

    /** The CPU time of counting one node after each event; the node's snapshot, which filter needs too, was made before. */
    private List<Long> events(Kind kind, StrandedCapacity capacity) throws IOException {
        List<Long> nanos = new ArrayList<>();
        for (int i = 0; i < events; i++) {
            FleetNode node = kind.nodes().get(random.nextInt(kind.nodes().size()));
            int more = node.pods().size() - size.podsPerNode();
            if (more < MOST_MORE_PODS && (random.nextBoolean() || more < -MOST_MORE_PODS)) {
                cluster.podChanged(generated.running(node.add()));
            } else {
                cluster.podDeleted(generated.running(node.remove()));
            }
            cluster.use(node.name());
            long before = cpuNanos();
            capacity.update(Integer.MAX_VALUE);
            nanos.add(cpuNanos() - before);
        }
        return nanos;
    }
}
