package io.numaledger.benchmarks.fleet;

import com.sun.management.OperatingSystemMXBean;
import com.sun.management.ThreadMXBean;
import io.fabric8.kubernetes.api.model.Node;
import io.fabric8.kubernetes.client.utils.KubernetesSerialization;
import io.numaledger.benchmarks.figures.Percentiles;
import io.numaledger.bridge.extender.CandidateLimit;
import io.numaledger.bridge.extender.FilterVerb;
import io.numaledger.bridge.extender.NoListener;
import io.numaledger.bridge.extender.ZoneRefusals;
import io.numaledger.evaluation.facts.PodFacts;
import io.numaledger.evaluation.fit.NodeClasses;
import io.numaledger.evaluation.fit.SchedulingRequests;
import io.numaledger.evaluation.score.Ranking;
import io.numaledger.evaluation.score.ScoringCriterion;
import io.numaledger.evaluation.score.Strategy;
import io.numaledger.evaluation.snapshot.SnapshotSettings;
import io.numaledger.fastpath.ResourceIndex;
import io.numaledger.nrt.NodeTopologyJson;
import io.numaledger.objects.ObjectReader;
import io.numaledger.objects.PodObject;
import io.numaledger.pod.PodRequest;
import io.numaledger.scheduling.batch.BatchEvaluator;
import io.numaledger.scheduling.gang.Gangs;
import io.numaledger.scheduling.queue.PendingPodQueue;
import io.numaledger.scheduling.state.ClusterState;
import io.numaledger.simulator.fleet.FleetMix;
import io.numaledger.simulator.fleet.FleetNode;
import io.numaledger.simulator.fleet.FleetPod;
import picocli.CommandLine.Command;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;
import picocli.CommandLine.Spec;

import java.io.IOException;
import java.lang.management.ManagementFactory;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.time.Instant;
import java.time.InstantSource;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collections;
import java.util.List;
import java.util.Optional;
import java.util.Random;
import java.util.concurrent.Callable;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import java.util.stream.LongStream;

/** {@code bench filter}: what a filter call costs without the network. */
@Command(
        name = "filter",
        description =
                "Measures filter calls on a large generated cluster, in this process and without the network: CPU time "
                        + "and allocated memory of a call. Prints one line for each kind of pod.",
        mixinStandardHelpOptions = true)
public final class FilterCommand implements Callable<Integer> {

    private static final KubernetesSerialization TYPED = new KubernetesSerialization();
    private static final ThreadMXBean THREADS = (ThreadMXBean) ManagementFactory.getThreadMXBean();
    private static final OperatingSystemMXBean PROCESS =
            (OperatingSystemMXBean) ManagementFactory.getOperatingSystemMXBean();

    /** Calls whose bodies are made beforehand. */
    private static final int BATCH = 20;

    private static final int KNOWN_SHAPES = 30;
    private static final int ZONE_GPUS = 4;

    /** On this many nodes, some zones may have all of their GPUs free. On the others, none has. */
    private static final int NODES_WITH_FREE_GPUS = 50;

    /** Pods that filter is called for. */
    enum Kind {
        /** One of the known shapes. */
        KNOWN {
            @Override
            PodRequest request(Random random) {
                return FleetPod.request("load/w", new Random(random.nextInt(KNOWN_SHAPES)));
            }
        },
        /** A new shape that fits one zone. */
        NEW {
            @Override
            PodRequest request(Random random) {
                return FleetPod.request("load/w", random);
            }
        },
        /** A new shape of 100 CPUs, more than one zone of any node has. */
        SEVERAL_ZONES {
            @Override
            PodRequest request(Random random) {
                return FleetPod.request(100, 0, 0, random);
            }
        },
        /** A new shape that few nodes take: all GPUs of a zone. */
        FEW {
            @Override
            PodRequest request(Random random) {
                return FleetPod.request(4, ZONE_GPUS, 1, random);
            }
        },
        /** A new shape that no zones can take: one CPU prefers one zone, six GPUs need two. The pods are shown to the bridge. */
        NOWHERE {
            @Override
            PodRequest request(Random random) {
                return FleetPod.request(1, 6, 0, random);
            }
        },
        /** The second call for each of these pods: nothing has changed. */
        AGAIN {
            @Override
            PodRequest request(Random random) {
                return NOWHERE.request(random);
            }
        };

