package io.numaledger.benchmarks.fleet;

import io.numaledger.benchmarks.process.MeasuredBridge;
import io.numaledger.benchmarks.process.MeasuredScheduler;
import io.numaledger.bridge.cli.SchedulerConfig;
import io.numaledger.simulator.cluster.KubeBinaries;
import io.numaledger.simulator.fleet.ArrivingPods;
import io.numaledger.simulator.fleet.FleetApi;
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
import java.util.Random;
import java.util.concurrent.Callable;
import java.util.concurrent.Executors;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.TimeUnit;
import java.util.function.Function;
import java.util.stream.Collectors;

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

    @Option(
            names = "--bridge-flags",
            paramLabel = "FLAGS",
            split = " ",
            description = "Java flags of the bridge, as one argument, beside those of its image")
    private List<String> bridgeFlags = List.of();

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
        List<FleetNode> fleet = FleetMix.PLAIN.nodes(nodes, perNode);
        // Schedulers do not send the names in order.
        Collections.shuffle(fleet, new Random(5));
        Path directory = Files.createTempDirectory("numaledger-scheduler-");
        try (ArrivingPods pods = new ArrivingPods(
                        fleet.stream().collect(Collectors.toMap(FleetNode::name, Function.identity())));
                FleetApi api = new FleetApi(fleet, perNode, pods)) {
            pods.publishTo(api.podEvents());
            Path kubeconfig = api.writeKubeconfig(directory.resolve("kubeconfig"));
            Optional<MeasuredBridge> bridge =
                    maxCandidates == ALONE ? Optional.empty() : Optional.of(bridge(kubeconfig, maxCandidates));
            try (MeasuredScheduler scheduler =
                    MeasuredScheduler.start(binaries, directory, configuration(kubeconfig, bridge, percentage))) {
                measure(pods, scheduler, bridge, fleet, api, name(maxCandidates, percentage));
            } finally {
                bridge.ifPresent(MeasuredBridge::close);
            }
        }
    }

    private MeasuredBridge bridge(Path kubeconfig, int maxCandidates) throws IOException, InterruptedException {
        MeasuredBridge bridge = MeasuredBridge.start(
                Optional.empty(), bridgeFlags, kubeconfig, List.of("--max-candidates=" + maxCandidates));
        bridge.process().awaitReady();
        return bridge;
    }

    /** The shipped one, alone without the extender. */
    private static String configuration(Path kubeconfig, Optional<MeasuredBridge> bridge, int percentage) {
        String text = bridge.map(called -> called.schedulerConfiguration(kubeconfig))
                .orElseGet(() -> SchedulerConfig.text(
                                "http://unused", "default-scheduler", Optional.of(kubeconfig), Optional.empty(), false)
                        .replaceFirst("(?s)extenders:.*", ""));
        // Otherwise it writes objects that the fleet's API cannot read.
        return text.replace("clientConnection:\n", "clientConnection:\n  contentType: application/json\n")
                + SchedulerConfig.sample(percentage);
    }

    private static String name(int maxCandidates, int percentage) {
        return "%s percentage_of_nodes=%s"
                .formatted(
                        maxCandidates == ALONE ? "alone" : "max_candidates:" + maxCandidates,
                        percentage == 0 ? "default" : String.valueOf(percentage));
    }

    private void measure(
            ArrivingPods pods,
            MeasuredScheduler scheduler,
            Optional<MeasuredBridge> bridge,
            List<FleetNode> fleet,
            FleetApi api,
            String name)
            throws InterruptedException {
        ArrivingMix mix = new ArrivingMix();
        pods.create(mix.fitting(warmUp));
        if (!awaitBound(pods, scheduler, warmUp)) {
            throw new IllegalStateException(
                    "the pods of the warm-up were not bound in time: bound=%d; take fewer".formatted(pods.bound()));
        }
        pods.create(mix.fittingNowhere(waiting));
        ScheduledExecutorService others = others(fleet, api);
        int before = pods.bound();
        int attempts = pods.failedAttempts();
        long schedulerCpu = scheduler.cpuMillis();
        long bridgeCpu = bridge.map(FleetCommand::cpuMillis).orElse(0L);
        long start = System.nanoTime();
        pods.create(mix.fitting(arriving));
        boolean all = awaitBound(pods, scheduler, before + arriving);
        double seconds = (System.nanoTime() - start) / 1e9;
        int bound = pods.bound() - before;
        print("nodes=%d run=%s bound=%d%s refused=%d failed_attempts=%d seconds=%.1f bound_per_second=%.1f "
                        .formatted(
                                nodes,
                                name,
                                bound,
                                all ? "" : " (time is up)",
                                pods.refused(),
                                pods.failedAttempts() - attempts,
                                seconds,
                                bound / seconds)
                + "scheduler_cpu_ms_per_pod=%.1f bridge_cpu_ms_per_pod=%.1f"
                        .formatted(
                                (double) (scheduler.cpuMillis() - schedulerCpu) / bound,
                                (double) (bridge.map(FleetCommand::cpuMillis).orElse(0L) - bridgeCpu) / bound));
        others.shutdownNow();
    }

    /** Whether this many pods were bound in time. */
    private static boolean awaitBound(ArrivingPods pods, MeasuredScheduler scheduler, int count)
            throws InterruptedException {
        long end = System.nanoTime() + TimeUnit.SECONDS.toNanos(TIMEOUT_SECONDS);
        while (pods.bound() < count && System.nanoTime() < end) {
            scheduler.requireAlive();
            TimeUnit.MILLISECONDS.sleep(10);
        }
        return pods.bound() >= count;
    }

    private ScheduledExecutorService others(List<FleetNode> fleet, FleetApi api) {
        ScheduledExecutorService others = Executors.newSingleThreadScheduledExecutor();
        Random random = new Random(11);
        if (events > 0) {
            var unused = others.scheduleAtFixedRate(
                    () -> {
                        FleetNode node = fleet.get(random.nextInt(fleet.size()));
                        if (random.nextBoolean()) {
                            api.topologyEvent(node);
                        } else {
                            FleetCommand.change(node, api, random.nextBoolean());
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
