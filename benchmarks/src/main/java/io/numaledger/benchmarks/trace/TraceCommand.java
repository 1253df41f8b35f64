package io.numaledger.benchmarks.trace;

import io.numaledger.benchmarks.cluster.Seed;
import io.numaledger.benchmarks.figures.Output;
import io.numaledger.benchmarks.node.ModelNode;
import io.numaledger.benchmarks.node.NodeType;
import io.numaledger.evaluation.score.Strategy;
import io.numaledger.fastpath.ResourceIndex;
import io.numaledger.kubelet.config.TopologyPolicyName;
import io.numaledger.simulator.cluster.KubeBinaries;
import io.numaledger.simulator.hardware.NodeSpec;
import picocli.CommandLine.Command;
import picocli.CommandLine.Help.Visibility;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;

import java.io.IOException;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collections;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.Random;
import java.util.TreeMap;
import java.util.concurrent.Callable;
import java.util.stream.IntStream;

/** {@code bench trace}: a public trace of a GPU cluster. */
@Command(
        name = "trace",
        description =
                "Plays cluster-trace-gpu-v2023 of github.com/alibaba/clusterdata in simulated time on kubelet models, with "
                        + "kube-scheduler's NodeResourcesFit and with the bridge. Each node has two zones with half of its CPUs, memory and "
                        + "GPUs. CPUs of pods are rounded up to whole ones, a share of a GPU counts as one, and GPU types do not count. "
                        + "Prints one line for each run. With --real, a real kube-scheduler on a real API server binds the pods, alone and "
                        + "with a bridge, and the kubelet models run or refuse them.",
        footer = {
            "Arrivals:",
            "  fill   in random order, one a second, until 120 %% of the GPUs are requested; no pod ends",
            "  times  in the order of the trace, 30,000 times as fast; each pod runs as long as in the trace"
        },
        mixinStandardHelpOptions = true)
public final class TraceCommand implements Callable<Integer> {

    private static final int FILL_PERCENT = 120;

    /** Divides the times between arrivals: at its own speed, the trace uses 71 of 6,212 GPUs at most. */
    private static final long SPEED = 30_000;

    private static final List<Strategy> STRATEGIES = List.of(Strategy.LeastAllocated, Strategy.MostAllocated);

    private static final List<TopologyPolicyName> POLICIES =
            List.of(TopologyPolicyName.SINGLE_NUMA_NODE, TopologyPolicyName.RESTRICTED);

    /** Longer than kube-scheduler's longest back-off. */
    private static final Duration QUIET = Duration.ofSeconds(15);

    private enum Arrivals {
        FILL,
        TIMES
    }

    @Parameters(paramLabel = "DIR", description = "a folder with the lists of nodes and pods as openb_*.csv.gz")
    private Path directory;

    @Option(
            names = "--list",
            paramLabel = "NAME",
            description = "of pods: default (which has times), multigpu20, multigpu50")
    private String list = "default";

    @Option(names = "--arrivals", paramLabel = "ARRIVALS", description = "fill or times")
    private Arrivals arrivals = Arrivals.FILL;

    @Option(
            names = "--nodes",
            paramLabel = "N",
            showDefaultValue = Visibility.NEVER,
            description = "takes this many nodes, and the same part of the pods (default: all; with --real 200)")
    private Optional<Integer> nodes = Optional.empty();

    @Option(
            names = "--strategy",
            split = ",",
            paramLabel = "STRATEGY",
            showDefaultValue = Visibility.NEVER,
            description = "LeastAllocated, MostAllocated (default: both; with --real LeastAllocated)")
    private List<Strategy> strategies = List.of();

    @Option(names = "--real", description = "with a real kube-scheduler; needs KUBEBUILDER_ASSETS")
    private boolean real;

    @Option(names = "--rate", paramLabel = "N", description = "with --real: seconds of the trace that pass in a second")
    private int rate = 8;

    @Mixin
    private Seed seed = new Seed(1);

    @Mixin
    private Output out;

