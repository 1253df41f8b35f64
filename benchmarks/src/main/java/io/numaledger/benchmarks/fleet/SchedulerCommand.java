package io.numaledger.benchmarks.fleet;

import io.numaledger.benchmarks.figures.Output;
import io.numaledger.benchmarks.process.MeasuredBridge;
import io.numaledger.benchmarks.process.MeasuredProcess;
import io.numaledger.benchmarks.process.RootFileSystem;
import io.numaledger.bridge.cli.SchedulerConfig;
import io.numaledger.simulator.cluster.KubeBinaries;
import io.numaledger.simulator.fleet.FleetMix;
import io.numaledger.simulator.fleet.FleetNode;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.Random;
import java.util.concurrent.Callable;
import java.util.concurrent.Executors;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.TimeUnit;

/** {@code bench scheduler}: a real kube-scheduler over a large generated cluster. */
@Command(
        name = "scheduler",
        description =
                "Measures how many pods a second a real kube-scheduler binds in a large generated cluster: alone, with the "
                        + "bridge, and another scheduler in its place. Prints one line for each run.",
        mixinStandardHelpOptions = true)
public final class SchedulerCommand implements Callable<Integer> {

    private static final long TIMEOUT_SECONDS = 240;

    /** kube-scheduler without the bridge, among the values of {@code --runs}. */
    private static final int ALONE = -1;

    /** Pods that no zone can take, created first. */
    private static final int WAITING = 10;

    /** Of other pods and of NodeResourceTopologies, half of each, in a second. */
    private static final int EVENTS = 100;

    @Parameters(index = "0", arity = "0..1", paramLabel = "NODES", description = "number of nodes")
    private int nodes = 5000;

    @Parameters(index = "1", arity = "0..1", paramLabel = "ARRIVING", description = "pods that are bound")
    private int arriving = 2000;

    @Option(
            names = "--runs",
            split = ",",
            paramLabel = "N",
            description = "-1: kube-scheduler alone; otherwise --max-candidates of the bridge")
    private List<Integer> runs = List.of(ALONE, 100, 0);

    @Option(
            names = "--percentages",
            split = ",",
            paramLabel = "N",
            description = "each run once for each percentageOfNodesToScore; 0: kube-scheduler's own; 100: all nodes")
    private List<Integer> percentages = List.of(0);

    @Option(
            names = "--peer",
            paramLabel = "FILE",
            description = "after these runs, one with the scheduler that this YAML file describes")
    private List<Path> peers = List.of();

    @Option(names = "--pods-per-node", paramLabel = "N", description = "pods that run on each node before")
    private int perNode = 10;

    @Option(names = "--warm-up", paramLabel = "N", description = "pods that are bound before, and not measured")
    private int warmUp = 1000;

    @Option(names = "--real-api", description = "a real kube-apiserver with etcd instead of the generated API")
    private boolean realApi;

    @Mixin
    private RootFileSystem root;

    @Mixin
    private Output out;

    @Override
    public Integer call() throws IOException, InterruptedException {
        KubeBinaries binaries = KubeBinaries.required();
        List<PeerScheduler> others = new ArrayList<>();
        for (Path peer : peers) {
            others.add(PeerScheduler.read(peer));
        }
        for (int percentage : percentages) {
            for (int maxCandidates : runs) {
                run(binaries, Optional.empty(), maxCandidates, percentage);
            }
            for (PeerScheduler peer : others) {
                run(binaries, Optional.of(peer), ALONE, percentage);
            }
        }
        return 0;
    }

    private void run(KubeBinaries binaries, Optional<PeerScheduler> peer, int maxCandidates, int percentage)
            throws IOException, InterruptedException {
        List<FleetNode> all = FleetMix.PLAIN.nodes(nodes, perNode);
        // Schedulers do not send the names in order.
        Collections.shuffle(all, new Random(5));
        Path directory = Files.createTempDirectory("numaledger-scheduler-");
        try (ServedFleet fleet = realApi
                ? new RealFleet(all, binaries.directory(), directory)
                : new GeneratedFleet(all, perNode, directory)) {
            Optional<MeasuredBridge> bridge =
                    maxCandidates == ALONE ? Optional.empty() : Optional.of(bridge(fleet.kubeconfig(), maxCandidates));
            Path program = peer.map(PeerScheduler::program).orElseGet(() -> binaries.of("kube-scheduler"));
            String configuration = peer.map(each -> each.configuration(fleet, percentage))
                    .orElseGet(() -> configuration(fleet, bridge, percentage));
            try (MeasuredProcess scheduler = MeasuredProcess.kubeScheduler(program, directory, configuration)) {
                measure(fleet, scheduler, bridge, all, name(peer, maxCandidates, percentage));
            } finally {
                bridge.ifPresent(MeasuredBridge::close);
            }
        }
    }

    private MeasuredBridge bridge(Path kubeconfig, int maxCandidates) throws IOException, InterruptedException {
        MeasuredBridge bridge =
                MeasuredBridge.start(root.path(), kubeconfig, List.of("--max-candidates=" + maxCandidates));
        bridge.process().awaitReady();
        return bridge;
    }

