package io.numaledger.benchmarks.fleet;

import io.numaledger.benchmarks.figures.Percentiles;
import io.numaledger.benchmarks.fleet.GeneratedPods.Kind;
import io.numaledger.benchmarks.process.MeasuredBridge;
import io.numaledger.simulator.fleet.EventLog;
import io.numaledger.simulator.fleet.FleetApi;
import io.numaledger.simulator.fleet.FleetMix;
import io.numaledger.simulator.fleet.FleetNode;
import io.numaledger.simulator.fleet.FleetPod;
import picocli.CommandLine.Command;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;
import picocli.CommandLine.Spec;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Collections;
import java.util.EnumSet;
import java.util.List;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.Random;
import java.util.concurrent.Callable;
import java.util.concurrent.Executors;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.TimeUnit;

/** {@code bench fleet}: a bridge over a large generated cluster. */
@Command(
        name = "fleet",
        description =
                "Measures a bridge over a large generated cluster: time to ready, heap, and the latency of filter and "
                        + "prioritize while pods come and go. Prints one line for each measurement.",
        mixinStandardHelpOptions = true)
public final class FleetCommand implements Callable<Integer> {

    private static final long NANOS_PER_SECOND = 1_000_000_000L;
    private static final int ALONE_CALLS = 200;

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
            defaultValue = "100000",
            paramLabel = "PODS",
            description = "number of pods (default: ${DEFAULT-VALUE})")
    private int pods;

    @Parameters(
            index = "2",
            arity = "0..1",
            defaultValue = "MIXED",
            paramLabel = "MIX",
            description = "kinds of nodes: ${COMPLETION-CANDIDATES} (default: ${DEFAULT-VALUE})")
    private FleetMix mix;

    @Parameters(
            index = "3",
            arity = "0..1",
            defaultValue = "200",
            paramLabel = "RATE",
            description = "calls per second (default: ${DEFAULT-VALUE})")
    private int rate;

    @Parameters(
            index = "4",
            arity = "0..1",
            defaultValue = "30",
            paramLabel = "SECONDS",
            description = "seconds of load (default: ${DEFAULT-VALUE})")
    private int seconds;

    @Parameters(
            index = "5",
            arity = "0..1",
            paramLabel = "NEW-SHAPES",
            defaultValue = "5",
            description = "percentage of pods with a new shape (default: ${DEFAULT-VALUE})")
    private int newShapesPercent;

    @Parameters(
            index = "6",
            arity = "0..1",
            defaultValue = "20",
            paramLabel = "EVENTS",
            description = "pod events per second (default: ${DEFAULT-VALUE})")
    private int events;

    @Option(
            names = "--rootfs",
            paramLabel = "DIR",
            description = "the bridge's root file system, run as in its pod " + "(default: this build's classes)")
    private Optional<Path> root = Optional.empty();

    @Spec
    private CommandSpec command;

    @Override
    public Integer call() throws IOException, InterruptedException {
        List<FleetNode> fleet = mix.nodes(nodes, pods / nodes);
        Path directory = Files.createTempDirectory("numaledger-fleet-");
        try (FleetApi api = new FleetApi(fleet, pods / nodes);
                MeasuredBridge bridge =
                        MeasuredBridge.start(root, api.writeKubeconfig(directory.resolve("kubeconfig")), List.of())) {
            bridge.process().awaitReady();
            print(
                    "ready",
                    "nodes=%d pods=%d mix=%s took_ms=%d cpu_ms=%d %s"
                            .formatted(
                                    nodes,
                                    pods,
                                    mix,
                                    bridge.process().millisSinceStart(),
                                    cpuMillis(bridge),
                                    memory(bridge)));
            warmUp(bridge, fleet, api.podEvents());
            long before = cpuMillis(bridge);
            int calls = load(bridge, fleet, api);
            print("cpu", "bridge_ms_per_call=%.2f".formatted((double) (cpuMillis(bridge) - before) / calls));
            print("after", memory(bridge));
            bridge.process().metrics("numaledger_bridge_evaluations_total").forEach(line -> print("evaluations", line));
        }
        return 0;
    }

    static String memory(MeasuredBridge bridge) {
        OptionalLong heap = bridge.process().liveHeapKiB();
        return (heap.isPresent() ? "heap_mb=%d ".formatted(heap.getAsLong() / 1024) : "")
                + "rss_mb=%d".formatted(bridge.process().figures().residentKiB() / 1024);
    }

    static long cpuMillis(MeasuredBridge bridge) {
        return bridge.process().figures().cpuMillis();
    }

    private ExtenderLoad load(MeasuredBridge bridge, List<FleetNode> fleet) throws IOException {
        // kube-scheduler does not send the names in order.
        List<String> names = new ArrayList<>(fleet.stream().map(FleetNode::name).toList());
        Collections.shuffle(names, new Random(5));
        return new ExtenderLoad(bridge, names, newShapesPercent / 100.0);
    }

    private void warmUp(MeasuredBridge bridge, List<FleetNode> fleet, EventLog events)
            throws IOException, InterruptedException {
        ExtenderLoad load = load(bridge, fleet);
        print("first 100 filter calls", ExtenderLoad.text(load.alone(Kind.KNOWN, 100, events)));
        load.warmUp();
        load.run(rate / 2, seconds / 2);
        for (Kind kind : EnumSet.complementOf(EnumSet.of(Kind.FEW))) {
            load.alone(kind, ALONE_CALLS, events); // its code is compiled then
            print(kind + " alone", ExtenderLoad.text(load.alone(kind, ALONE_CALLS, events)));
        }
    }

    /** Returns the number of calls. */
    private int load(MeasuredBridge bridge, List<FleetNode> fleet, FleetApi api)
            throws IOException, InterruptedException {
        ExtenderLoad load = load(bridge, fleet);
        ScheduledExecutorService churn = Executors.newSingleThreadScheduledExecutor();
        Random random = new Random(11);
        if (events > 0) {
            var unused = churn.scheduleAtFixedRate(
                    () -> change(fleet.get(random.nextInt(fleet.size())), api, random.nextBoolean()),
                    0,
                    NANOS_PER_SECOND / events,
                    TimeUnit.NANOSECONDS);
        }
        Percentiles took = load.run(rate, seconds);
        churn.shutdownNow();
        print(
                "load",
                "calls=%d rate=%d new_shapes_percent=%d events=%d %s machine_load=%s"
                        .formatted(
                                took.count(), rate, newShapesPercent, events, ExtenderLoad.text(took), machineLoad()));
        print("first of a shape under load", ExtenderLoad.text(load.firstOfShape()));
        return took.count();
    }

    /** A pod comes or goes. */
    static void change(FleetNode node, FleetApi api, boolean add) {
        if (add || node.pods().isEmpty()) {
            FleetPod added = node.add();
            api.podEvents().add("ADDED", added::running);
        } else {
            FleetPod gone = node.remove();
            api.podEvents().add("DELETED", gone::running);
        }
    }

    private static String machineLoad() throws IOException {
        return Files.readString(Path.of("/proc/loadavg")).split(" ")[0];
    }

    private void print(String what, String figures) {
        command.commandLine().getOut().println("measured: " + what + " " + figures);
    }
}
