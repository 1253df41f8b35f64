package io.numaledger.benchmarks.fleet;

import com.sun.management.OperatingSystemMXBean;
import com.sun.management.ThreadMXBean;
import io.numaledger.benchmarks.figures.Output;
import io.numaledger.benchmarks.figures.Percentiles;
import io.numaledger.benchmarks.fleet.GeneratedPods.Kind;
import io.numaledger.bridge.extender.CandidateLimit;
import io.numaledger.bridge.extender.FilterVerb;
import io.numaledger.bridge.extender.NoListener;
import io.numaledger.bridge.extender.ZoneRefusals;
import io.numaledger.evaluation.facts.PodFacts;
import io.numaledger.evaluation.fit.PreparedPods;
import io.numaledger.evaluation.score.Ranking;
import io.numaledger.evaluation.score.ScoringCriterion;
import io.numaledger.evaluation.score.Strategy;
import io.numaledger.scheduling.batch.BatchEvaluator;
import io.numaledger.scheduling.gang.Gangs;
import io.numaledger.scheduling.queue.PendingPodQueue;
import io.numaledger.scheduling.state.ClusterState;
import io.numaledger.simulator.fleet.FleetMix;
import io.numaledger.simulator.fleet.FleetNode;
import io.numaledger.simulator.fleet.FleetPod;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;

import java.io.IOException;
import java.lang.management.ManagementFactory;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collections;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.concurrent.Callable;
import java.util.stream.LongStream;
import java.util.stream.Stream;

/** {@code bench filter}: what a filter call costs without the network. */
@Command(
        name = "filter",
        description =
                "Measures filter calls on a large generated cluster, in this process and without the network: CPU time "
                        + "and allocated memory of a call. Prints one line for each kind of pod.",
        mixinStandardHelpOptions = true)
public final class FilterCommand implements Callable<Integer> {

    private static final ThreadMXBean THREADS = (ThreadMXBean) ManagementFactory.getThreadMXBean();
    private static final OperatingSystemMXBean PROCESS =
            (OperatingSystemMXBean) ManagementFactory.getOperatingSystemMXBean();

    /** Calls whose bodies are made beforehand. */
    private static final int BATCH = 20;

    /** On this many nodes, some zones may have all of their GPUs free. On the others, none has. */
    private static final int NODES_WITH_FREE_GPUS = 50;

    @Mixin
    private FleetSize size = new FleetSize(25_000);

    @Parameters(index = "2", arity = "0..1", paramLabel = "MIX", description = "${COMPLETION-CANDIDATES}")
    private FleetMix mix = FleetMix.PLAIN;

    @Option(names = "--names", paramLabel = "N", description = "how many nodes a call names, as a sample; 0: all")
    private int named;

    @Option(names = "--calls", paramLabel = "N", description = "measured calls of each kind of pods")
    private int calls = 1000;

    @Option(names = "--warm-up", paramLabel = "N", description = "calls of each kind before any is measured")
    private int warmUp = 2000;

    @Option(
            names = "--costly-pods",
            paramLabel = "N",
            description =
                    "pending pods whose claims take long to evaluate; each is tried every 10 s beside the measured calls, "
                            + "and nodes are reserved for them where possible")
    private int costly;

    @Mixin
    private Output out;

    private final Random random = new Random(7);
    private final GeneratedPods waiting = new GeneratedPods("w", random, Instant.EPOCH::plusSeconds);
    private final GeneratedCluster generated = new GeneratedCluster();
    private final ClusterState cluster = generated.state();
    private final BatchEvaluator evaluator = new BatchEvaluator(
            cluster, new PreparedPods(generated.index()), new Ranking(ScoringCriterion.DEFAULT, Strategy.DEFAULT));
    private final PendingPodQueue queue =
            new PendingPodQueue(cluster, evaluator, Duration.ofSeconds(2), System::nanoTime, (pod, node) -> {});
    private final FilterVerb filter = new FilterVerb(
            cluster,
            evaluator,
            queue,
            Gangs.none(cluster),
            new NoListener(),
            ZoneRefusals.unresolvable,
            CandidateLimit.DEFAULT);
    private final List<String> names = new ArrayList<>();