    /** The shipped one, alone without the extender. */
    private static String configuration(ServedFleet fleet, Optional<MeasuredBridge> bridge, int percentage) {
        Path kubeconfig = fleet.kubeconfig();
        String text = bridge.map(called -> called.schedulerConfiguration(kubeconfig))
                .orElseGet(() -> SchedulerConfig.text(
                                "http://unused", "default-scheduler", Optional.of(kubeconfig), Optional.empty(), false)
                        .replaceFirst("(?s)extenders:.*", ""));
        return (fleet.serverCpuMillis().isPresent()
                        ? text
                        : text.replace("clientConnection:\n", "clientConnection:\n  contentType: application/json\n"))
                + SchedulerConfig.sample(percentage);
    }

    private static String name(Optional<PeerScheduler> peer, int maxCandidates, int percentage) {
        return "%s percentage_of_nodes=%s"
                .formatted(
                        peer.map(PeerScheduler::name)
                                .orElse(maxCandidates == ALONE ? "alone" : "max_candidates:" + maxCandidates),
                        percentage == 0 ? "default" : String.valueOf(percentage));
    }

    private void measure(
            ServedFleet fleet,
            MeasuredProcess scheduler,
            Optional<MeasuredBridge> bridge,
            List<FleetNode> all,
            String name)
            throws InterruptedException {
        ArrivingMix mix = new ArrivingMix();
        fleet.create(mix.fitting(warmUp));
        if (!awaitBound(fleet, scheduler, warmUp)) {
            throw new IllegalStateException(
                    "the pods of the warm-up were not bound in time: bound=%d; take fewer".formatted(fleet.bound()));
        }
        fleet.create(mix.fittingNowhere(WAITING));
        ScheduledExecutorService others = others(all, fleet);
        int before = fleet.bound();
        int attempts = fleet.failedAttempts();
        CpuTimes cpu = CpuTimes.of(fleet, scheduler, bridge);
        long start = System.nanoTime();
        fleet.create(mix.fitting(arriving));
        boolean complete = awaitBound(fleet, scheduler, before + arriving);
        double seconds = (System.nanoTime() - start) / 1e9;
        int bound = fleet.bound() - before;
        int failed = fleet.failedAttempts() - attempts;
        out.measured("nodes=%d run=%s bound=%d".formatted(nodes, name, bound)
                + "%s refused=%d failed_attempts=%d "
                        .formatted(complete ? "" : " (time is up)", fleet.refused(), failed)
                + "seconds=%.1f bound_per_second=%.1f ".formatted(seconds, bound / seconds)
                + CpuTimes.of(fleet, scheduler, bridge).since(cpu, bound)
                + bridge.map(measured -> " " + measured.memory()).orElse(""));
        others.shutdownNow();
    }

    /** CPU time since the start of each process, in milliseconds. */
    private record CpuTimes(long scheduler, long bridge, OptionalLong server) {

        private static CpuTimes of(ServedFleet fleet, MeasuredProcess scheduler, Optional<MeasuredBridge> bridge) {
            return new CpuTimes(
                    scheduler.figures().cpuMillis(),
                    bridge.map(MeasuredBridge::cpuMillis).orElse(0L),
                    fleet.serverCpuMillis());
        }

        private String since(CpuTimes before, int pods) {
            return perPod("scheduler", scheduler - before.scheduler, pods)
                    + perPod(" bridge", bridge - before.bridge, pods)
                    + (server.isPresent()
                            ? perPod(" api_server", server.getAsLong() - before.server.getAsLong(), pods)
                            : "");
        }

        private static String perPod(String process, long millis, int pods) {
            return "%s_cpu_ms_per_pod=%.1f".formatted(process, (double) millis / pods);
        }
    }

    /** Whether this many pods were bound in time. */
    private static boolean awaitBound(ServedFleet fleet, MeasuredProcess scheduler, int count)
            throws InterruptedException {
        long end = System.nanoTime() + TimeUnit.SECONDS.toNanos(TIMEOUT_SECONDS);
        while (fleet.bound() < count && System.nanoTime() < end) {
            scheduler.requireAlive();
            TimeUnit.MILLISECONDS.sleep(10);
        }
        return fleet.bound() >= count;
    }

    private ScheduledExecutorService others(List<FleetNode> all, ServedFleet fleet) {
        ScheduledExecutorService others = Executors.newSingleThreadScheduledExecutor();
        Random random = new Random(11);
        var unused = others.scheduleAtFixedRate(
                () -> {
                    FleetNode node = all.get(random.nextInt(all.size()));
                    if (random.nextBoolean()) {
                        fleet.topologyEvent(node);
                    } else {
                        fleet.podEvent(node, random.nextBoolean());
                    }
                },
                0,
                TimeUnit.SECONDS.toNanos(1) / EVENTS,
                TimeUnit.NANOSECONDS);
        return others;
    }
}