    @Override
    public Integer call() throws IOException, InterruptedException {
        if (!STRATEGIES.containsAll(strategies)) {
            throw out.wrongArgument("--strategy is one of " + STRATEGIES);
        }
        Trace all = Trace.read(directory, list);
        int count = Math.min(
                nodes.orElse(real ? 200 : Integer.MAX_VALUE), all.nodes().size());
        Trace trace = new Trace(
                sample(all.nodes(), count),
                sample(all.pods(), all.pods().size() * count / all.nodes().size()));
        List<Strategy> compared = !strategies.isEmpty() ? strategies : STRATEGIES.subList(0, real ? 1 : 2);
        for (TopologyPolicyName policy : POLICIES.subList(0, real ? 1 : 2)) {
            for (boolean bridged : new boolean[] {false, true}) {
                for (Strategy strategy : compared) {
                    run(trace, policy, strategy, bridged);
                }
            }
        }
        return 0;
    }

    /** Evenly spaced elements. */
    private static <T> List<T> sample(List<T> all, int count) {
        return IntStream.range(0, count)
                .mapToObj(i -> all.get((int) ((long) i * all.size() / count)))
                .toList();
    }

    private void run(Trace trace, TopologyPolicyName policy, Strategy strategy, boolean bridged)
            throws IOException, InterruptedException {
        ResourceIndex index = new ResourceIndex();
        Map<Trace.Node, NodeType> types = new HashMap<>();
        List<ModelNode> cluster = trace.nodes().stream()
                .map(node ->
                        new ModelNode(types.computeIfAbsent(node, any -> NodeType.of(node.spec("any", policy), index))))
                .toList();
        List<TracePod> pods = pods(trace, index);
        List<ModelNode> empty = types.values().stream().map(ModelNode::new).toList();
        List<TracePod> possible = pods.stream()
                .filter(pod -> empty.stream().anyMatch(node -> node.admits(pod.model())))
                .toList();
        NodeChoice choice =
                bridged ? NodeChoice.bridge(strategy) : NodeChoice.nodeLevel(strategy == Strategy.MostAllocated);
        TraceReport report = real
                ? runOnCluster(cluster, specs(trace, policy), possible, strategy, bridged)
                : new TraceRun(cluster, choice, possible).run();
        String when = arrivals == Arrivals.FILL ? "fill,seed:" + seed.value() : "times,speed:" + SPEED;
        String scheduler = bridged ? "bridge" : real ? "kube-scheduler" : "NodeResourcesFit";
        out.measured("trace list=%s arrivals=%s policy=%s ".formatted(list, when, policy)
                + "scheduler=%s,%s nodes=%d pods=%d ".formatted(scheduler, strategy, cluster.size(), pods.size())
                + "fit_no_empty_node=%d %s".formatted(pods.size() - possible.size(), report.figures()));
    }

    private static List<NodeSpec> specs(Trace trace, TopologyPolicyName policy) {
        return IntStream.range(0, trace.nodes().size())
                .mapToObj(i -> trace.nodes().get(i).spec("node-%04d".formatted(i), policy))
                .toList();
    }

    private TraceReport runOnCluster(
            List<ModelNode> nodes, List<NodeSpec> specs, List<TracePod> pods, Strategy strategy, boolean bridged)
            throws IOException, InterruptedException {
        try (RealScheduler scheduler = new RealScheduler(KubeBinaries.required())) {
            Map<String, PublishedNode> published = new TreeMap<>();
            for (int i = 0; i < specs.size(); i++) {
                NodeSpec spec = specs.get(i);
                published.put(spec.name(), new PublishedNode(scheduler.client(), spec, nodes.get(i)));
            }
            if (bridged) {
                scheduler.startWithBridge(strategy);
            } else {
                scheduler.startAlone(strategy);
            }
            try (ClusterRun run = new ClusterRun(scheduler.client(), published, rate, QUIET)) {
                TraceReport report = run.run(pods);
                scheduler.requireAlive();
                return report;
            }
        }
    }

    private List<TracePod> pods(Trace trace, ResourceIndex index) {
        if (arrivals == Arrivals.TIMES) {
            return trace.pods().stream()
                    .map(pod -> TracePod.of(pod, index, pod.createdAt() / SPEED, OptionalLong.of(pod.runs())))
                    .toList();
        }
        List<Trace.Pod> order = new ArrayList<>(trace.pods());
        Collections.shuffle(order, new Random(seed.value()));
        long most = trace.nodes().stream().mapToLong(Trace.Node::gpus).sum() * FILL_PERCENT / 100;
        List<TracePod> pods = new ArrayList<>();
        for (Trace.Pod pod : order) {
            most -= pod.gpus();
            if (most < 0) {
                break;
            }
            pods.add(TracePod.of(pod, index, pods.size(), OptionalLong.empty()));
        }
        return pods;
    }
}
