package io.numaledger.e2e.install;

import io.fabric8.kubernetes.api.model.Pod;
import io.numaledger.annotation.Annotations;
import io.numaledger.e2e.support.ClusterPods;
import io.numaledger.simulator.workload.SimplePod;

import java.util.ArrayDeque;
import java.util.Deque;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.SortedMap;
import java.util.TreeMap;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;

import static java.util.Objects.requireNonNull;
import static org.assertj.core.api.Assertions.assertThat;

/** Pods that come and go all the time, beside some that stay and whose records must not change. */
final class ArrivingPods implements AutoCloseable {

    /** Few and small, so that kube-scheduler need not evict one for a pod of the chart, which is system-critical. */
    private static final int AT_ONCE = 3;

    private static final long PERIOD_MS = 400;

    private final ClusterPods pods;
    private final SortedMap<String, List<String>> records = new TreeMap<>();
    private final Deque<String> present = new ArrayDeque<>();
    private final AtomicInteger created = new AtomicInteger();
    private final AtomicInteger ran = new AtomicInteger();
    private final ScheduledExecutorService executor = Executors.newSingleThreadScheduledExecutor();
    private final Future<?> arriving;

    /** @param staying pods that are observed */
    ArrivingPods(ClusterPods pods, List<String> staying) {
        this.pods = pods;
        staying.forEach(name -> records.put(name, records(name)));
        arriving = executor.scheduleWithFixedDelay(this::step, 0, PERIOD_MS, TimeUnit.MILLISECONDS);
    }

    private List<String> records(String name) {
        Map<String, String> annotations = state(name).getMetadata().getAnnotations();
        return List.of(
                requireNonNull(annotations.get(Annotations.OBSERVED)),
                requireNonNull(annotations.get(Annotations.PLACEMENT)));
    }

    private void step() {
        records.forEach((name, before) ->
                assertThat(records(name)).as("records of pod %s", name).isEqualTo(before));
        if (present.size() < AT_ONCE) {
            int number = created.incrementAndGet();
            String name = "arrives-" + number;
            pods.create(SimplePod.named(name)
                    .with("main", "cpu=" + (1 + number % 2), "memory=1Gi")
                    .scheduledBy("numaledger"));
            present.add(name);
            return;
        }
        // A younger pod may hold the room that the oldest waits for.
        Optional<String> running = present.stream()
                .filter(name -> !state(name).getStatus().getPhase().equals("Pending"))
                .findFirst();
        running.ifPresent(name -> {
            ran.incrementAndGet();
            present.remove(name);
            pods.delete(name);
        });
    }

    private Pod state(String name) {
        return requireNonNull(pods.get(name), () -> "pod %s is gone, and nothing here has deleted it".formatted(name));
    }

    /** How many pods have run and gone. */
    int ran() {
        assertThat(arriving.isDone()).as("pods have stopped to arrive").isFalse();
        return ran.get();
    }

    /** Ends it. Throws if pods could not arrive all the time, or a record was not kept. */
    @Override
    public void close() {
        boolean failed = arriving.isDone();
        arriving.cancel(false);
        executor.shutdown();
        if (failed) {
            try {
                arriving.get();
            } catch (InterruptedException | ExecutionException e) {
                throw new AssertionError("pods did not arrive all the time", e);
            }
        }
    }
}
