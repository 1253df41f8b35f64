package io.numaledger.benchmarks.churn;

import io.fabric8.kubernetes.api.model.Container;
import io.fabric8.kubernetes.api.model.Pod;
import io.fabric8.kubernetes.client.KubernetesClientException;
import io.fabric8.kubernetes.client.dsl.NonDeletingOperation;
import io.fabric8.kubernetes.client.informers.SharedIndexInformer;
import io.numaledger.benchmarks.churn.ChurnMix.Arrival;
import io.numaledger.benchmarks.cluster.ObjectHandler;
import io.numaledger.simulator.cluster.SimCluster;

import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.ConcurrentSkipListMap;
import java.util.concurrent.Executors;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;
import java.util.function.Predicate;
import java.util.function.Supplier;

import static java.util.Objects.requireNonNull;
import static org.awaitility.Awaitility.await;

/** Creates the pods of a mix on a cluster, ends those that run for a while only, and waits until nothing changes any more. */
public final class ChurnRun implements AutoCloseable {

    private static final Duration TIMEOUT = Duration.ofMinutes(4);
    private static final Duration POLL = Duration.ofMillis(250);

    /** Longer than any delay of a pod that fits: back-off, reservations for older pods, and deletions. */
    private static final Duration QUIET = Duration.ofSeconds(12);

    private static final int CREATORS = 4;
    private static final Duration RETRY = Duration.ofSeconds(1);

    private final SimCluster cluster;
    private final ChurnMix mix;
    private final Map<String, PodTimes> times = new ConcurrentSkipListMap<>();
    private final ScheduledExecutorService threads = Executors.newScheduledThreadPool(CREATORS);
    private final SharedIndexInformer<Pod> watch;

    public ChurnRun(SimCluster cluster, ChurnMix mix) {
        this.cluster = cluster;
        this.mix = mix;
        mix.arrivals().forEach(arrival -> times.put(name(arrival), new PodTimes(ChurnMix.isSmall(arrival.pod()))));
        createPriorityClass(cluster, ChurnMix.IMPORTANT, "Never");
        this.watch = cluster.client()
                .pods()
                .inNamespace("default")
                .inform(new ObjectHandler<>(
                        (before, pod) -> times(pod).seen(pod), pod -> times(pod).gone()));
    }

    /** Above the default. */
    static void createPriorityClass(SimCluster cluster, String name, String preemptionPolicy) {
        cluster.client().resource("""
                        {"apiVersion": "scheduling.k8s.io/v1", "kind": "PriorityClass", "metadata": {"name": "%s"},
                         "value": 1000, "preemptionPolicy": "%s"}""".formatted(name, preemptionPolicy)).createOr(NonDeletingOperation::update);
    }

    private static String name(Arrival arrival) {
        return arrival.pod().getMetadata().getName();
    }

    private PodTimes times(Pod pod) {
        return requireNonNull(times.get(pod.getMetadata().getName()));
    }

    /**
     * Runs the mix. Returns when, for {@link #QUIET}, every pod runs, has ended, was refused, or fits on no node.
     *
     * @param fits says for each moment whether a waiting pod could run
     */
    public ChurnReport run(Supplier<Predicate<Pod>> fits) {
        long begin = System.nanoTime();
        for (Arrival arrival : mix.arrivals()) {
            var unused = threads.schedule(() -> create(arrival), arrival.at().toMillis(), TimeUnit.MILLISECONDS);
        }
        Duration last = mix.arrivals().get(mix.arrivals().size() - 1).at();
        AtomicLong busy = new AtomicLong(begin);
        await("nothing is left to do")
                .atMost(TIMEOUT.plus(last.multipliedBy(2)))
                .pollInterval(POLL)
                .during(QUIET)
                .ignoreExceptionsInstanceOf(KubernetesClientException.class) // the API server may be away
                .until(() -> {
                    boolean done = waiting().stream().noneMatch(fits.get())
                            && times.values().stream().allMatch(PodTimes::isSettled);
                    busy.updateAndGet(before -> done ? before : System.nanoTime());
                    return done;
                });
        return new ChurnReport(mix.name(), List.copyOf(times.values()), Duration.ofNanos(busy.get() - begin));
    }

    private void create(Arrival arrival) {
        PodTimes times = times(arrival.pod());
        arrival.runs().ifPresent(runs -> times.runsForAWhile(() -> endAfter(runs, arrival)));
        cluster.client().resource(arrival.pod()).create();
        times.created();
    }

    private void endAfter(Duration runs, Arrival arrival) {
        var unused = threads.schedule(() -> endOrRetry(arrival), runs.toMillis(), TimeUnit.MILLISECONDS);
    }

    /** The API server may be away, or the container may not run yet. */
    private void endOrRetry(Arrival arrival) {
        try {
            end(arrival);
        } catch (KubernetesClientException | IllegalArgumentException e) {
            if (!times(arrival.pod()).isSettled()) {
                endAfter(RETRY, arrival);
            }
        }
    }

    private void end(Arrival arrival) {
        if (!arrival.ends()) {
            cluster.client().resource(arrival.pod()).withGracePeriod(1).delete();
            return;
        }
        String node =
                watch.getStore().getByKey("default/" + name(arrival)).getSpec().getNodeName();
        for (Container container : arrival.pod().getSpec().getContainers()) {
            cluster.node(node).runtime().exit("default", name(arrival), container.getName(), 0);
        }
    }

    /** The number of pods that have been created. */
    public long created() {
        return times.values().stream()
                .filter(pod -> pod.createdAt().isPresent())
                .count();
    }

    /** Pods that have no node. */
    public List<Pod> waiting() {
        return watch.getStore().list().stream()
                .filter(pod -> Optional.ofNullable(pod.getSpec().getNodeName()).isEmpty())
                .toList();
    }

    /** Deletes all pods, and waits until they are gone from the API server. */
    public void clear() {
        cluster.client().pods().inNamespace("default").withGracePeriod(1).delete();
        await("no pod is left")
                .atMost(TIMEOUT)
                .until(() -> watch.getStore().list().isEmpty());
    }

    @Override
    public void close() {
        threads.shutdownNow();
        watch.close();
    }
}
