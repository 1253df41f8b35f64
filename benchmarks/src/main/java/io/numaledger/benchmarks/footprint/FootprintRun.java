package io.numaledger.benchmarks.footprint;

import io.fabric8.kubernetes.api.model.Pod;
import io.numaledger.apiservers.wait.Wait;
import io.numaledger.benchmarks.figures.Percentiles;
import io.numaledger.benchmarks.process.MeasuredAgent;
import io.numaledger.benchmarks.process.MeasuredProcess;
import io.numaledger.simulator.cluster.SimCluster;
import io.numaledger.simulator.cluster.SimNode;
import io.numaledger.simulator.workload.SimplePod;

import java.io.IOException;
import java.io.PrintWriter;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import java.util.regex.Pattern;
import java.util.stream.IntStream;
import java.util.stream.LongStream;

/** One run of the benchmark on a running cluster: the steps in order. Each step prints lines of the table. */
final class FootprintRun {

    private static final int GUARANTEED = 50;
    private static final int NEW_PODS = 30;
    private static final int BURST = 30;
    private static final String REQUESTS = "numaledger_agent_api_requests_total";

    private static final Pattern UID = Pattern.compile("\\p{XDigit}{8}(-\\p{XDigit}{4}){3}-\\p{XDigit}{12}");

    private final SimCluster cluster;
    private final SimNode node;
    private final Published published;
    private final PrintWriter out;

    /** What differs from run to run. */
    record Options(int pods, int cpus, long idleSeconds, boolean idleOnly, Optional<Path> root) {}

    FootprintRun(SimCluster cluster, Published published, PrintWriter out) {
        this.cluster = cluster;
        this.node = cluster.nodes().get(0);
        this.published = published;
        this.out = out;
    }

    void run(Options options) throws IOException, InterruptedException {
        fill(options.pods());
        long begin = System.nanoTime();
        try (MeasuredProcess agent = MeasuredAgent.start(
                cluster,
                node,
                cluster.apiServer().url().getPort(),
                options.root(),
                List.of("-XX:ActiveProcessorCount=" + options.cpus()))) {
            await(
                    "all pods are annotated",
                    () -> published.annotated() >= GUARANTEED && published.topologyWrites() > 0);
            add("start to all published, ms", millisSince(begin));
            add("CPU for that, ms", agent.figures().cpuMillis());
            idle(agent, options.idleSeconds());
            if (options.idleOnly()) {
                return;
            }
            makeRoom();
            newPods(agent);
            burst(agent);
            add("RSS peak, MiB", agent.figures().peakKiB() / 1024);
            add("RSS at the end, MiB", agent.figures().residentKiB() / 1024);
        }
    }

    /** As soon as the figure is known. */
    private void add(String what, Object value) {
        out.printf("%-42s %s%n", what, value);
    }

    private void fill(int pods) {
        for (int i = 0; i < pods; i++) {
            create(i < GUARANTEED ? guaranteed("held-" + i, 2) : burstable("other-" + i));
        }
        await(
                "all pods run",
                () -> cluster.client().pods().inNamespace("default").list().getItems().stream()
                                .filter(pod -> "Running".equals(pod.getStatus().getPhase()))
                                .count()
                        == pods);
    }

    private void idle(MeasuredProcess agent, long seconds) throws InterruptedException {
        TimeUnit.SECONDS.sleep(Math.min(15, seconds)); // until compilers have finished
        add("RSS idle, MiB", agent.figures().residentKiB() / 1024);
        add("of it anonymous, MiB", agent.figures().anonymousKiB() / 1024);
        long requests = agent.metric(REQUESTS);
        long lists = lists(agent);
        long cpu = agent.figures().cpuMillis();
        long begin = System.nanoTime();
        TimeUnit.SECONDS.sleep(seconds);
        long nanos = System.nanoTime() - begin;
        add("CPU idle, microcores", (agent.figures().cpuMillis() - cpu) * 1_000_000_000_000L / nanos);
        add("kubelet List in %d s".formatted(seconds), lists(agent) - lists);
        add("API requests in %d s".formatted(seconds), agent.metric(REQUESTS) - requests);
    }

    private static long lists(MeasuredProcess agent) {
        return agent.metric("numaledger_agent_kubelet_calls_total", "method=\"List\"");
    }