        abstract PodRequest request(Random random);
    }

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
            defaultValue = "25000",
            paramLabel = "PODS",
            description = "number of pods (default: ${DEFAULT-VALUE})")
    private int pods;

    @Parameters(
            index = "2",
            arity = "0..1",
            defaultValue = "PLAIN",
            paramLabel = "MIX",
            description = "kinds of nodes: ${COMPLETION-CANDIDATES} (default: ${DEFAULT-VALUE})")
    private FleetMix mix;

    @Option(
            names = "--names",
            paramLabel = "N",
            defaultValue = "0",
            description = "how many nodes a call names, as a sample; 0: all (default: ${DEFAULT-VALUE})")
    private int named;

    @Option(
            names = "--kinds",
            split = ",",
            paramLabel = "KIND",
            description = "kinds of pods: ${COMPLETION-CANDIDATES} (default: all)")
    private List<Kind> kinds = List.of(Kind.values());

    @Option(
            names = "--calls",
            paramLabel = "N",
            defaultValue = "1000",
            description = "measured calls of each kind (default: ${DEFAULT-VALUE})")
    private int calls;

    @Option(
            names = "--warm-up",
            paramLabel = "N",
            defaultValue = "2000",
            description = "calls of each kind before any is measured (default: ${DEFAULT-VALUE})")
    private int warmUp;

    @Option(
            names = "--costly-pods",
            paramLabel = "N",
            defaultValue = "0",
            description =
                    "pending pods whose claims take long to evaluate; each is tried every 10 s beside the measured calls, "
                            + "and nodes are reserved for them where possible (default: ${DEFAULT-VALUE})")
    private int costly;

    @Spec
    private CommandSpec command;

    private final Random random = new Random(7);
    private final ObjectReader reader = new ObjectReader();
    private final ResourceIndex index = new ResourceIndex();
    private final ClusterState cluster = new ClusterState(
            SnapshotSettings.DEFAULT, new NodeClasses(index), (pod, reservation) -> {}, InstantSource.system());
    private final BatchEvaluator evaluator = new BatchEvaluator(
            cluster, new SchedulingRequests(index), new Ranking(ScoringCriterion.DEFAULT, Strategy.DEFAULT));
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
    private int made;

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
    }

    @Override
    public Integer call() throws IOException {
        fill();
        try (CostlyPods beside = CostlyPods.start(costly, names, cluster, queue, filter)) {
            for (Kind kind : kinds) {
                run(kind, warmUp);
            }
            for (Kind kind : kinds) {
                run(kind, BATCH); // its shapes are cached again
                run(kind, calls).print(kind);
            }
            beside.print(command.commandLine().getOut());
        }
        return 0;
    }

    private void fill() throws IOException {
        for (FleetNode node : mix.nodes(nodes, pods / nodes)) {
            boolean free = names.size() < NODES_WITH_FREE_GPUS;
            names.add(node.name());
            while (!free && node.bind(pod(Kind.FEW.request(random))).isPresent()) {
                // until no zone is left
            }
            cluster.nodeChanged(reader.node(TYPED.unmarshal(node.node(), Node.class)));
            cluster.topologyChanged(NodeTopologyJson.read(node.topology()), Instant.now());
            for (FleetPod pod : node.pods()) {
                cluster.podChanged(reader.pod(TYPED.unmarshal(pod.running(1), PodObject.class)));
            }
        }
        cluster.warmUp();
    }

    /** @param answer the last one */
    @SuppressWarnings("ArrayRecordComponent") // never compared
    private record Run(FilterCommand of, int calls, Used used, Percentiles micros, byte[] answer) {

        void print(Kind kind) {
            String text = new String(answer, StandardCharsets.UTF_8);
            int answered = text.startsWith("{\"Nodes\":null,\"NodeNames\":[]")
                    ? 0
                    : text.substring(0, text.indexOf(']')).split(",", -1).length - 1;
            of.command
                    .commandLine()
                    .getOut()
                    .println(
                            "measured: %s calls=%d p50_ms=%.2f p99_ms=%.2f cpu_ms=%.3f threads_ms=%.3f allocated_kb=%d answered=%d answer_kb=%d"
                                    .formatted(
                                            kind,
                                            calls,
                                            micros.at(50) / 1e3,
                                            micros.at(99) / 1e3,
                                            used.processNanos() / 1e6 / calls,
                                            used.threadNanos() / 1e6 / calls,
                                            used.bytes() / 1024 / calls,
                                            answered,
                                            answer.length / 1024));
        }
    }

    private Run run(Kind kind, int count) throws IOException {
        Used used = Used.NOTHING;
        LongStream.Builder micros = LongStream.builder();
        byte[] answer = {};
        for (int done = 0; done < count; done += BATCH) {
            List<FleetPod> waiting = IntStream.range(0, BATCH)
                    .mapToObj(any -> pod(kind.request(random)))
                    .toList();
            List<byte[]> bodies = waiting.stream().map(this::body).toList();
            List<PodFacts> shown = kind == Kind.NOWHERE || kind == Kind.AGAIN ? facts(waiting) : List.of();
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
        return new Run(this, count, used, Percentiles.of(micros.build()), answer);
    }

    private List<PodFacts> facts(List<FleetPod> waiting) throws IOException {
        List<PodFacts> facts = new ArrayList<>();
        for (FleetPod pod : waiting) {
            facts.add(reader.pod(TYPED.unmarshal(pod.waiting(1), PodObject.class)));
        }
        return facts;
    }

    private FleetPod pod(PodRequest request) {
        String name = "w" + made++;
        return new FleetPod(
                name,
                "",
                PodRequest.of("load/" + name, request.containers().get(0)),
                Optional.empty(),
                Instant.EPOCH.plusSeconds(made));
    }

    /** kube-scheduler names the nodes in another order each time. */
    private byte[] body(FleetPod pod) {
        Collections.shuffle(names, random);
        return "{\"Pod\":%s,\"Nodes\":null,\"NodeNames\":%s}"
                .formatted(
                        pod.waiting(1),
                        names.stream()
                                .limit(named == 0 ? nodes : named)
                                .collect(Collectors.joining("\",\"", "[\"", "\"]")))
                .getBytes(StandardCharsets.UTF_8);
    }
}
