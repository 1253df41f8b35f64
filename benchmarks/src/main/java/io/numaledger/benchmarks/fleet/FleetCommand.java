package io.numaledger.benchmarks.fleet;

import io.numaledger.benchmarks.figures.Output;
import io.numaledger.benchmarks.figures.Percentiles;
import io.numaledger.benchmarks.fleet.GeneratedPods.Kind;
import io.numaledger.benchmarks.process.MeasuredBridge;
import io.numaledger.benchmarks.process.RootFileSystem;
import io.numaledger.simulator.fleet.EventLog;
import io.numaledger.simulator.fleet.FleetApi;
import io.numaledger.simulator.fleet.FleetMix;
import io.numaledger.simulator.fleet.FleetNode;
import io.numaledger.simulator.fleet.FleetPod;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Parameters;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Collections;
import java.util.EnumSet;
import java.util.List;
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

    @Mixin
    private FleetSize size = new FleetSize(100_000);

    @Parameters(index = "2", arity = "0..1", paramLabel = "MIX", description = "${COMPLETION-CANDIDATES}")
    private FleetMix mix = FleetMix.MIXED;

    @Parameters(index = "3", arity = "0..1", paramLabel = "RATE", description = "calls per second")
    private int rate = 200;

    @Parameters(index = "4", arity = "0..1", paramLabel = "SECONDS", description = "seconds of load")
    private int seconds = 30;

    @Parameters(index = "5", arity = "0..1", paramLabel = "NEW", description = "percentage of pods with a new request")
    private int newRequestsPercent = 5;

    @Parameters(index = "6", arity = "0..1", paramLabel = "EVENTS", description = "pod events per second")
    private int events = 20;

    @Mixin
    private RootFileSystem root;

    @Mixin
    private Output out;

    @Override
    public Integer call() throws IOException, InterruptedException {
        List<FleetNode> fleet = mix.nodes(size.nodes, size.podsPerNode());
        Path directory = Files.createTempDirectory("numaledger-fleet-");
        try (FleetApi api = new FleetApi(fleet, size.podsPerNode());
                MeasuredBridge bridge = MeasuredBridge.start(
                        root.path(), api.writeKubeconfig(directory.resolve("kubeconfig")), List.of())) {
            bridge.process().awaitReady();
            print(
                    "ready",
                    "nodes=%d pods=%d mix=%s ".formatted(size.nodes, size.pods, mix)
                            + "took_ms=%d ".formatted(bridge.process().millisSinceStart())
                            + "cpu_ms=%d %s".formatted(bridge.cpuMillis(), bridge.memory()));
            warmUp(bridge, fleet, api.podEvents());
            long before = bridge.cpuMillis();
            int calls = load(bridge, fleet, api);
            print("cpu", "bridge_ms_per_call=%.2f".formatted((double) (bridge.cpuMillis() - before) / calls));
            print("after", bridge.memory());
            bridge.process().metrics("numaledger_bridge_evaluations_total").forEach(line -> print("evaluations", line));
        }
        return 0;
    }

    private ExtenderLoad load(MeasuredBridge bridge, List<FleetNode> fleet) throws IOException {
        // kube-scheduler does not send the names in order.
        List<String> names = new ArrayList<>(fleet.stream().map(FleetNode::name).toList());
        Collections.shuffle(names, new Random(5));
        return new ExtenderLoad(bridge, names, newRequestsPercent / 100.0);
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
                "calls=%d rate=%d new_shapes_percent=%d ".formatted(took.count(), rate, newRequestsPercent)
                        + "events=%d %s".formatted(events, ExtenderLoad.text(took)));
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

    private void print(String what, String figures) {
        out.measured(what + " " + figures);
    }
}
