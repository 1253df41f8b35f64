package io.numaledger.benchmarks.trace;

import io.numaledger.bridge.score.Strategy;
import io.numaledger.fastpath.FastPathEvaluator;
import io.numaledger.fastpath.ResourceIndex;
import io.numaledger.kubelet.config.TopologyPolicyName;
import picocli.CommandLine.Command;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;
import picocli.CommandLine.Spec;

import java.io.IOException;
import java.io.PrintWriter;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Collections;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.OptionalLong;
import java.util.Random;
import java.util.concurrent.Callable;
import java.util.stream.IntStream;

/** {@code bench trace}: a public trace of a GPU cluster. */
@Command(
        name = "trace",
        description =
                "Plays cluster-trace-gpu-v2023 of github.com/alibaba/clusterdata in simulated time on kubelet models, with "
                        + "kube-scheduler's NodeResourcesFit and with the bridge. Each node has two zones with half of its CPUs, memory and "
                        + "GPUs. CPUs of pods are rounded up to whole ones, a share of a GPU counts as one, and GPU types do not count. "
                        + "Prints one line for each run.",
        footer = {
            "Arrivals:",
            "  fill   in random order, one a second, until 120 % of the GPUs are requested; no pod ends",
            "  times  in the order of the trace, as much sooner as --speed says; each pod runs as long as in the trace"
        },
        mixinStandardHelpOptions = true)
public final class TraceCommand implements Callable<Integer> {

    private static final int FILL_PERCENT = 120;

    private enum Arrivals {
        FILL,
        TIMES
    }

    @Parameters(paramLabel = "DIR", description = "a folder with the lists of nodes and pods as openb_*.csv.gz")
    private Path directory = Path.of("");

    @Option(
            names = "--list",
            paramLabel = "NAME",
            description =
                    "of pods: default, multigpu20 or multigpu50; only default has times (default: ${DEFAULT-VALUE})")
    private String list = "default";

    @Option(names = "--arrivals", paramLabel = "ARRIVALS", description = "fill or times (default: ${DEFAULT-VALUE})")
    private Arrivals arrivals = Arrivals.FILL;

    @Option(
            names = "--speed",
            paramLabel = "N",
            description = "divides the times between arrivals (default: ${DEFAULT-VALUE})")
    private long speed = 30_000;

    @Option(
            names = "--nodes",
            paramLabel = "N",
            description = "takes this many nodes, and the same part of the pods (default: all)")
    private int nodes = Integer.MAX_VALUE;

    @Option(names = "--seed", paramLabel = "N", description = "seed of the random order (default: ${DEFAULT-VALUE})")
    private long seed = 1;

    @Spec
    private CommandSpec command;

    @Override
    public Integer call() throws IOException {
        Trace all = Trace.read(directory, list);
        int count = Math.min(nodes, all.nodes().size());
        Trace trace = new Trace(
                sample(all.nodes(), count),
                sample(all.pods(), all.pods().size() * count / all.nodes().size()));
        for (TopologyPolicyName policy : List.of(TopologyPolicyName.SINGLE_NUMA_NODE, TopologyPolicyName.RESTRICTED)) {
            choices().forEach((name, choice) -> run(trace, policy, name, choice));
        }
        return 0;
    }

    /** Evenly spaced elements. */
    private static <T> List<T> sample(List<T> all, int count) {
        return IntStream.range(0, count)
                .mapToObj(i -> all.get((int) ((long) i * all.size() / count)))
                .toList();
    }

    private static Map<String, NodeChoice> choices() {
        Map<String, NodeChoice> choices = new LinkedHashMap<>();
        choices.put("NodeResourcesFit,LeastAllocated", NodeChoice.sums(false));
        choices.put("NodeResourcesFit,MostAllocated", NodeChoice.sums(true));
        choices.put("bridge,LeastAllocated", NodeChoice.bridge(Strategy.LeastAllocated));
        choices.put("bridge,MostAllocated", NodeChoice.bridge(Strategy.MostAllocated));
        return choices;
    }

    private void run(Trace trace, TopologyPolicyName policy, String name, NodeChoice choice) {
        ResourceIndex index = new ResourceIndex();
        FastPathEvaluator evaluator = new FastPathEvaluator();
        Map<Trace.Node, TraceNodeType> types = new HashMap<>();
        List<TraceNode> cluster = trace.nodes().stream()
                .map(node -> new TraceNode(
                        types.computeIfAbsent(node, any -> TraceNodeType.of(node, policy, index)), evaluator))
                .toList();
        List<TracePod> pods = pods(trace, index);
        List<TraceNode> empty = types.values().stream()
                .map(type -> new TraceNode(type, evaluator))
                .toList();
        List<TracePod> possible = pods.stream()
                .filter(pod -> empty.stream().anyMatch(node -> node.admits(pod)))
                .toList();
        print("measured: trace list=%s arrivals=%s policy=%s scheduler=%s nodes=%d pods=%d fit_no_empty_node=%d %s"
                .formatted(
                        list,
                        arrivals == Arrivals.FILL ? "fill,seed:" + seed : "times,speed:" + speed,
                        policy,
                        name,
                        cluster.size(),
                        pods.size(),
                        pods.size() - possible.size(),
                        new TraceRun(cluster, choice, possible).run().figures()));
    }

    private List<TracePod> pods(Trace trace, ResourceIndex index) {
        if (arrivals == Arrivals.TIMES) {
            return trace.pods().stream()
                    .map(pod -> TracePod.of(pod, index, pod.createdAt() / speed, OptionalLong.of(pod.runs())))
                    .toList();
        }
        List<Trace.Pod> order = new ArrayList<>(trace.pods());
        Collections.shuffle(order, new Random(seed));
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

    private void print(String line) {
        PrintWriter out = command.commandLine().getOut();
        out.println(line);
        out.flush();
    }
}
