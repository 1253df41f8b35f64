package io.numaledger.benchmarks.trace;

import io.fabric8.kubernetes.api.model.Pod;
import io.fabric8.kubernetes.client.KubernetesClient;
import io.fabric8.kubernetes.client.informers.SharedIndexInformer;
import io.numaledger.benchmarks.cluster.ObjectHandler;
import io.numaledger.kubelet.Admission;

import java.time.Duration;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.Callable;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.stream.Stream;

import static java.util.Objects.requireNonNull;
import static org.awaitility.Awaitility.await;

/**
 * One list of pods on the nodes of an API server, whose pods a scheduler binds. Each node decides on its pods in the order in which they were
 * bound. A refused pod is created again under another name; the refused one stays, as pods of Jobs do.
 */
final class ClusterRun implements AutoCloseable {

    private static final int WRITERS = 8;
    private static final Duration POLL = Duration.ofMillis(250);
    /** After the last arrival, for pods that wait or are created again. */
    private static final Duration TIMEOUT = Duration.ofMinutes(12);

    private final KubernetesClient client;
    private final Map<String, PublishedNode> nodes;
    private final long rate;
    private final Duration quiet;
    /** Creates Pods, in order. */
    private final ExecutorService creator = Executors.newSingleThreadExecutor();

    /** The requests about one node go through one of these, so that they stay in order. */
    private final List<ExecutorService> writers =
            Stream.generate(Executors::newSingleThreadExecutor).limit(WRITERS).toList();

    private final AtomicInteger writing = new AtomicInteger();
    private volatile Optional<RuntimeException> failure = Optional.empty();
    private volatile long changed;

    /** Its only thread uses all that follows. */
    private final ScheduledExecutorService worker = Executors.newSingleThreadScheduledExecutor();

    private final TraceOutcomes outcomes = new TraceOutcomes();
    /** Unbound pods by name. */
    private final Map<String, TracePod> unbound = new HashMap<>();
    /** Name of a pod → when it arrived, as {@link System#nanoTime}. */
    private final Map<String, Long> arrived = new HashMap<>();

    private Optional<TraceReport.Gpus> gpus = Optional.empty();
    private int arrivals;
    private int ends;

    private final SharedIndexInformer<Pod> watch;

    /**
     * Watches the pods that are bound.
     *
     * @param nodes by name
     * @param rate how many seconds of the trace pass in one second
     * @param quiet longer than the longest back-off of the scheduler
     */
    ClusterRun(KubernetesClient client, Map<String, PublishedNode> nodes, long rate, Duration quiet) {
        this.client = client;
        this.nodes = nodes;
        this.rate = rate;
        this.quiet = quiet;
        this.watch = client.pods().inNamespace("default").inform(ObjectHandler.of(this::seen));
    }

    /**
     * Creates the pods. Returns when all have run or are given up, or when no pod ends any more and nothing has happened for the quiet time.
     *
     * @param pods at least one, in the order of their arrival
     */
    TraceReport run(List<TracePod> pods) throws InterruptedException {
        long last = pods.get(pods.size() - 1).arrivesAt();
        long end = System.nanoTime() + TimeUnit.SECONDS.toNanos(last) / rate + TIMEOUT.toNanos();
        onWorker(() -> {
            pods.forEach(pod -> create(pod.arrivesAt(), pod, pod.pod().name()));
            // A second later, the scheduler has tried the last pod.
            after(last + rate, this::countGpus);
            return true;
        });
        await("all pods have run, wait, or are given up")
                .forever()
                .pollInterval(POLL)
                .until(() -> onWorker(this::isSettled) || System.nanoTime() > end);
        return onWorker(() -> outcomes.report(gpus.orElseThrow()));
    }

    private <T> T onWorker(Callable<T> task) throws InterruptedException {
        try {
            return worker.submit(task).get();
        } catch (ExecutionException e) {
            throw new IllegalStateException("the run cannot go on; see the cause", e.getCause());
        }
    }

    private boolean isSettled() {
        failure.ifPresent(cause -> {
            throw cause;
        });
        boolean isQuiet = ends == 0 && System.nanoTime() - changed > quiet.toNanos();
        return arrivals == 0 && gpus.isPresent() && writing.get() == 0 && (unbound.isEmpty() || isQuiet);
    }

    private void countGpus() {
        gpus = Optional.of(
                outcomes.gpus(nodes.values().stream().map(PublishedNode::node).toList()));
    }

    /** @param seconds of the trace */
    private void after(long seconds, Runnable action) {
        var unused =
                worker.schedule(() -> work(action), TimeUnit.SECONDS.toNanos(seconds) / rate, TimeUnit.NANOSECONDS);
    }

    private ExecutorService writer(String node) {
        return writers.get(Math.floorMod(node.hashCode(), WRITERS));
    }

    private void write(ExecutorService writer, Runnable request) {
        writing.incrementAndGet();
        writer.execute(() -> {
            work(request);
            writing.decrementAndGet();
        });
    }

    private void work(Runnable action) {
        try {
            action.run();
        } catch (RuntimeException e) {
            failure = Optional.of(e);
        }
        changed = System.nanoTime();
    }

    /** @param name of the Pod */
    private void create(long seconds, TracePod pod, String name) {
        arrivals++;
        after(seconds, () -> {
            arrivals--;
            if (arrived.putIfAbsent(pod.pod().name(), System.nanoTime()) == null) {
                outcomes.arrived(pod);
            }
            unbound.put(name, pod);
            write(creator, () -> client.resource(pod.object(name)).create());
        });
    }

    private void seen(Pod object) {
        Optional.ofNullable(object.getSpec().getNodeName())
                .ifPresent(node -> worker.execute(() -> work(() -> bound(object, node))));
    }

    private void bound(Pod object, String nodeName) {
        PublishedNode node = requireNonNull(nodes.get(nodeName));
        String name = object.getMetadata().getName();
        Optional.ofNullable(unbound.remove(name)).ifPresent(pod -> {
            Admission admission = node.node().start(pod.model());
            write(writer(nodeName), () -> node.decided(object, admission));
            if (admission.isAdmitted()) {
                ran(object, pod, node);
            } else {
                outcomes.refused(pod).ifPresent(seconds -> create(seconds, pod, name + "-r"));
            }
        });
    }

    private void ran(Pod object, TracePod pod, PublishedNode node) {
        long waited = System.nanoTime() - requireNonNull(arrived.get(pod.pod().name()));
        outcomes.ran(pod, TimeUnit.NANOSECONDS.toSeconds(waited * rate));
        pod.runs().ifPresent(runs -> {
            ends++;
            after(runs, () -> {
                ends--;
                node.node().end(pod.model().name());
                write(writer(object.getSpec().getNodeName()), () -> node.ended(object));
            });
        });
    }

    @Override
    public void close() {
        watch.close();
        worker.shutdownNow();
        creator.shutdownNow();
        writers.forEach(ExecutorService::shutdownNow);
    }
}