    /** The kubelet takes at most 250 pods. */
    private void makeRoom() throws InterruptedException {
        List<Pod> others = cluster.client().pods().inNamespace("default").list().getItems().stream()
                .filter(pod -> pod.getMetadata().getName().startsWith("other-"))
                .limit(NEW_PODS + BURST)
                .toList();
        cluster.client().resourceList(others).delete();
        await(
                "pods are gone",
                () -> others.stream()
                        .allMatch(pod -> cluster.client().resource(pod).get() == null));
        // Until the kubelet and the agent have finished with these pods.
        TimeUnit.SECONDS.sleep(5);
    }

    private void newPods(MeasuredProcess agent) throws InterruptedException {
        LongStream.Builder took = LongStream.builder();
        long writes = published.topologyWrites();
        long cpu = agent.figures().cpuMillis();
        for (int i = 0; i < NEW_PODS; i++) {
            took.add(untilAnnotated(create(guaranteed("new-" + i, 1))));
        }
        TimeUnit.SECONDS.sleep(3);
        Percentiles percentiles = Percentiles.of(took.build());
        add("allocated to published p50, ms", percentiles.at(50));
        add("allocated to published p99, ms", percentiles.at(99));
        add("NRT writes for %d new pods".formatted(NEW_PODS), published.topologyWrites() - writes);
        add("CPU for a new pod, ms", (agent.figures().cpuMillis() - cpu) / NEW_PODS);
    }

    /** From the pod's entry in the kubelet's cpu_manager_state to its annotation, in ms. */
    private long untilAnnotated(Pod pod) {
        String uid = pod.getMetadata().getUid();
        await("the pod is allocated", () -> text(state()).contains(uid));
        long allocated = System.nanoTime();
        await("the pod is annotated", () -> published.annotatedAt(uid).isPresent());
        return TimeUnit.NANOSECONDS.toMillis(published.annotatedAt(uid).getAsLong() - allocated);
    }

    private void burst(MeasuredProcess agent) throws InterruptedException {
        List<Pod> burst = IntStream.range(0, BURST)
                .mapToObj(i -> guaranteed("burst-" + i, 1))
                .toList();
        Map<String, Long> allocated = new HashMap<>();
        long cpu = agent.figures().cpuMillis();
        long begin = System.nanoTime();
        CompletableFuture<List<String>> created = CompletableFuture.supplyAsync(() -> burst.parallelStream()
                .map(pod -> create(pod).getMetadata().getUid())
                .toList());
        await("the burst is annotated", () -> {
            long now = System.nanoTime();
            UID.matcher(text(state())).results().forEach(uid -> allocated.putIfAbsent(uid.group(), now));
            return created.isDone()
                    && created.join().stream()
                            .allMatch(uid -> published.annotatedAt(uid).isPresent());
        });
        add("burst of %d: all annotated after, ms".formatted(BURST), millisSince(begin));
        LongStream took = created.join().stream()
                .mapToLong(uid ->
                        TimeUnit.NANOSECONDS.toMillis(published.annotatedAt(uid).orElseThrow()
                                - Optional.ofNullable(allocated.get(uid)).orElseThrow()));
        Percentiles percentiles = Percentiles.of(took);
        add("burst: allocated to published p50, ms", percentiles.at(50));
        add("burst: allocated to published p99, ms", percentiles.at(99));
        TimeUnit.SECONDS.sleep(3);
        add("burst: CPU for a pod, ms", (agent.figures().cpuMillis() - cpu) / BURST);
    }

    private Pod create(Pod pod) {
        return cluster.client().resource(pod).create();
    }

    private Pod guaranteed(String name, int containers) {
        SimplePod pod = SimplePod.named(name).on(node.name());
        for (int i = 0; i < containers; i++) {
            pod.with("c" + i, "cpu=1", "memory=64Mi");
        }
        return pod.build();
    }

    private Pod burstable(String name) {
        return SimplePod.named(name).on(node.name()).burstable("c0", "cpu=10m").build();
    }

    private Path state() {
        return node.kubeletRoot().resolve("cpu_manager_state");
    }

    private static String text(Path file) {
        try {
            return Files.readString(file);
        } catch (IOException e) {
            throw new UncheckedIOException("cannot read the kubelet's state: file=%s".formatted(file), e);
        }
    }

    private static long millisSince(long begin) {
        return TimeUnit.NANOSECONDS.toMillis(System.nanoTime() - begin);
    }

    private void await(String what, Wait.Condition condition) {
        Wait.until(what)
                .limit(Duration.ofMinutes(2))
                .pollInterval(Duration.ofMillis(2))
                .log(cluster.directory())
                .holds(condition);
    }
}