    /** What was used so far: by the process, with its compilers and collections; by its other threads; and memory. */
    private record Used(long processNanos, long threadNanos, long bytes) {

        static final Used NOTHING = new Used(0, 0, 0);

        static Used now() {
            long[] ids = THREADS.getAllThreadIds();
            return new Used(
                    PROCESS.getProcessCpuTime(),
                    Arrays.stream(THREADS.getThreadCpuTime(ids)).sum(),
                    Arrays.stream(THREADS.getThreadAllocatedBytes(ids)).sum());
        }

        Used plus(Used from, Used to) {
            return new Used(
                    processNanos + to.processNanos - from.processNanos,
                    threadNanos + to.threadNanos - from.threadNanos,
                    bytes + to.bytes - from.bytes);
        }

        String perCall(int calls) {
            return "cpu_ms=%.3f threads_ms=%.3f allocated_kb=%d"
                    .formatted(processNanos / 1e6 / calls, threadNanos / 1e6 / calls, bytes / 1024 / calls);
        }
    }

    @Override
    public Integer call() throws IOException {
        fill();
        try (CostlyPods beside = CostlyPods.start(costly, names, generated, queue, filter)) {
            for (Kind kind : Kind.values()) {
                run(kind, warmUp);
            }
            for (Kind kind : Kind.values()) {
                run(kind, BATCH); // its requests are cached again
                print(kind, run(kind, calls));
            }
            beside.print(out);
        }
        return 0;
    }

    private void fill() throws IOException {
        for (FleetNode node : mix.nodes(size.nodes, size.podsPerNode())) {
            boolean free = names.size() < NODES_WITH_FREE_GPUS;
            names.add(node.name());
            while (!free && node.bind(waiting.next(Kind.FEW)).isPresent()) {
                // until no zone is left
            }
            generated.add(node, Map.of());
        }
        cluster.warmUp();
    }

    private record Run(Used used, Percentiles micros, String answer) {

        /** The names of the last answer. */
        private int answered() {
            return answer.startsWith("{\"Nodes\":null,\"NodeNames\":[]")
                    ? 0
                    : answer.substring(0, answer.indexOf(']')).split(",", -1).length - 1;
        }
    }

    private void print(Kind kind, Run run) {
        out.measured("%s calls=%d p50_ms=%.2f p99_ms=%.2f "
                        .formatted(kind, calls, run.micros.at(50) / 1e3, run.micros.at(99) / 1e3)
                + run.used.perCall(calls)
                + " answered=%d answer_kb=%d".formatted(run.answered(), run.answer.length() / 1024));
    }

    private Run run(Kind kind, int count) throws IOException {
        Used used = Used.NOTHING;
        LongStream.Builder micros = LongStream.builder();
        byte[] answer = {};
        for (int done = 0; done < count; done += BATCH) {
            List<FleetPod> pods =
                    Stream.generate(() -> waiting.next(kind)).limit(BATCH).toList();
            List<byte[]> bodies = pods.stream().map(this::body).toList();
            List<PodFacts> shown = kind == Kind.NOWHERE || kind == Kind.AGAIN ? facts(pods) : List.of();
            shown.forEach(cluster::podChanged);
            for (byte[] body : kind == Kind.AGAIN ? bodies : List.<byte[]>of()) {
                filter.answer(body);
            }
            Used before = Used.now();
            for (byte[] body : bodies) {
                long begun = System.nanoTime();
                answer = filter.answer(body);
                micros.add((System.nanoTime() - begun) / 1_000);
            }
            used = used.plus(before, Used.now());
            shown.forEach(queue::remove);
            shown.forEach(cluster::podDeleted);
        }
        return new Run(used, Percentiles.of(micros.build()), new String(answer, StandardCharsets.UTF_8));
    }

    private List<PodFacts> facts(List<FleetPod> pods) throws IOException {
        List<PodFacts> facts = new ArrayList<>();
        for (FleetPod pod : pods) {
            facts.add(generated.pod(pod.waiting(1)));
        }
        return facts;
    }

    /** kube-scheduler names the nodes in another order each time. */
    private byte[] body(FleetPod pod) {
        Collections.shuffle(names, random);
        return GeneratedPods.body(pod, names.subList(0, named == 0 ? names.size() : Math.min(named, names.size())));
    }
}
