package io.numaledger.benchmarks.fleet;

import io.numaledger.benchmarks.process.MeasuredBridge;
import io.numaledger.benchmarks.process.MeasuredScheduler;
import io.numaledger.bridge.cli.SchedulerConfig;
import io.numaledger.simulator.cluster.KubeBinaries;
import io.numaledger.simulator.fleet.FleetMix;
import io.numaledger.simulator.fleet.FleetNode;
import picocli.CommandLine.Command;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;
import picocli.CommandLine.Spec;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
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
                "Measures how many pods a second a real kube-scheduler binds in a large generated cluster: alone, and with the "
                        + "bridge. Prints one line for each run.",
        mixinStandardHelpOptions = true)
public final class SchedulerCommand implements Callable<Integer> {

    private static final long TIMEOUT_SECONDS = 240;

    /** kube-scheduler without the bridge, among the values of {@code --runs}. */
    private static final int ALONE = -1;

    @Parameters(
            index = "0",
            arity = "0..1",
            defaultValue = "5000",
            paramLabel = "NODES",
            description = "number of nodes (default: ${DEFAULT-VALUE})")
    private int nodes;

    @Parameters(
            index = "1",
            arity = "0..1",
            defaultValue = "2000",
            paramLabel = "ARRIVING",
            description = "number of pods that are bound (default: ${DEFAULT-VALUE})")
    private int arriving;

    @Option(
            names = "--runs",
            split = ",",
            paramLabel = "N",
            defaultValue = "-1,100,0",
            description = "one run each: -1: kube-scheduler alone; otherwise --max-candidates of the bridge "
                    + "(default: ${DEFAULT-VALUE})")
    private List<Integer> runs;

    @Option(
            names = "--percentages",
            split = ",",
            paramLabel = "N",
            defaultValue = "0",
            description =
                    "each run once for each percentageOfNodesToScore; 0: kube-scheduler's own sample; 100: all nodes "
                            + "(default: ${DEFAULT-VALUE})")
    private List<Integer> percentages;

    @Option(
            names = "--pods-per-node",
            paramLabel = "N",
            defaultValue = "10",
            description = "pods that run on each node before (default: ${DEFAULT-VALUE})")
    private int perNode;

    @Option(
            names = "--waiting",
            paramLabel = "N",
            defaultValue = "10",
            description = "pods that no zone can take, created first (default: ${DEFAULT-VALUE})")
    private int waiting;

    @Option(
            names = "--warm-up",
            paramLabel = "N",
            defaultValue = "1000",
            description = "pods that are bound before, and not measured (default: ${DEFAULT-VALUE})")
    private int warmUp;

    @Option(
            names = "--events",
            paramLabel = "N",
            defaultValue = "100",
            description =
                    "events of other pods and of NodeResourceTopologies a second, half of each (default: ${DEFAULT-VALUE})")
    private int events;

    @Option(names = "--real-api", description = "a real kube-apiserver with etcd instead of the generated API")
    private boolean realApi;

    @Spec
    private CommandSpec command;

    @Override
    public Integer call() throws IOException, InterruptedException {
        Path binaries = KubeBinaries.required().directory();
        for (int maxCandidates : runs) {
            for (int percentage : percentages) {
                run(binaries, maxCandidates, percentage);
            }
        }
        return 0;
    }

    private void run(Path binaries, int maxCandidates, int percentage) throws IOException, InterruptedException {
        List<FleetNode> all = FleetMix.PLAIN.nodes(nodes, perNode);
        // Schedulers do not send the names in order.
        Collections.shuffle(all, new Random(5));
        Path directory = Files.createTempDirectory("numaledger-scheduler-");
        try (ServedFleet fleet =
                realApi ? new RealFleet(all, binaries, directory) : new GeneratedFleet(all, perNode, directory)) {
            Optional<MeasuredBridge> bridge =
                    maxCandidates == ALONE ? Optional.empty() : Optional.of(bridge(fleet.kubeconfig(), maxCandidates));
            try (MeasuredScheduler scheduler =
                    MeasuredScheduler.start(binaries, directory, configuration(fleet, bridge, percentage))) {
                measure(fleet, scheduler, bridge, all, name(maxCandidates, percentage));
            } finally {
                bridge.ifPresent(MeasuredBridge::close);
            }
        }
    }

    private MeasuredBridge bridge(Path kubeconfig, int maxCandidates) throws IOException, InterruptedException {
        MeasuredBridge bridge =
                MeasuredBridge.start(Optional.empty(), kubeconfig, List.of("--max-candidates=" + maxCandidates));
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
        return (fleet.readsProtobuf()
                        ? text
                        : text.replace("clientConnection:\n", "clientConnection:\n  contentType: application/json\n"))
                + SchedulerConfig.sample(percentage);
    }

    private static String name(int maxCandidates, int percentage) {
        return "%s percentage_of_nodes=%s"
                .formatted(
                        maxCandidates == ALONE ? "alone" : "max_candidates:" + maxCandidates,
                        percentage == 0 ? "default" : String.valueOf(percentage));
    }

    private void measure(
            ServedFleet fleet,
            MeasuredScheduler scheduler,
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
        fleet.create(mix.fittingNowhere(waiting));
        ScheduledExecutorService others = others(all, fleet);
        int before = fleet.bound();
        int attempts = fleet.failedAttempts();
        CpuTimes cpu = CpuTimes.of(fleet, scheduler, bridge);
        long start = System.nanoTime();
        fleet.create(mix.fitting(arriving));
        boolean complete = awaitBound(fleet, scheduler, before + arriving);
        double seconds = (System.nanoTime() - start) / 1e9;
        int bound = fleet.bound() - before;
        print("nodes=%d run=%s bound=%d%s refused=%d failed_attempts=%d seconds=%.1f bound_per_second=%.1f "
                        .formatted(
                                nodes,
                                name,
                                bound,
                                complete ? "" : " (time is up)",
                                fleet.refused(),
                                fleet.failedAttempts() - attempts,
                                seconds,
                                bound / seconds)
                + CpuTimes.of(fleet, scheduler, bridge).since(cpu, bound)
                + bridge.map(measured -> " " + FleetCommand.memory(measured)).orElse(""));
        others.shutdownNow();
    }

    /** CPU time since the start of each process, in milliseconds. */
    private record CpuTimes(long scheduler, long bridge, OptionalLong server) {

        private static CpuTimes of(ServedFleet fleet, MeasuredScheduler scheduler, Optional<MeasuredBridge> bridge) {
            return new CpuTimes(
                    scheduler.cpuMillis(), bridge.map(FleetCommand::cpuMillis).orElse(0L), fleet.serverCpuMillis());
        }

        private String since(CpuTimes before, int pods) {
            return "scheduler_cpu_ms_per_pod=%.1f bridge_cpu_ms_per_pod=%.1f"
                            .formatted(
                                    (double) (scheduler - before.scheduler) / pods,
                                    (double) (bridge - before.bridge) / pods)
                    + (server.isPresent()
                            ? " api_server_cpu_ms_per_pod=%.1f"
                                    .formatted((double) (server.getAsLong() - before.server.getAsLong()) / pods)
                            : "");
        }
    }

    /** Whether this many pods were bound in time. */
    private static boolean awaitBound(ServedFleet fleet, MeasuredScheduler scheduler, int count)
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
        if (events > 0) {
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
                    TimeUnit.SECONDS.toNanos(1) / events,
                    TimeUnit.NANOSECONDS);
        }
        return others;
    }

    private void print(String figures) {
        command.commandLine().getOut().println("measured: " + figures);
    }
}
